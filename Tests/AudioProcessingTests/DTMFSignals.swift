import AudioProcessing
import Foundation
import MediaTime

/// Two tones as a telephone's key makes them, or nearly.
struct KeyPress {
    /// Of `0123456789*#ABCD`.
    var code: UInt8
    var milliseconds = 40.0
    /// Of each tone, dBov.
    var lowLevel = -20.0
    var highLevel = -20.0
    /// 0.015 for tones 1.5 % too high.
    var frequencyError = 0.0

    var samples: [Double] {
        let lows: [Double] = [941, 697, 697, 697, 770, 770, 770, 852, 852, 852, 941, 941, 697, 770, 852, 941]
        let highs: [Double] = [
            1336, 1209, 1336, 1477, 1209, 1336, 1477, 1209, 1336, 1477, 1209, 1477, 1633, 1633, 1633, 1633,
        ]
        let low = 2 * Double.pi * lows[Int(code)] * (1 + frequencyError) / 48_000
        let high = 2 * Double.pi * highs[Int(code)] * (1 + frequencyError) / 48_000
        let scale = 32_768 * 2.0.squareRoot()
        return (0..<Int(milliseconds * 48)).map { index in
            scale * pow(10, lowLevel / 20) * sin(low * Double(index))
                + scale * pow(10, highLevel / 20) * sin(high * Double(index) + 1)
        }
    }
}

func silence(milliseconds: Double) -> [Double] {
    [Double](repeating: 0, count: Int(milliseconds * 48))
}

/// `lead` samples of silence, then each press with `pause` behind it, and 100 ms more.
func line(_ presses: [KeyPress], pause: Double = 40, lead: Int = 480) -> [Double] {
    [Double](repeating: 0, count: lead) + presses.flatMap { $0.samples + silence(milliseconds: pause) }
        + silence(milliseconds: 100)
}

extension [Double] {
    /// Rounded and clipped.
    var clipped: [Int16] { map { Int16(Swift.max(-32_768, Swift.min(32_767, $0.rounded()))) } }

    /// With white noise of the given root mean square.
    func withNoise(_ level: Double, seed: UInt64) -> [Double] {
        var generator = SplitMix64(seed: seed)
        return map { sample in
            // Three uniform numbers of this range make a Gaussian one of deviation 1, nearly.
            let sum = (0..<3).reduce(0.0) { sum, _ in sum + .random(in: -1..<1, using: &generator) }
            return sample + level * sum
        }
    }
}

/// The keys that `detector` reports, as their codes.
func heard(_ samples: [Int16], by detector: inout DTMFDetector) -> [UInt8] {
    var keys: [UInt8] = []
    for start in stride(from: 0, to: samples.count - 479, by: 480) {
        if let signal = detector.process(samples.span.extracting(start..<start + 480)) {
            keys.append(signal.rawValue)
        }
    }
    return keys
}

func heard(_ samples: [Int16]) -> [UInt8] {
    var detector = DTMFDetector()
    return heard(samples, by: &detector)
}
