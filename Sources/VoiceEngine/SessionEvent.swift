/// Something that happened to a session.
///
/// Its state is already true when the event is seen.
public enum SessionEvent: Hashable, Sendable {
    /// The first authenticated packet of the other side arrived.
    case mediaStarted
    /// Nothing authentic has arrived for ``SessionConfiguration/mediaTimeout``.
    case mediaTimedOut
    /// Media arrives again after ``mediaTimedOut``.
    case mediaResumed
    /// The other side said goodbye (RTCP BYE, RFC 3550 §6.6).
    case remoteLeft
    /// The input clip has been sent whole.
    case inputFinished
    /// The message given to ``VoiceSession/play(_:)`` has been sent whole.
    case messageFinished
    /// A recording could not be written on; the call goes on without it. The text says why.
    case recordingFailed(String)
    /// The session is closed; nothing follows.
    case closed
}
