/// When a failed request is sent again: full jitter over 1 s · 2ⁿ, at most 30 s, 5 tries; `Retry-After` wins.
///
/// Pure: the random numbers are an argument, and the waiting is the caller's.
package struct RetryPolicy: Hashable, Sendable {
    /// How often a request is sent in all.
    package var tries = 5
    /// The upper bound of the first wait.
    package var firstDelay: Duration = .seconds(1)
    /// No computed wait is longer.
    package var longestDelay: Duration = .seconds(30)
    /// A `Retry-After` over this isn't waited for: the failure is reported, and the program decides.
    package var longestRetryAfter: Duration = .seconds(60)

    package init() {}

    /// How long to wait before sending again, or `nil` to report the failure.
    ///
    /// `triesMade` counts the tries so far, the one that ended with `failure` included: `1...`.
    package func delay(
        after failure: PlatformError, triesMade: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard triesMade < tries, Self.isWorthRepeating(failure) else { return nil }
        if case .problem(let problem) = failure, let retryAfter = problem.retryAfter {
            return retryAfter <= longestRetryAfter ? retryAfter : nil
        }
        return jitteredDelay(step: triesMade - 1, base: firstDelay, using: &generator)
    }

    /// A random part, from none to all, of `base` doubled `step` times.
    package func jitteredDelay(
        step: Int, base: Duration, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let bound = min(longestDelay, base * (1 << min(max(step, 0), 16)))
        return .milliseconds(Int.random(in: 0...max(0, bound.wholeMilliseconds), using: &generator))
    }

    private static func isWorthRepeating(_ failure: PlatformError) -> Bool {
        switch failure {
        case .transport(let error): error == .connectionLost
        case .problem(let problem):
            [429, 502, 503, 504].contains(problem.status) || problem.code == "in_progress"
        case .unreadable, .authentication: false
        }
    }
}

/// How long to wait before the event stream is opened again: what the server asked for, doubled with each failure.
///
/// Half of it at least, so that a server that closes at once isn't hammered; the other half is random.
package struct ReconnectionDelay: Hashable, Sendable {
    /// What the server asked for with `retry:`.
    package var reconnectionTime: Duration = .seconds(1)
    /// Connections in a row that brought nothing.
    package private(set) var failures = 0

    package init() {}

    /// The stream is open: the next wait is a short one again.
    package mutating func succeeded() { failures = 0 }

    /// The wait before the next try, at most 30 s.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let policy = RetryPolicy()
        let bound = min(policy.longestDelay, reconnectionTime * (1 << min(failures, 16)))
        failures += 1
        return bound / 2 + policy.jitteredDelay(step: 0, base: bound / 2, using: &generator)
    }
}
