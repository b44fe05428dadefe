import AllocationCounter
import AudioProcessing
import Testing

@Suite struct ResamplerTests {
    private static let conversions = [
        (48_000, 8_000), (8_000, 48_000), (44_100, 48_000), (48_000, 44_100), (16_000, 48_000),
        (48_000, 16_000), (11_025, 48_000), (96_000, 48_000), (48_000, 48_000),
    ]

    /// All of `input` in pieces of 10 ms.
    private func converted(_ input: [Int16], with resampler: inout Resampler) -> (
        output: [Int16], perFrame: [Int]
    ) {
        var output: [Int16] = []
        var perFrame: [Int] = []
        var room = [Int16](repeating: 0, count: 1_000)
        let frame = resampler.inputRate / 100
        for start in stride(from: 0, to: input.count - frame + 1, by: frame) {
            let piece = Array(input[start..<start + frame])
            var target = room.mutableSpan
            let progress = resampler.process(piece.span, into: &target)
            #expect(progress.consumed == frame)
            perFrame.append(progress.produced)
            output += room[..<progress.produced]
        }
        return (output, perFrame)
    }

    @Test(arguments: conversions)
    func aSineKeepsItsLevelAndFrequency(from inputRate: Int, to outputRate: Int) throws {
        var resampler = try Resampler(from: inputRate, to: outputRate)
        let input = sine(frequency: 1_000, amplitude: 10_000, rate: inputRate, count: inputRate)
        let output = converted(input, with: &resampler).output
        let settled = output[(outputRate / 10)..<(outputRate / 10 + outputRate / 2)]
        let tone = amplitude(of: 1_000, in: settled, rate: outputRate)
        #expect(abs(tone - 10_000) < 60)
        let rest = abs(rootMeanSquare(settled) - tone / 2.0.squareRoot())
        #expect(rest < 10, "energy beside the sine")
    }

    @Test func whatIsAboveTheNewBandIsRemovedNotFoldedDown() throws {
        var resampler = try Resampler(from: 48_000, to: 8_000)
        let input = sine(frequency: 6_000, amplitude: 10_000, rate: 48_000, count: 48_000)
        let output = converted(input, with: &resampler).output
        #expect(rootMeanSquare(output[1_000...]) < 20)
    }

    @Test(arguments: conversions.filter { $0.0 % 100 == 0 && $0.1 % 100 == 0 })
    func everyTenMillisecondsInGiveTenMillisecondsOut(from inputRate: Int, to outputRate: Int) throws {
        var resampler = try Resampler(from: inputRate, to: outputRate)
        let input = sine(frequency: 440, amplitude: 8_000, rate: inputRate, count: inputRate * 3)
        let perFrame = converted(input, with: &resampler).perFrame
        #expect(perFrame == [Int](repeating: outputRate / 100, count: 300))
    }

    @Test func anOddRatioStaysWithinOneSampleOfTheExactCount() throws {
        var resampler = try Resampler(from: 11_025, to: 48_000)
        let frames = 2_000
        let input = [Int16](repeating: 0, count: 110 * frames)
        let produced = converted(input, with: &resampler).perFrame.reduce(0, +)
        let exact = Double(110 * frames) * 48_000 / 11_025
        #expect(abs(Double(produced) - exact) <= 1)
    }

    @Test func latencyIsWhereAnImpulseComesOut() throws {
        var resampler = try Resampler(from: 8_000, to: 48_000)
        var input = [Int16](repeating: 0, count: 8_000)
        input[800] = 20_000
        let latency = resampler.latency
        let output = converted(input, with: &resampler).output
        let peak = try #require(output.indices.max { abs(Int(output[$0])) < abs(Int(output[$1])) })
        #expect(abs(peak - (4_800 + latency)) <= 1)
    }

    @Test func withoutItsLeadingZerosTheSoundKeepsItsTime() throws {
        var resampler = try Resampler(from: 8_000, to: 48_000)
        resampler.skipLeadingZeros()
        var input = [Int16](repeating: 0, count: 8_000)
        input[800] = 20_000
        let output = converted(input, with: &resampler).output
        let peak = try #require(output.indices.max { abs(Int(output[$0])) < abs(Int(output[$1])) })
        #expect(peak == 4_800)
    }

    @Test func aFullOutputLeavesTheRestOfTheInput() throws {
        var resampler = try Resampler(from: 48_000, to: 48_000)
        let input = [Int16](repeating: 100, count: 480)
        var room = [Int16](repeating: 0, count: 100)
        var target = room.mutableSpan
        #expect(resampler.process(input.span, into: &target) == .init(consumed: 100, produced: 100))
    }

    @Test func nothingInGivesNothingOut() throws {
        var resampler = try Resampler(from: 48_000, to: 8_000)
        let input: [Int16] = []
        var room = [Int16](repeating: 0, count: 100)
        var target = room.mutableSpan
        #expect(resampler.process(input.span, into: &target) == .init(consumed: 0, produced: 0))
    }

    @Test(arguments: [0, -1, 999, 768_001, .max, .min])
    func anImpossibleRateIsRefused(rate: Int) {
        #expect(throws: ResamplerError.unsupportedRate(rate)) { _ = try Resampler(from: rate, to: 48_000) }
        #expect(throws: ResamplerError.unsupportedRate(rate)) { _ = try Resampler(from: 48_000, to: rate) }
    }

    @Test(arguments: [-1, 11])
    func anImpossibleQualityIsRefused(quality: Int) {
        #expect(throws: ResamplerError.unsupportedQuality(quality)) {
            _ = try Resampler(from: 8_000, to: 48_000, quality: quality)
        }
    }

    @Test(.enabled(if: allocation_counting_is_available()), arguments: conversions)
    func processingAllocatesNothing(from inputRate: Int, to outputRate: Int) throws {
        var resampler = try Resampler(from: inputRate, to: outputRate)
        let input = [Int16](repeating: 1_000, count: inputRate / 100)
        var room = [Int16](repeating: 0, count: 1_000)
        let allocationsBefore = allocation_count()
        let locksBefore = lock_count()
        for _ in 0..<100 {
            var target = room.mutableSpan
            _ = resampler.process(input.span, into: &target)
        }
        let allocations = allocation_count() - allocationsBefore
        let locks = lock_count() - locksBefore
        #expect(allocations == 0)
        #expect(locks == 0)
    }
}
