internal import MediaTime

/// Makes up lost speech by going on with its last pitch period, softer and softer, in the manner of ITU-T G.711
/// appendix I.
///
/// Silent after 60 ms, since longer tones are no speech any more.
struct PitchRepetition: ~Copyable {
    private let historySamples: Int
    /// Pitch periods looked for: 66 to 200 Hz.
    private let shortestPeriod: Int
    private let longestPeriod: Int
    private let comparedSamples: Int
    /// Faded over at the end of a loss: 5 ms.
    private let overlapSamples: Int
    private let fullSamples: Int
    private let silentAfterSamples: Int

    private var history: FixedBuffer<Int16>
    private var period = 0
    private var position = 0
    /// Samples made up in this loss; 0 while there is none.
    private var madeUp = 0

    init(sampleRate: Int) {
        let samplesPerMillisecond = sampleRate / 1_000
        historySamples = 50 * samplesPerMillisecond
        shortestPeriod = 5 * samplesPerMillisecond
        longestPeriod = 15 * samplesPerMillisecond
        comparedSamples = 20 * samplesPerMillisecond
        overlapSamples = 5 * samplesPerMillisecond
        fullSamples = 10 * samplesPerMillisecond
        silentAfterSamples = 60 * samplesPerMillisecond
        history = FixedBuffer(repeating: 0, count: historySamples)
    }

    /// Fills `samples` with what might have been.
    mutating func fill(_ samples: inout MutableSpan<Int16>) {
        if madeUp == 0 { period = findPeriod() }
        for index in samples.indices { samples[index] = nextSample() }
    }

    /// Takes decoded `samples`, and fades over to them after a loss.
    mutating func join(_ samples: inout MutableSpan<Int16>) {
        if madeUp > 0 {
            let overlap = min(overlapSamples, samples.count)
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
        let sample = Int32(history[historySamples - period + position])
        position = position + 1 == period ? 0 : position + 1
        let fade = silentAfterSamples - fullSamples
        let gain = max(0, min(fade, silentAfterSamples - madeUp))
        madeUp += 1
        return Int16(truncatingIfNeeded: sample * Int32(gain) / Int32(fade))
    }

    private mutating func remember(_ samples: Span<Int16>) {
        let kept = min(samples.count, historySamples)
        history.moveToFront(kept..<historySamples)
        history.replace(
            at: historySamples - kept, with: samples.extracting((samples.count - kept)..<samples.count))
    }

    /// The shift at which the end of the history is most like itself.
    private func findPeriod() -> Int {
        let past = history.span
        var best = (period: longestPeriod, likeness: Float(0))
        for period in shortestPeriod...longestPeriod {
            var product: Float = 0
            var energy: Float = 1
            for index in (historySamples - comparedSamples)..<historySamples {
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
