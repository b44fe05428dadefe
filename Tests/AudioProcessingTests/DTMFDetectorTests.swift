import AllocationCounter
import AudioCodecs
import AudioFiles
import AudioProcessing
import Foundation
import MediaTime
import Testing

@Suite("Detecting DTMF, ITU-T Q.23 and Q.24")
struct DTMFDetectorTests {
    @Test(arguments: 0..<16 as Range<UInt8>)
    func fortyMillisecondsOfToneAndOfPauseAreAPressEach(code: UInt8) {
        for lead in stride(from: 480, to: 960, by: 90) {
            #expect(
                heard(line([KeyPress(code: code), KeyPress(code: code)], lead: lead).clipped) == [code, code])
        }
    }

    @Test(arguments: [-3.0, -6, -12, -20, -30])
    func everyLevelOfALineIsHeard(level: Double) {
        // Two equal tones have 3 dB less each. At -3 dBov they clip.
        let presses = (0..<16 as Range<UInt8>).map {
            KeyPress(code: $0, lowLevel: level - 3.01, highLevel: level - 3.01)
        }
        #expect(heard(line(presses).clipped) == presses.map(\.code))
    }

    @Test func lessThanTheLeastLevelIsNotHeard() {
        let press = KeyPress(code: 5, milliseconds: 100, lowLevel: -48, highLevel: -48)
        #expect(heard(line([press]).clipped).isEmpty)
    }

    @Test(arguments: [-0.015, -0.01, 0.01, 0.015])
    func tonesOffByOneAndAHalfPercentAreHeard(error: Double) {
        let presses = (0..<16 as Range<UInt8>).map { KeyPress(code: $0, frequencyError: error) }
        #expect(heard(line(presses).clipped) == presses.map(\.code))
    }

    @Test(arguments: [-0.035, 0.035])
    func tonesOffByThreeAndAHalfPercentAreNot(error: Double) {
        let presses = (0..<16 as Range<UInt8>).map {
            KeyPress(code: $0, milliseconds: 100, frequencyError: error)
        }
        #expect(heard(line(presses).clipped).isEmpty)
    }

    @Test(arguments: [(4.0, true), (-8, true), (8, false), (-12, false)])
    func twistIsTakenWithinItsLimits(highAboveLow: Double, isHeard: Bool) {
        let presses = (0..<16 as Range<UInt8>).map {
            KeyPress(code: $0, lowLevel: -20, highLevel: -20 + highAboveLow)
        }
        #expect(heard(line(presses).clipped) == (isHeard ? presses.map(\.code) : []))
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func noiseFifteenDecibelsDownHidesNothing(seed: UInt64) {
        let presses = (0..<16 as Range<UInt8>).map {
            KeyPress(code: $0, frequencyError: seed % 2 == 0 ? 0.015 : -0.015)
        }
        let signal = 32_768 * pow(10, (-20 + 3.01) / 20)
        let noisy = line(presses, lead: 480 + Int(seed) * 60).withNoise(
            signal * pow(10, -15 / 20), seed: seed)
        #expect(heard(noisy.clipped) == presses.map(\.code))
    }

    @Test(arguments: [G711Law.mu, .a], [-3.0, -15, -30])
    func tonesAreHeardThroughG711(law: G711Law, level: Double) throws {
        let presses = (0..<16 as Range<UInt8>).map {
            KeyPress(code: $0, lowLevel: level - 3.01, highLevel: level - 3.01, frequencyError: 0.01)
        }
        #expect(heard(try throughG711(line(presses).clipped, law: law)) == presses.map(\.code))
    }

    @Test(arguments: [2.0, 5, 10])
    func anInterruptionOfTenMillisecondsIsOnePress(gap: Double) {
        let press = KeyPress(code: 7, milliseconds: 60)
        for lead in stride(from: 480, to: 960, by: 60) {
            #expect(heard(line([press, press], pause: gap, lead: lead).clipped) == [7])
        }
    }

    @Test(arguments: [10.0, 20])
    func aToneTooShortIsNoPress(milliseconds: Double) {
        for lead in stride(from: 480, to: 960, by: 60) {
            let press = KeyPress(code: 3, milliseconds: milliseconds)
            #expect(heard(line([press, press], lead: lead).clipped).isEmpty)
        }
    }

    @Test func aLongPressIsReportedOnceThoughItsLevelSteps() {
        let loud = KeyPress(code: 9, milliseconds: 500, lowLevel: -10, highLevel: -10)
        let soft = KeyPress(code: 9, milliseconds: 500, lowLevel: -24, highLevel: -24)
        #expect(heard(line([loud, soft, loud], pause: 0).clipped) == [9])
    }

    @Test func anotherKeyWithoutPauseIsAnotherPress() {
        let presses = [1, 2, 1].map { KeyPress(code: $0, milliseconds: 60) }
        #expect(heard(line(presses, pause: 0).clipped) == [1, 2, 1])
    }

    @Test(arguments: ["sounds/sentence.flac", "platform/greeting.flac"], [-12.0, 6])
    func recordedSpeechIsNoKey(name: String, gain: Double) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let speech = try readAudio(at: root.appendingPathComponent("samples/" + name).path)
        let louder = speech.map { Double($0) * pow(10, gain / 20) }.clipped
        #expect(heard(louder).isEmpty)
        #expect(heard(try throughG711(louder, law: .mu)).isEmpty)
    }

    @Test(arguments: 0..<2 as Range<UInt64>)
    func noiseIsNoKey(seed: UInt64) {
        let noise = [Double](repeating: 0, count: 240_000).withNoise(4_000, seed: seed)
        #expect(heard(noise.clipped).isEmpty)
    }

    /// A tone with three overtones.
    private func note(_ frequency: Double, at time: Double) -> Double {
        var sum = 0.0
        for overtone in 1...4 {
            let phase: Double = 2 * Double.pi * frequency * Double(overtone) * time
            sum += sin(phase) / Double(overtone)
        }
        return sum
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func chordsWithOvertonesAreNoKey(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var music: [Double] = []
        while music.count < 240_000 {
            let notes = (0..<3).map { _ in
                110 * pow(2, Double(Int.random(in: 0..<40, using: &generator)) / 12)
            }
            let length = Int.random(in: 4_800..<19_200, using: &generator)
            for index in 0..<length {
                let time = Double(index) / 48_000
                let chord: Double = notes.map { note($0, at: time) }.reduce(0, +)
                music.append(4_000 * exp(-3 * time) * chord)
            }
        }
        #expect(heard(music.clipped).isEmpty)
    }

    @Test(arguments: [350.0, 425, 440, 697, 941, 1_000, 1_209, 1_336, 1_400, 2_100])
    func oneToneIsNoKey(frequency: Double) {
        #expect(heard(sine(frequency: frequency, amplitude: 10_000, rate: 48_000, count: 24_000)).isEmpty)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func detectingAllocatesAndLocksNothing() {
        let samples = line([KeyPress(code: 5), KeyPress(code: 5)]).clipped
        func reports(of detector: inout DTMFDetector) -> Int {
            var reported = 0
            var start = 0
            while start + 480 <= samples.count {
                if case .some = detector.process(samples.span.extracting(start..<start + 480)) {
                    reported += 1
                }
                start += 480
            }
            return reported
        }
        var detector = DTMFDetector()
        // The first use of its types locks, once.
        _ = reports(of: &detector)
        let before = (allocation_count(), lock_count())
        let reported = reports(of: &detector)
        let after = (allocation_count(), lock_count())
        #expect(after.0 - before.0 == 0)
        #expect(after.1 - before.1 == 0)
        #expect(reported == 2)
    }

    private func throughG711(_ samples: [Int16], law: G711Law) throws -> [Int16] {
        let coded = try resampled(samples, from: 48_000, to: 8_000).map { law.decode(law.encode($0)) }
        return try resampled(coded, from: 8_000, to: 48_000)
    }

    private func resampled(_ samples: [Int16], from: Int, to: Int) throws -> [Int16] {
        var resampler = try Resampler(from: from, to: to)
        var output = [Int16](repeating: 0, count: samples.count * to / from)
        var span = output.mutableSpan
        _ = resampler.process(samples.span, into: &span)
        return output
    }
}
