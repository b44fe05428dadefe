internal import AudioFiles
internal import LinuxIO
internal import MediaSession
internal import RTP
internal import SRTP
internal import Synchronization

/// One call's media: made by ``VoiceEngine/makeSession(_:)``, set up by an offer and an answer (RFC 3264), ended by
/// ``close()``.
///
/// Later offers and answers, of either side, change it while it runs: to hold, to resume, for another codec, address or
/// key.
///
/// Safe from any thread. Controls are true at once when read back; the media thread follows within one 10 ms frame. The
/// engine keeps the session until it is closed.
public final class VoiceSession: Sendable {
    private struct State {
        var negotiator: Negotiator
        /// What the media thread goes by; `nil` before the first answer.
        var parameters: MediaParameters?
        /// The SSRC of what we send.
        var source: UInt32 = 0
        var isClosed = false
        var isMuted = false
        var recorder: Recorder?
        var statistics = SessionStatistics()
        var recordingFailure: String?
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let identifier: Int
    private let core: EngineCore
    private let state: Mutex<State>
    private let continuation: AsyncStream<SessionEvent>.Continuation

    /// What happens to the session, from its beginning; ends after ``SessionEvent/closed``.
    ///
    /// For one consumer.
    public let events: AsyncStream<SessionEvent>

