import AllocationCounter
import AudioProcessing
import Foundation
import Testing

@Suite("Generating DTMF, ITU-T Q.23")
struct DTMFGeneratorTests {
    private func generated(
        _ code: UInt8, tone: Int = 7_680, pause: Int = 4_800, frame: Int = 480
    ) throws -> [Int16] {
        var generator = DTMFGenerator()
        generator.begin(try #require(DTMFSignal(rawValue: code)), toneSamples: tone, pauseSamples: pause)
        var result: [Int16] = []
        while !generator.isIdle {
            var samples = [Int16](repeating: 1, count: frame)
            var span = samples.mutableSpan
            generator.generate(into: &span)
            result += samples
        }
        return result
    }

    @Test(
        arguments: [
            (1, 697, 1209), (2, 697, 1336), (3, 697, 1477), (12, 697, 1633),
            (4, 770, 1209), (5, 770, 1336), (6, 770, 1477), (13, 770, 1633),
            (7, 852, 1209), (8, 852, 1336), (9, 852, 1477), (14, 852, 1633),
            (10, 941, 1209), (0, 941, 1336), (11, 941, 1477), (15, 941, 1633),
        ] as [(UInt8, Double, Double)])
    func eachKeyHasItsTwoTonesAndNoMore(code: UInt8, low: Double, high: Double) throws {
        // A whole second, of which every frequency has a whole number of periods.
        let samples = try generated(code, tone: 49_920, pause: 0)[480..<48_480]
        let lowAmplitude = amplitude(of: low, in: samples, rate: 48_000)
        let highAmplitude = amplitude(of: high, in: samples, rate: 48_000)
        // -13 and -11 dBov.
        #expect(abs(lowAmplitude - 10_374.4) < 1)
        #expect(abs(highAmplitude - 13_060.7) < 1)
        let rest = pow(rootMeanSquare(samples), 2) - (pow(lowAmplitude, 2) + pow(highAmplitude, 2)) / 2
        #expect(rest < 1)
    }

    @Test(arguments: [480, 160, 7])
    func toneAndPauseHaveTheirLengthInFramesOfAnySize(frame: Int) throws {
        let samples = try generated(5, tone: 4_800, pause: 2_000, frame: frame)
        #expect((6_800..<6_800 + frame).contains(samples.count))
        #expect(samples[4_800...].allSatisfy { $0 == 0 })
        #expect(samples[4_500..<4_800].contains { $0 != 0 })
        #expect(samples.prefix(6_800) == (try generated(5, tone: 4_800, pause: 2_000)).prefix(6_800))
    }

    @Test func edgesDoNotClick() throws {
        let samples = try generated(15, tone: 4_800)
        let steps = zip(samples, samples.dropFirst()).map { abs(Int($0) - Int($1)) }
        #expect(samples[0] == 0)
        // In the first and last half millisecond the gain is below 3 %.
        #expect(steps[0..<24].allSatisfy { $0 < 150 })
        #expect(steps[4_776...4_799].allSatisfy { $0 < 150 })
    }

    @Test func aLongToneKeepsItsLevel() throws {
        let samples = try generated(5, tone: 288_000, pause: 0)
        let start = rootMeanSquare(samples[4_800..<52_800])
        let end = rootMeanSquare(samples[235_200..<283_200])
        #expect(abs(start - end) < 0.01)
    }

    @Test func everyKeyIsHeardByTheDetector() throws {
        var detector = DTMFDetector()
        for code in 0..<16 as Range<UInt8> {
            #expect(heard(try generated(code), by: &detector) == [code])
        }
    }

    @Test func thereIsNoSixteenthKey() {
        #expect(DTMFSignal(rawValue: 16) == nil)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func generatingAllocatesAndLocksNothing() throws {
        let signal = try #require(DTMFSignal(rawValue: 5))
        var generator = DTMFGenerator()
        var samples = [Int16](repeating: 0, count: 480)
        func generate() {
            for _ in 0..<100 {
                if generator.isIdle { generator.begin(signal, toneSamples: 7_680, pauseSamples: 4_800) }
                var span = samples.mutableSpan
                generator.generate(into: &span)
            }
        }
        // The first use of its types locks, once.
        generate()
        let before = (allocation_count(), lock_count())
        generate()
        let after = (allocation_count(), lock_count())
        #expect(after.0 - before.0 == 0)
        #expect(after.1 - before.1 == 0)
    }
}
