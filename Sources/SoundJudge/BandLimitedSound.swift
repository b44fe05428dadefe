internal import AudioProcessing

/// A sound at a low rate, without its offset and its rumble: enough to recognise it, and cheap to correlate.
struct BandLimitedSound {
    let rate: Int
    let samples: [Float]
    /// `energyBefore[n]` is the energy of the first `n` samples.
    private let energyBefore: [Double]

    /// `nil` when the rates can't be converted.
    init?(_ sound: Span<Int16>, rate: Int, newRate: Int) {
        guard let converted = resampled(sound, from: rate, to: newRate) else { return nil }
        self.rate = newRate
        samples = highPassed(converted, rate: newRate)
        var total = 0.0
        var sums = [0.0]
        sums.reserveCapacity(samples.count + 1)
        for sample in samples {
            total += Double(sample) * Double(sample)
            sums.append(total)
        }
        energyBefore = sums
    }

    /// The energy of `range`; what lies outside of the sound is silence.
    func energy(of range: Range<Int>) -> Double {
        let inside = range.clamped(to: 0..<samples.count)
        return energyBefore[inside.upperBound] - energyBefore[inside.lowerBound]
    }
}

private func resampled(_ sound: Span<Int16>, from rate: Int, to newRate: Int) -> [Int16]? {
    guard var resampler = try? Resampler(from: rate, to: newRate) else { return nil }
    resampler.skipLeadingZeros()
    let length = sound.count * newRate / rate
    let silence = [Int16](repeating: 0, count: rate / 10)
    var room = [Int16](repeating: 0, count: 4_096)
    var output: [Int16] = []
    output.reserveCapacity(length + room.count)
    var start = 0
    while output.count < length {
        var target = room.mutableSpan
        let rest = start < sound.count ? sound.extracting(start..<sound.count) : silence.span
        let progress = resampler.process(rest, into: &target)
        start += progress.consumed
        output += room[..<progress.produced]
    }
    output.removeLast(output.count - length)
    return output
}

/// Two poles at 120 Hz: offsets and hum go, and with them what codecs' own high-passes shift in phase.
private func highPassed(_ sound: [Int16], rate: Int) -> [Float] {
    let keep = 1 - 2 * Float.pi * 120 / Float(rate)
    var output: [Float] = []
    output.reserveCapacity(sound.count)
    var input: Float = 0
    var first: Float = 0
    var second: Float = 0
    for sample in sound {
        let value = Float(sample)
        let next = keep * (first + value - input)
        second = keep * (second + next - first)
        first = next
        input = value
        output.append(second)
    }
    return output
}