    init(identifier: Int, core: EngineCore, negotiator: Negotiator) {
        self.identifier = identifier
        self.core = core
        state = Mutex(State(negotiator: negotiator))
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    // MARK: Setting up

    /// Makes our offer (SDP), to be sent to the other side: the first, or one that tells what has changed since, such as
    /// that we hold.
    ///
    /// Asked again before the answer it is made anew. It holds SRTP keys: send it over an encrypted connection only, and
    /// never log it.
    ///
    /// - Parameter renewingKeys: Whether to change our key, as before it has served for too long (RFC 3711 §9.2).
    /// - Returns: SDP.
    public func makeOffer(renewingKeys: Bool = false) -> String {
        state.withLock { $0.negotiator.makeOffer(renewingKeys: renewingKeys) }
    }

    /// Takes our offer back, which the other side refused or crossed with its own; all stays as it was before.
    public func withdrawOffer() { state.withLock { $0.negotiator.withdrawOffer() } }

    /// Takes the other side's answer to our offer; media flows by it when this returns.
    ///
    /// - Parameter answer: An SDP answer.
    /// - Throws: ``VoiceEngineError``; the offer then still waits for a better answer, and all is as it was.
    public func accept(answer: String) async throws(VoiceEngineError) {
        _ = try negotiate { negotiator throws(VoiceEngineError) in
            ("", try negotiator.accept(answer: answer))
        }
    }

    /// Takes the other side's offer; media flows by it when this returns.
    ///
    /// - Parameter offer: An SDP offer.
    /// - Returns: Our answer, to be sent back; it holds SRTP keys, as ``makeOffer(renewingKeys:)`` does.
    /// - Throws: ``VoiceEngineError``; nothing has changed then.
    public func answer(offer: String) async throws(VoiceEngineError) -> String {
        try negotiate { negotiator throws(VoiceEngineError) in try negotiator.answer(offer: offer) }
    }

    private func negotiate(
        _ exchange: (inout Negotiator) throws(VoiceEngineError) -> (
            answer: String, parameters: MediaParameters
        )
    ) throws(VoiceEngineError) -> String {
        // Under one lock, so that exchanges and controls come to the media thread in the order in which they became true.
        let (answer, holdChange) = try state.withLock { state throws(VoiceEngineError) in
            guard !state.isClosed else { throw VoiceEngineError(.closed, "the session is closed") }
            let wasHeld = state.negotiator.isHeldByRemote
            var negotiator = state.negotiator
            let (answer, parameters) = try exchange(&negotiator)
            if let old = state.parameters {
                try update(from: old, to: parameters, source: state.source)
            } else {
                state.source = try start(parameters, isMuted: state.isMuted, isOnHold: negotiator.isHeld)
            }
            state.negotiator = negotiator
            state.parameters = parameters
            let isHeld = negotiator.isHeldByRemote
            return (answer, isHeld == wasHeld ? nil : isHeld)
        }
        if let holdChange { tell(.remoteHold(holdChange)) }
        return answer
    }

    private func start(
        _ parameters: MediaParameters, isMuted: Bool, isOnHold: Bool
    ) throws(VoiceEngineError) -> UInt32 {
        var parameters = parameters
        parameters.startsMuted = isMuted
        parameters.startsOnHold = isOnHold
        var random = SystemRandom()
        let media: MediaSession
        do throws(MediaSessionError) {
            media = try MediaSession(
                parameters, at: SystemClock.now(), wallClock: SystemClock.wallClock(), random: &random)
        } catch { throw VoiceEngineError(error) }
        let source = media.localSource
        let reference = MediaReference(media)
        guard core.send(.start(session: identifier, reference)) else {
            reference.free()
            throw VoiceEngineError(.closed, "the engine is shut down")
        }
        return source
    }

    private func update(
        from old: MediaParameters, to new: MediaParameters, source: UInt32
    ) throws(VoiceEngineError) {
        let update: MediaUpdate
        do throws(MediaSessionError) { update = try MediaUpdate(from: old, to: new, source: source) } catch {
            throw VoiceEngineError(error)
        }
        let reference = UpdateReference(update)
        guard core.send(.update(session: identifier, reference)) else {
            reference.free()
            throw VoiceEngineError(.closed, "the engine is shut down")
        }
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
    public var isOnHold: Bool { state.withLock(\.negotiator.isHeld) }

    /// Whether the other side holds the call, by its last description: it wants nothing of what we would send.
    public var isHeldByRemote: Bool { state.withLock(\.negotiator.isHeldByRemote) }

    /// Holds or resumes.
    ///
    /// Packets and reports keep flowing, so that the path stays open; muting survives it. The other side learns of it by the
    /// next offer or answer: see ``makeOffer(renewingKeys:)``.
    public func setOnHold(_ isOnHold: Bool) {
        state.withLock { state in
            state.negotiator.isHeld = isOnHold
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

    /// Sends digits, one after the other: 160 ms each, 100 ms apart.
    ///
    /// What is said is not heard meanwhile, and ``SessionEvent/digitsSent`` follows.
    /// They go as telephone events (RFC 4733) if the other side takes these, else as tones if the codec is G.711.
    ///
    /// - Parameter digits: `0-9`, `*`, `#`, `A-D`, and `w` for half a second of pause; at most 64.
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/digits``; none has been sent then.
    public func sendDigits(_ digits: String) throws(VoiceEngineError) {
        let items = try DigitToSend.items(of: digits)
        try state.withLock { state throws(VoiceEngineError) in
            guard !state.isClosed, let parameters = state.parameters else {
                throw VoiceEngineError(
                    .closed, "digits can be sent when the call has media, and not after its end")
            }
            guard parameters.canSendDigits else {
                throw VoiceEngineError(
                    .digits,
                    "the other side takes no telephone events, and Opus is no way for tones: send the digits by signalling"
                )
            }
            for item in items { core.send(.send(session: identifier, item)) }
        }
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
                if state.isClosed { return true }
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

    func received(_ digit: ReceivedDigit) {
        switch digit {
        case .began(let digit): tell(.digitBegan(digit.character))
        case .ended(let digit, let milliseconds):
            tell(.digitEnded(digit.character, duration: milliseconds > 0 ? .milliseconds(milliseconds) : nil))
        }
    }

    func mediaHappened(_ events: MediaEvents) {
        if events.contains(.started) { tell(.mediaStarted) }
        if events.contains(.oneWay) { tell(.oneWay(state.withLock(\.statistics).oneWayHint)) }
        if events.contains(.twoWay) { tell(.twoWay) }
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
            state.statistics = SessionStatistics(
                figures, cryptoSuite: state.parameters?.security?.local.suite.rawValue)
            state.statistics.recordingFailure = state.recordingFailure
        }
    }

    /// Ends the session: the media thread has let go of it.
    func finish(_ figures: SessionFigures?) {
        if let figures { update(figures) }
        if let reason = state.withLock({ $0.recorder.take() })?.finish() { recordingFailed(reason) }
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        tell(.closed)
        continuation.finish()
        for waiter in waiters { waiter.resume() }
    }
}
