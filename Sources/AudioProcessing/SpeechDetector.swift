/// Tells speech from a background, by its power over the least of the last seconds.
///
/// What is loud is never taken for background, so tones and music pass however steadily they stand. Real-time safe.
package struct SpeechDetector: BitwiseCopyable, Sendable {
    /// Samples in a frame: 10 ms at 8 kHz.
    package static var frameSamples: Int { 80 }

    /// Mean squares; -40 dBov is speech in any case, -75 dBov never is.
    private static var loud: Float { 107_374 }
    private static var silent: Float { 34 }
    /// Of a frame to the floor: 7 dB, where a frame of noise is hardly ever more than 2 above the mean.
    private static var margin: Float { 5 }
    /// The floor is the least of eight parts of half a second: so long may somebody talk without a breath.
    private static var partFrames: Int { 50 }
    /// Over how many frames power is smoothed for the floor.
    private static var smoothing: Float { 5 }

    private var smoothed: Float?
    private var parts = InlineArray<8, Float>(repeating: .infinity)
    private var part = 0
    private var framesInPart = 0

    package init() {}

    /// Listens to the next ``frameSamples``.
    ///
    /// - Returns: Whether there's speech in them.
    package mutating func isSpeech(in frame: Span<Int16>) -> Bool {
        var power: Float = 0
        for index in frame.indices { power += Float(frame[index]) * Float(frame[index]) }
        power /= Float(max(1, frame.count))
        let smoothed = self.smoothed.map { $0 + (power - $0) / Self.smoothing } ?? power
        self.smoothed = smoothed
        parts[part] = min(parts[part], smoothed)
        framesInPart += 1
        if framesInPart == Self.partFrames {
            framesInPart = 0
            part = (part + 1) % parts.count
            parts[part] = smoothed
        }
        guard power < Self.loud else { return true }
        return power > Self.silent && power > floor * Self.margin
    }

    private var floor: Float {
        var least = parts[0]
        for index in 1..<parts.count { least = min(least, parts[index]) }
        return least
    }
}
