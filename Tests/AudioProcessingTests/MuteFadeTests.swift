import AllocationCounter
import AudioProcessing
import Testing

@Suite struct MuteFadeTests {
    /// Applies `fade` to a constant, 10 ms at a time, and returns what comes out.
    private func output(of fade: inout MuteFade, samples: Int, level: Int16 = 20_000) -> [Int16] {
        var result: [Int16] = []
        var remaining = samples
        while remaining > 0 {
            var frame = [Int16](repeating: level, count: min(480, remaining))
            var span = frame.mutableSpan
            fade.apply(to: &span)
            result += frame
            remaining -= frame.count
        }
        return result
    }

    private func largestStep(_ samples: [Int16]) -> Int {
        zip(samples, samples.dropFirst()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    @Test func anUnmutedSignalPassesUnchanged() {
        var fade = MuteFade()
        #expect(output(of: &fade, samples: 960) == [Int16](repeating: 20_000, count: 960))
    }

    @Test func mutingEndsInExactZerosAfterFiveMilliseconds() {
        var fade = MuteFade()
        fade.setMuted(true)
        let samples = output(of: &fade, samples: 960)
        #expect(samples[100] > 0)
        #expect(samples[239...].allSatisfy { $0 == 0 })
        #expect(fade.isSilent)
    }

    @Test func unmutingReachesTheUnchangedSignalAfterFiveMilliseconds() {
        var fade = MuteFade(isMuted: true)
        #expect(output(of: &fade, samples: 480).allSatisfy { $0 == 0 })
        fade.setMuted(false)
        let samples = output(of: &fade, samples: 960)
        #expect(samples[0] < 100)
        #expect(samples[239...].allSatisfy { $0 == 20_000 })
        #expect(!fade.isSilent)
    }

    @Test func theGainNeverFallsWhileUnmutingNorRisesWhileMuting() {
        var fade = MuteFade()
        fade.setMuted(true)
        let down = output(of: &fade, samples: 240)
        #expect(down == down.sorted(by: >))
        fade.setMuted(false)
        let up = output(of: &fade, samples: 240)
        #expect(up == up.sorted())
    }

    @Test(arguments: [1, 7, 60, 119, 120, 121, 200, 239, 240, 500])
    func aSwitchThrownBackInMidFadeMakesNoStep(after samples: Int) {
        var fade = MuteFade()
        var whole = output(of: &fade, samples: 100)
        fade.setMuted(true)
        whole += output(of: &fade, samples: samples)
        fade.setMuted(false)
        whole += output(of: &fade, samples: 960)
        // The steepest step of the curve is 1.5 / 240 of the level.
        #expect(largestStep(whole) <= 20_000 * 3 / 2 / 240 + 1)
        #expect(whole.last == 20_000)
    }

    @Test func negativeFullScaleFadesWithoutOverflow() {
        var fade = MuteFade()
        fade.setMuted(true)
        let samples = output(of: &fade, samples: 480, level: .min)
        #expect(samples.allSatisfy { $0 <= 0 })
    }

    @Test func anEmptyFrameChangesNothing() {
        var fade = MuteFade()
        fade.setMuted(true)
        var empty: [Int16] = []
        var span = empty.mutableSpan
        fade.apply(to: &span)
        #expect(!fade.isSilent)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func fadingAllocatesNothing() {
        var fade = MuteFade()
        var frame = [Int16](repeating: 20_000, count: 480)
        let before = allocation_count()
        for round in 0..<100 {
            fade.setMuted(round % 3 == 0)
            var span = frame.mutableSpan
            fade.apply(to: &span)
        }
        #expect(allocation_count() - before == 0)
    }
}
