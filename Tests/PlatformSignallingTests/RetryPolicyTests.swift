import PlatformSignalling
import Testing

struct RetryPolicyTests {
    private func wait(_ failure: PlatformError, tries: Int, seed: UInt64 = 1) -> Duration? {
        var generator = SeededGenerator(state: seed)
        return RetryPolicy().delay(after: failure, triesMade: tries, using: &generator)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func waitsUpToADoublingBound(seed: UInt64) throws {
        for tries in 1...4 {
            let delay = try #require(wait(.transport(.connectionLost), tries: tries, seed: seed))
            #expect(delay >= .zero && delay <= .seconds(1 << (tries - 1)))
        }
    }

    @Test func spreadsOverTheWholeBound() {
        let delays = (0..<200 as Range<UInt64>).compactMap {
            wait(.transport(.connectionLost), tries: 4, seed: $0)
        }
        #expect(delays.contains { $0 < .seconds(2) })
        #expect(delays.contains { $0 > .seconds(6) })
    }

    @Test func givesUpAfterFiveTries() {
        #expect(wait(.transport(.connectionLost), tries: 4) != nil)
        #expect(wait(.transport(.connectionLost), tries: 5) == nil)
    }

    @Test(arguments: [429, 502, 503, 504])
    func repeatsWhatMayPass(status: Int) {
        #expect(wait(.problem(Problem(status: status)), tries: 1) != nil)
    }

    @Test(arguments: [400, 401, 403, 404, 409, 410, 422, 500, 501])
    func doesNotRepeatARefusal(status: Int) {
        #expect(wait(.problem(Problem(status: status)), tries: 1) == nil)
    }

    @Test func repeatsWhileTheFirstOneStillRuns() {
        let failure = PlatformError.problem(
            Problem(status: 409, code: "in_progress", retryAfter: .seconds(3)))
        #expect(wait(failure, tries: 1) == .seconds(3))
    }

    @Test func doesWhatRetryAfterAsksButNotForever() {
        #expect(wait(.problem(Problem(status: 503, retryAfter: .seconds(7))), tries: 1) == .seconds(7))
        #expect(wait(.problem(Problem(status: 503, retryAfter: .seconds(3600))), tries: 1) == nil)
    }

    @Test(arguments: [
        HTTPTransportError.unresolvable, .unreachable, .untrusted(""), .timedOut, .notHTTP, .responseTooLarge,
        .cancelled,
    ])
    func doesNotRepeatWhatWillNotPass(error: HTTPTransportError) {
        #expect(wait(.transport(error), tries: 1) == nil)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func reconnectsLaterAndLaterUpToThirtySeconds(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var delay = ReconnectionDelay()
        for step in 0..<40 {
            let bound = min(Duration.seconds(30), .seconds(1 << min(step, 10)))
            let next = delay.next(using: &generator)
            #expect(next >= bound / 2 && next <= bound, "step \(step)")
        }
        delay.succeeded()
        #expect(delay.next(using: &generator) <= .seconds(1))
    }
}
