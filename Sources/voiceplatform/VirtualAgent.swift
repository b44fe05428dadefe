import Synchronization
import VoiceEngine

/// Greets, and repeats what it hears a fixed time later.
///
/// The greeting is mixed into the echo: with a delay at least as long as the greeting the two don't overlap.
final class VirtualAgent: AgentMedia {
    private let engine: VoiceEngine
    private let greeting: AudioClip?
    private let settings: SessionConfiguration
    private let isMuted: Bool
    private let sessions = Mutex<[Int64: VoiceSession]>([:])

    /// - Throws: ``VoiceEngineError``: the greeting is no sound file, or the system has no thread left.
    init(_ configuration: PlatformConfiguration) throws(VoiceEngineError) {
        let agent = configuration.virtualAgent
        greeting = try Self.greeting(of: configuration)
        isMuted = agent.isMuted
        settings = SessionConfiguration(
            localAddress: .numeric(configuration.mediaAddress), encryption: .required,
            input: agent.isMuted ? .silence : .echo(delay: .milliseconds(agent.echoDelayMilliseconds)),
            mediaTimeout: .seconds(configuration.limits.mediaTimeoutSeconds))
        engine = try VoiceEngine()
    }

    /// Reads the greeting, if there is one.
    static func greeting(of configuration: PlatformConfiguration) throws(VoiceEngineError) -> AudioClip? {
        guard let path = configuration.virtualAgent.greeting else { return nil }
        return try AudioClip(contentsOf: path)
    }

    func answer(
        offer: String, call: Int64, report: @escaping @Sendable (MediaReport) -> Void
    ) async throws(MediaFailure) -> String {
        let session: VoiceSession
        let answer: String
        do throws(VoiceEngineError) {
            session = try await engine.makeSession(settings)
        } catch { throw MediaFailure(error) }
        do throws(VoiceEngineError) {
            answer = try await session.answer(offer: offer)
        } catch {
            await session.close()
            throw MediaFailure(error)
        }
        if isMuted { session.setMuted(true) }
        sessions.withLock { $0[call] = session }
        follow(session, report: report)
        return answer
    }

    private func follow(_ session: VoiceSession, report: @escaping @Sendable (MediaReport) -> Void) {
        let greeting = isMuted ? nil : greeting
        Task {
            for await event in session.events {
                switch event {
                case .mediaStarted:
                    report(.started)
                    if let greeting { session.play(greeting) }
                case .mediaTimedOut: report(.timedOut)
                case .remoteLeft: report(.callerLeft)
                case .mediaResumed, .oneWay, .twoWay, .remoteHold, .digitBegan, .digitEnded, .digitsSent,
                    .inputFinished, .messageFinished, .recordingFailed, .closed:
                    break
                }
            }
        }
    }

    func setOnHold(_ isOnHold: Bool, call: Int64) {
        sessions.withLock { $0[call] }?.setOnHold(isOnHold)
    }

    func close(call: Int64) async {
        _ = await sessions.withLock { $0.removeValue(forKey: call) }?.close()
    }

    func shutDown() async {
        await engine.shutDown()
    }
}

extension MediaFailure {
    fileprivate init(_ error: VoiceEngineError) {
        switch error.code {
        case .invalidDescription: self = .invalidOffer(error.description)
        case .mediaRejected: self = .rejected(reason: "no_common_codec", error.description)
        case .encryptionRequired: self = .rejected(reason: "encryption_required", error.description)
        case .network, .thread: self = .noPort(error.description)
        default: self = .unavailable(error.description)
        }
    }
}
