package import SoundJudge

/// What became of the sound that had to be heard.
package struct ExpectedSound: Hashable, Sendable {
    /// Its best match in what came; `nil` when nothing came.
    package var match: SoundMatch?
    /// How long after we had said it it came back; `nil` when we hadn't said it, or it didn't come.
    package var delay: Duration?

    package init(match: SoundMatch? = nil, delay: Duration? = nil) {
        self.match = match
        self.delay = delay
    }

    package var isFound: Bool { match?.isFound ?? false }
}

/// Looks for `reference` on both sides of a recording (48 kHz).
func expectedSound(_ reference: [Int16], sent: [Int16], heard: [Int16]) -> ExpectedSound {
    guard let match = findSound(reference.span, in: heard.span) else { return ExpectedSound() }
    guard match.isFound, let own = findSound(reference.span, in: sent.span), own.isFound else {
        return ExpectedSound(match: match)
    }
    return ExpectedSound(match: match, delay: match.lag - own.lag)
}
