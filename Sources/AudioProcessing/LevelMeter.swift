/// The level of a signal over a call, in dBov (ITU-T G.100.1): 0 is a square wave at full scale, a full-scale
/// sine is -3.01, a usual talker -26.
///
/// Feed it frames of about 10 ms. Only frames louder than ``gate`` count, so that pauses don't lower the
/// level. It is a mean of power, not ITU-T P.56's active speech level, which also counts the short pauses
/// between words and so reads a little lower.
package struct LevelMeter: BitwiseCopyable, Sendable {
    /// Frames below this are silence, dBov.
    package static var gate: Double { -60 }
    /// The gate's mean square: `32768² · 10^(-60 / 10)`.
    private static var gateMeanSquare: Int64 { 1_074 }

    private var energy: Int64 = 0
    private var activeSamples: Int64 = 0
    private var totalSamples: Int64 = 0
    private var peak: Int32 = 0

    package init() {}

    /// Adds the next frame.
    ///
    /// Real-time safe.
    @_noLocks @_noAllocation
    package mutating func add(_ frame: Span<Int16>) {
        var frameEnergy: Int64 = 0
        var framePeak: Int32 = 0
        for index in 0..<frame.count {
            let sample = Int32(frame[index])
            frameEnergy &+= Int64(sample &* sample)
            framePeak = max(framePeak, sample < 0 ? 0 &- sample : sample)
        }
        let count = Int64(frame.count)
        totalSamples &+= count
        peak = max(peak, framePeak)
        guard frameEnergy > Self.gateMeanSquare &* count else { return }
        energy &+= frameEnergy
        activeSamples &+= count
    }

    /// The mean level of the frames that were not silent, dBov; `nil` before the first of them.
    package var level: Double? {
        guard activeSamples > 0 else { return nil }
        return decibels(Double(energy) / Double(activeSamples) / fullScalePower)
    }

    /// The level of the largest sample so far, dBov; `nil` while all are zero.
    package var peakLevel: Double? {
        guard peak > 0 else { return nil }
        return decibels(Double(peak) * Double(peak) / fullScalePower)
    }

    /// The share of all samples in frames that were not silent, `0...1`; `nil` before the first frame.
    package var activeShare: Double? {
        guard totalSamples > 0 else { return nil }
        return Double(activeSamples) / Double(totalSamples)
    }
}

private var fullScalePower: Double { 32_768 * 32_768 }
