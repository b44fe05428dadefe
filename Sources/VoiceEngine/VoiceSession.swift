/// One call's media: made by ``VoiceEngine/makeSession(_:)``, set up by an offer and an answer (RFC 3264), ended by ``close()``.
///
/// Safe from any thread. Controls are true at once when read back; the media thread follows within one 10 ms frame.
public final class VoiceSession: Sendable {
    /// Our offer, to be sent to the other side. Each call of it gives the same text.
    public var offer: String { "" }

    /// Sets the session up with the other side's answer to ``offer``; media flows when this returns.
    ///
    /// - Parameter answer: An SDP answer.
    /// - Throws: ``VoiceEngineError``; the session then still waits for a better answer.
    public func accept(answer: String) async throws(VoiceEngineError) {}

    /// Sets the session up with the other side's offer; media flows when this returns.
    ///
    /// - Parameter offer: An SDP offer.
    /// - Returns: Our answer, to be sent back.
    /// - Throws: ``VoiceEngineError``; nothing has changed then.
    public func answer(offer: String) async throws(VoiceEngineError) -> String { "" }

    /// What happens to the session, from its beginning; ends after ``SessionEvent/closed``. One consumer.
    public var events: AsyncStream<SessionEvent> { AsyncStream { $0.finish() } }

    /// Whether our input is replaced by silence. A message from ``play(_:)`` is still heard.
    public var isMuted: Bool { false }

    /// Mutes or unmutes, with a fade of 5 ms.
    public func setMuted(_ isMuted: Bool) {}

    /// Whether the call is held by us: we send silence and play nothing.
    public var isOnHold: Bool { false }

    /// Holds or resumes. Packets and reports keep flowing, so that the path stays open; muting survives it.
    public func setOnHold(_ isOnHold: Bool) {}

    /// Replaces what the session captures.
    public func setInput(_ input: AudioInput) {}

    /// Mixes `message` into what we send, replacing one that still plays.
    public func play(_ message: AudioClip) {}

    /// Records the call from now to its end into a stereo WAV file, 48 kHz, 16 bit: what we send left, what we play right.
    ///
    /// The file is readable at any moment, also if the process is killed.
    ///
    /// - Parameter path: The file; replaced if it exists.
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/audioFile`` when it can't be created.
    public func record(to path: String) async throws(VoiceEngineError) {}

    /// The statistics, at most 200 ms old; final once the session is closed.
    public var statistics: SessionStatistics { SessionStatistics() }

    /// Says goodbye to the other side, frees socket and codecs, and finishes the recording. Idempotent.
    ///
    /// - Returns: The final statistics.
    @discardableResult
    public func close() async -> SessionStatistics { SessionStatistics() }

    init() {}
}
