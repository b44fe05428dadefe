internal import AudioFiles
internal import LinuxIO
internal import MediaSession
internal import SRTP
internal import Synchronization

/// One call's media: made by ``VoiceEngine/makeSession(_:)``, set up by an offer and an answer (RFC 3264), ended by
/// ``close()``.
///
/// Safe from any thread. Controls are true at once when read back; the media thread follows within one 10 ms frame. The
/// engine keeps the session until it is closed.
public final class VoiceSession: Sendable {
    private enum Phase {
        case negotiating
        case started(cryptoSuite: String?)
        case closed
    }

    private struct State {
        var phase = Phase.negotiating
        var isMuted = false
        var isOnHold = false
        var recorder: Recorder?
        var statistics = SessionStatistics()
        var recordingFailure: String?
        var cryptoSuite: String?
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let identifier: Int
    private let core: EngineCore
    private let negotiator: Negotiator
    private let state = Mutex(State())
    private let continuation: AsyncStream<SessionEvent>.Continuation

    /// What happens to the session, from its beginning; ends after ``SessionEvent/closed``.
    ///
    /// For one consumer.
    public let events: AsyncStream<SessionEvent>

    init(identifier: Int, core: EngineCore, negotiator: Negotiator) {
        self.identifier = identifier
        self.core = core
        self.negotiator = negotiator
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    // MARK: Setting up

    /// Our offer (SDP), to be sent to the other side.
    ///
    /// It holds SRTP keys: send it over an encrypted connection only, and never log it.
    public var offer: String { negotiator.offer }

    /// Sets the session up with the other side's answer to ``offer``; media flows when this returns.
    ///
    /// - Parameter answer: An SDP answer.
    /// - Throws: ``VoiceEngineError``; the session then still waits for a better answer.
    public func accept(answer: String) async throws(VoiceEngineError) {
        try start(negotiator.parameters(answer: answer))
    }

    /// Sets the session up with the other side's offer; media flows when this returns.
    ///
    /// - Parameter offer: An SDP offer.
    /// - Returns: Our answer, to be sent back; it holds SRTP keys, as ``offer`` does.
    /// - Throws: ``VoiceEngineError``; nothing has changed then.
    public func answer(offer: String) async throws(VoiceEngineError) -> String {
        let (answer, parameters) = try negotiator.answer(offer: offer)
        try start(parameters)
        return answer
    }

    private func start(_ parameters: MediaParameters) throws(VoiceEngineError) {
        var parameters = parameters
        (parameters.startsMuted, parameters.startsOnHold) = state.withLock { ($0.isMuted, $0.isOnHold) }
        var random = SystemRandom()
        let media: MediaSession
        do throws(MediaSessionError) {
            media = try MediaSession(
                parameters, at: SystemClock.now(), wallClock: SystemClock.wallClock(), random: &random)
        } catch { throw VoiceEngineError(.mediaRejected, "the agreed media can't be set up: \(error)") }
        let reference = MediaReference(media)
        let suite = parameters.security?.suite.rawValue
        let refusal = state.withLock { state -> VoiceEngineError? in
            switch state.phase {
            case .started: return VoiceEngineError(.invalidDescription, "the session is set up already")
            case .closed: return VoiceEngineError(.closed, "the session is closed")
            case .negotiating:
                // Under the lock, so that a control set meanwhile comes after it.
                guard core.send(.start(session: identifier, reference)) else {
                    return VoiceEngineError(.closed, "the engine is shut down")
                }
                core.send(.setMuted(session: identifier, state.isMuted))
                core.send(.setOnHold(session: identifier, state.isOnHold))
                state.phase = .started(cryptoSuite: suite)
                state.cryptoSuite = suite
                return nil
            }
        }
        guard let refusal else { return }
        reference.free()
        throw refusal
    }

    // MARK: Controls

    /// Whether our input is replaced by silence.
    ///
    /// A message from ``play(_:)`` is still heard.
    public var isMuted: Bool { state.withLock(\.isMuted) }

    /// Mutes or unmutes, with a fade of 5 ms.
    public func setMuted(_ isMuted: Bool) {
        state.withLock { state in
            state.isMuted = isMuted
            core.send(.setMuted(session: identifier, isMuted))
        }
    }

    /// Whether the call is held by us: we send silence and play nothing.
    public var isOnHold: Bool { state.withLock(\.isOnHold) }

    /// Holds or resumes.
    ///
    /// Packets and reports keep flowing, so that the path stays open; muting survives it.
    public func setOnHold(_ isOnHold: Bool) {
        state.withLock { state in
            state.isOnHold = isOnHold
            core.send(.setOnHold(session: identifier, isOnHold))
        }
    }

    /// Replaces what the session captures.
    public func setInput(_ input: AudioInput) {
        let source = input.source
        if !core.send(.setInput(session: identifier, source)) { source.memory?.free() }
    }

    /// Mixes `message` into what we send, replacing one that still plays.
    public func play(_ message: AudioClip) {
        let clip = ClipReference(message.samples)
        if !core.send(.play(session: identifier, clip)) { clip.free() }
    }

    /// Records the call from now to its end into a stereo WAV file, 48 kHz, 16 bit: what we send left, what we play right.
    ///
    /// The file is readable at any moment, also if the process is killed.
    ///
    /// - Parameter path: The file; replaced if it exists.
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/audioFile`` when it can't be created.
    public func record(to path: String) async throws(VoiceEngineError) {
        guard state.withLock({ $0.recorder == nil }) else {
            throw VoiceEngineError(.audioFile, "the session is being recorded already")
        }
        // Ten seconds of frames: as long may the disk stand still.
        var ring = Ring<RecordedFrame>(capacity: 1_024)
        let file: StereoRecording
        do throws(AudioFileError) { file = try StereoRecording(path: path) } catch {
            throw VoiceEngineError(.audioFile, error.description)
        }
        let recorder = Recorder(ring.takeConsumer(), file: file)
        let reference = RecorderReference(ring.takeProducer())
        state.withLock { $0.recorder = recorder }
        guard core.send(.record(session: identifier, reference)) else {
            reference.free()
            throw VoiceEngineError(.closed, "the engine is shut down")
        }
    }

    /// The statistics, at most 200 ms old; final once the session is closed.
    public var statistics: SessionStatistics { state.withLock(\.statistics) }

    /// Says goodbye to the other side, frees socket and codecs, and finishes the recording.
    ///
    /// Calling it again only waits and returns the same.
    ///
    /// - Returns: The final statistics.
    @discardableResult
    public func close() async -> SessionStatistics {
        core.send(.close(session: identifier))
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if case .closed = state.phase { return true }
                state.closeWaiters.append(continuation)
                return false
            }
            if isClosed { continuation.resume() }
        }
        return statistics
    }

