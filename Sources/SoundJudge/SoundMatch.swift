/// Where a known sound was found in a recording, and how sure that is.
package struct SoundMatch: Hashable, Sendable {
    /// How much later than in the reference the sound is in the recording.
    package var lag: Duration
    /// How much of the sound's energy is the reference's, `0...1`.
    ///
    /// The normalised cross-correlation of each 0.4 s of the reference that holds sound, where it fits best
    /// within 60 ms of the common lag, weighted by energy.
    package var similarity: Double
    /// The share of those pieces of the reference that were found, `0...1`.
    package var coverage: Double

    package init(lag: Duration, similarity: Double, coverage: Double) {
        self.lag = lag
        self.similarity = similarity
        self.coverage = coverage
    }

    /// From here on ``similarity`` says yes.
    ///
    /// Measured: recorded speech through Opus, from 28 kbit/s to twice 6 kbit/s and with up to 10 % loss
    /// concealed, 0.76 to 1; synthetic speech, half of it noise, 0.55 to 1. Other speech, noise, and the
    /// reference played backwards, at most 0.25.
    package static var threshold: Double { 0.4 }
    /// From here on a single piece counts as found.
    static var pieceThreshold: Double { 0.35 }

    /// Whether the reference is in the recording, and at least half of it.
    package var isFound: Bool { similarity >= Self.threshold && coverage >= 0.5 }
}
