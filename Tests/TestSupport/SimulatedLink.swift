package import MediaTime

/// One direction of a network, in virtual time: delay, jitter and loss, the same for the same seed.
package struct SimulatedLink: Sendable {
    private var random: SplitMix64
    private let delay: Duration
    private let jitter: Duration
    private let lossPercentage: Int
    private var inFlight: [(arrival: MonotonicInstant, datagram: [UInt8])] = []

    /// - Parameters:
    ///   - seed: What decides which datagrams are lost and late.
    ///   - delay: Of every datagram.
    ///   - jitter: Up to this much is added, evenly spread; datagrams may overtake each other.
    ///   - lossPercentage: `0...100`, each datagram for itself.
    package init(seed: UInt64, delay: Duration, jitter: Duration = .zero, lossPercentage: Int = 0) {
        random = SplitMix64(seed: seed)
        self.delay = delay
        self.jitter = jitter
        self.lossPercentage = lossPercentage
    }

    package mutating func send(_ datagram: [UInt8], at now: MonotonicInstant) {
        let isLost = Int.random(in: 0..<100, using: &random) < lossPercentage
        let late = Int64.random(in: 0...max(0, jitter.wholeNanoseconds), using: &random)
        guard !isLost else { return }
        inFlight.append((now.advanced(by: delay + .nanoseconds(late)), datagram))
    }

    /// The next datagram to have arrived by `now`, in order of arrival, with its time.
    package mutating func receive(at now: MonotonicInstant) -> (arrival: MonotonicInstant, datagram: [UInt8])?
    {
        guard let next = inFlight.indices.min(by: { inFlight[$0].arrival < inFlight[$1].arrival }),
            inFlight[next].arrival <= now
        else { return nil }
        return inFlight.remove(at: next)
    }

    /// When ``receive(at:)`` will next have something.
    package var deadline: MonotonicInstant? { inFlight.map(\.arrival).min() }
}
