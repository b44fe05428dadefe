internal import MediaTime

/// Makes up lost speech at 8 kHz by going on with its last pitch period, softer and softer, in the manner of ITU-T G.711
/// appendix I.
///
/// Silent after 60 ms, since longer tones are no speech any more.
struct PitchRepetition: ~Copyable {
    private static var historySamples: Int { 400 }
    /// Pitch periods looked for: 66 to 200 Hz.
    private static var shortestPeriod: Int { 40 }
    private static var longestPeriod: Int { 120 }
    private static var comparedSamples: Int { 160 }
    /// Faded over at the end of a loss: 5 ms.
    private static var overlapSamples: Int { 40 }
    private static var fullSamples: Int { 80 }
    private static var silentAfterSamples: Int { 480 }

    private var history = FixedBuffer<Int16>(repeating: 0, count: historySamples)
    private var period = 0
    private var position = 0
    /// Samples made up in this loss; 0 while there is none.
    private var madeUp = 0

    /// Fills `samples` with what might have been.
    mutating func fill(_ samples: inout MutableSpan<Int16>) {
        if madeUp == 0 { period = findPeriod() }
        for index in samples.indices { samples[index] = nextSample() }
    }

    /// Takes decoded `samples`, and fades over to them after a loss.
    mutating func join(_ samples: inout MutableSpan<Int16>) {
        if madeUp > 0 {
            let overlap = min(Self.overlapSamples, samples.count)
            for index in 0..<overlap {
                let old = Int32(nextSample()) * Int32(overlap - index)
                let new = Int32(samples[index]) * Int32(index)
                samples[index] = Int16(truncatingIfNeeded: (old + new) / Int32(overlap))
            }
            madeUp = 0
            position = 0
        }
        remember(samples.span)
    }

    private mutating func nextSample() -> Int16 {
        let sample = Int32(history[Self.historySamples - period + position])
        position = position + 1 == period ? 0 : position + 1
        let fade = Self.silentAfterSamples - Self.fullSamples
        let gain = max(0, min(fade, Self.silentAfterSamples - madeUp))
        madeUp += 1
        return Int16(truncatingIfNeeded: sample * Int32(gain) / Int32(fade))
    }

    private mutating func remember(_ samples: Span<Int16>) {
        let kept = min(samples.count, Self.historySamples)
        history.moveToFront(kept..<Self.historySamples)
        history.replace(
            at: Self.historySamples - kept, with: samples.extracting((samples.count - kept)..<samples.count))
    }

    /// The shift at which the end of the history is most like itself.
    private func findPeriod() -> Int {
        let past = history.span
        var best = (period: Self.longestPeriod, likeness: Float(0))
        for period in Self.shortestPeriod...Self.longestPeriod {
            var product: Float = 0
            var energy: Float = 1
            for index in (Self.historySamples - Self.comparedSamples)..<Self.historySamples {
                let shifted = Float(past[index - period])
                product += Float(past[index]) * shifted
                energy += shifted * shifted
            }
            let likeness = product > 0 ? product * product / energy : 0
            if likeness > best.likeness { best = (period, likeness) }
        }
        return best.period
    }
}
