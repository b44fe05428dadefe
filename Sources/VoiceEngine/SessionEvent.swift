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
    /// No sound has arrived since the beginning, for 3 s.
    ///
    /// Reports may arrive all the same. The text says where sound was awaited from, and what came instead.
    case oneWay(String)
    /// Sound arrives after ``oneWay(_:)``.
    case twoWay
    /// The other side began to hold the call, or resumed it: see ``VoiceSession/isHeldByRemote``.
    case remoteHold(Bool)
    /// A key was pressed at the other side: one of `0-9`, `*`, `#`, `A-D`.
    case digitBegan(Character)
    /// The key was released; `duration` is `nil` if it was heard as a tone.
    case digitEnded(Character, duration: Duration?)
    /// All digits given to ``VoiceSession/sendDigits(_:)`` have been sent.
    case digitsSent
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
