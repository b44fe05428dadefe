/// From 48 to 8 kHz for the ``DTMFDetector``, which hears nothing above 1.7 kHz.
///
/// A sinc of 49 taps under a Hann window: level to 1.8 kHz, 44 dB down from 5.2 kHz, so that nothing from above
/// 6.3 kHz folds onto a tone. Half a millisecond late.
struct DTMFDecimator: BitwiseCopyable, Sendable {
    private var taps = InlineArray<49, Float>(repeating: 0)
    /// The last 48 samples of the frame before, and the frame.
    private var input = InlineArray<528, Float>(repeating: 0)

    init() {
        // Cut at 3.4 kHz: the cosine and sine of 2π · 3400 / 48000, and of the window's 2π / 50.
        let cutoff = Rotation(cosine: 0.902_585_284_349_860_6, sine: 0.430_511_096_808_295_1)
        let windowStep = Rotation(cosine: 0.992_114_701_314_477_9, sine: 0.125_333_233_564_304_26)
        var sum = 1.0
        var (angle, windowAngle) = (Rotation.none, Rotation.none)
        let center = cutoffRadians / Double.pi
        taps[24] = 1
        for distance in 1...24 {
            angle = angle.followed(by: cutoff)
            windowAngle = windowAngle.followed(by: windowStep)
            let sinc = angle.sine / (Double.pi * Double(distance)) / center
            let tap = sinc * (1 + windowAngle.cosine) / 2
            taps[24 - distance] = Float(tap)
            taps[24 + distance] = Float(tap)
            sum += 2 * tap
        }
        for index in 0..<49 { taps[index] /= Float(sum) }
    }

    private var cutoffRadians: Double { 2 * Double.pi * 3_400 / 48_000 }

    /// Takes 480 samples, and puts the 80 that they become at the end of `output`.
    @_noLocks @_noAllocation
    mutating func decimate(_ frame: Span<Int16>, into output: inout InlineArray<240, Float>) {
        for index in 0..<48 { input[index] = input[index + 480] }
        for index in 0..<480 { input[index + 48] = Float(frame[index]) }
        for index in 0..<160 { output[index] = output[index + 80] }
        for index in 0..<80 {
            var sum: Float = 0
            for tap in 0..<49 { sum += taps[tap] * input[6 * index + tap] }
            output[160 + index] = sum
        }
    }
}
