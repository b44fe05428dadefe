import AllocationCounter
import AudioProcessing
import Foundation
import Testing

@Suite struct MixingTests {
    @Test func sumsAreExactBelowFullScale() {
        let source: [Int16] = [1, -2, 300, 0]
        var target: [Int16] = [10, 20, -30, -32_768]
        var span = target.mutableSpan
        mix(source.span, into: &span)
        #expect(target == [11, 18, 270, -32_768])
    }

    @Test func whatIsTooLoudStaysAtFullScale() {
        let source: [Int16] = [32_767, -32_768, 32_767, -32_768]
        var target: [Int16] = [1, -1, 32_767, -32_768]
        var span = target.mutableSpan
        mix(source.span, into: &span)
        #expect(target == [32_767, -32_768, 32_767, -32_768])
    }

    @Test func aShorterSourceLeavesTheRestAlone() {
        let source: [Int16] = [5]
        var target: [Int16] = [1, 2]
        var span = target.mutableSpan
        mix(source.span, into: &span)
        #expect(target == [6, 2])
    }

    @Test func aLongerSourceIsCutOff() {
        let source: [Int16] = [5, 6, 7]
        var target: [Int16] = [1]
        var span = target.mutableSpan
        mix(source.span, into: &span)
        #expect(target == [6])
    }
}

@Suite struct DecibelsTests {
    @Test(arguments: [1e-12, 1e-6, 0.1, 0.5, 0.707, 0.999_999, 1, 1.000_001, 1.999, 2, 3, 10, 1e9, 1e300])
    func agreesWithTheMathematicalLibrary(ratio: Double) {
        #expect(abs(decibels(ratio) - 10 * log10(ratio)) < 1e-6)
    }

    @Test(arguments: [0, -1, Double.nan, .infinity])
    func whatHasNoLogarithmIsNegativeInfinity(ratio: Double) {
        #expect(decibels(ratio) == -.infinity)
    }
}

@Suite struct LevelMeterTests {
    private func meter(of samples: [Int16]) -> LevelMeter {
        var meter = LevelMeter()
        for start in stride(from: 0, to: samples.count, by: 480) {
            let frame = Array(samples[start..<min(start + 480, samples.count)])
            meter.add(frame.span)
        }
        return meter
    }

    @Test func aFullScaleSquareIsZero() throws {
        let square = (0..<48_000).map { Int16($0 / 24 % 2 == 0 ? 32_767 : -32_768) }
        let meter = meter(of: square)
        #expect(abs(try #require(meter.level)) < 0.001)
        #expect(try #require(meter.peakLevel) == 0)
    }

    @Test(arguments: [(32_767.0, -3.01), (3_276.7, -23.01), (327.67, -43.01)])
    func aSineIsThreeDecibelsBelowItsPeak(amplitude: Double, expected: Double) throws {
        let meter = meter(of: sine(frequency: 1_000, amplitude: amplitude, rate: 48_000, count: 48_000))
        let level = try #require(meter.level)
        let peak = try #require(meter.peakLevel)
        #expect(abs(level - expected) < 0.02)
        #expect(abs(peak - level - 3.01) < 0.03)
    }

    @Test func pausesDoNotLowerTheLevel() throws {
        let tone = sine(frequency: 1_000, amplitude: 5_000, rate: 48_000, count: 24_000)
        let alone = try #require(meter(of: tone).level)
        let withPauses = meter(of: tone + [Int16](repeating: 3, count: 72_000))
        #expect(try #require(withPauses.level) == alone)
        #expect(withPauses.activeShare == 0.25)
    }

    @Test func silenceHasNoLevel() {
        let meter = meter(of: [Int16](repeating: 0, count: 4_800))
        #expect(meter.level == nil)
        #expect(meter.peakLevel == nil)
        #expect(meter.activeShare == 0)
        #expect(LevelMeter().activeShare == nil)
    }

    @Test(arguments: [(31, false), (34, true)])
    func theGateStandsAtMinusSixty(amplitude: Int, isHeard: Bool) {
        let square = (0..<4_800).map { Int16($0 / 24 % 2 == 0 ? amplitude : -amplitude) }
        #expect((meter(of: square).level != nil) == isHeard)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func meteringAndMixingAllocateNothing() {
        var meter = LevelMeter()
        var frame = [Int16](repeating: 1_000, count: 480)
        let other = [Int16](repeating: 500, count: 480)
        let before = allocation_count()
        for _ in 0..<100 {
            meter.add(frame.span)
            var span = frame.mutableSpan
            mix(other.span, into: &span)
        }
        #expect(allocation_count() - before == 0)
        #expect(frame[0] == 32_767)
    }
}