    // MARK: From the control thread

    var isRecording: Bool { state.withLock { $0.recorder != nil } }

    func drainRecording() {
        guard let recorder = state.withLock(\.recorder), let reason = recorder.drain() else { return }
        recordingFailed(reason)
    }

    func tell(_ event: SessionEvent) { continuation.yield(event) }

    func mediaHappened(_ events: MediaEvents) {
        if events.contains(.started) { tell(.mediaStarted) }
        if events.contains(.timedOut) { tell(.mediaTimedOut) }
        if events.contains(.resumed) { tell(.mediaResumed) }
        if events.contains(.remoteLeft) { tell(.remoteLeft) }
    }

    private func recordingFailed(_ reason: String) {
        state.withLock { state in
            state.recordingFailure = reason
            state.statistics.recordingFailure = reason
        }
        tell(.recordingFailed(reason))
    }

    func update(_ figures: SessionFigures) {
        state.withLock { state in
            state.statistics = SessionStatistics(figures, cryptoSuite: state.cryptoSuite)
            state.statistics.recordingFailure = state.recordingFailure
        }
    }

    /// Ends the session: the media thread has let go of it.
    func finish(_ figures: SessionFigures?) {
        if let figures { update(figures) }
        if let reason = state.withLock({ $0.recorder.take() })?.finish() { recordingFailed(reason) }
        let waiters = state.withLock { state in
            state.phase = .closed
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        tell(.closed)
        continuation.finish()
        for waiter in waiters { waiter.resume() }
    }
}
