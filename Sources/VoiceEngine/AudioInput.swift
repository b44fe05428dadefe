/// Where a session takes the audio that it sends.
public enum AudioInput: Hashable, Sendable {
    /// Digital silence.
    case silence
    /// A clip, once; then silence, and ``SessionEvent/inputFinished``.
    case clip(AudioClip)
    /// What the session itself hears, `delay` later: an echo to test against. `delay` is at most 10 s.
    case echo(delay: Duration)
}

extension AudioInput {
    /// The input as the media thread takes it, with memory of its own.
    var source: InputSource {
        switch self {
        case .silence: return .silence
        case .clip(let clip): return .clip(ClipReference(clip.samples))
        case .echo(let delay):
            let milliseconds = min(max(Int(delay / .milliseconds(1)), 10), 10_000)
            return .echo(ClipReference([Int16](repeating: 0, count: milliseconds * 48)))
        }
    }
}
