/// Where a session takes the audio that it sends.
public enum AudioInput: Hashable, Sendable {
    /// Digital silence.
    case silence
    /// A clip, once; then silence, and ``SessionEvent/inputFinished``.
    case clip(AudioClip)
    /// What the session itself hears, `delay` later: an echo to test against. `delay` is at most 10 s.
    case echo(delay: Duration)
}
