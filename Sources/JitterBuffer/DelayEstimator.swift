internal import MediaTime

/// How late packets come, against the fastest of the last seconds.
///
/// The *floor* is the smallest transit of the last 5 to 10 s; a packet's *excess* is its transit above the floor. The
/// target is the excess that ``coverage`` of the recent packets stay under, with weights that halve in about 7 s.
struct DelayEstimator: ~Copyable {
    /// Share of packets that the target lets come in time.
    static var coverage: Double { 0.97 }
    private static var binMilliseconds: Int64 { 5 }
    private static var binCount: Int { 200 }
    private static var forgetting: Double { 0.998 }
    private static var alikePackets: Int { 500 }

    private var ticksPerBin: Int64
    private var windowTicks: Int64
    private var histogram: FixedBuffer<Double>
    /// Of all bins together, and of the next packet: it grows, so that the older ones fade without being touched.
    private var totalWeight = 0.0
    private var nextWeight = 1.0
    private var packets = 0
    /// The excess that ``coverage`` of recent packets stay under, in ticks.
    private(set) var coveredExcess: Int64 = 0

    private var windowStart: Int64 = 0
    private var currentMinimum: Int64?
    private var previousMinimum: Int64?

    init(clockRate: Int) {
        ticksPerBin = max(1, Int64(clockRate) * Self.binMilliseconds / 1_000)
        windowTicks = Int64(clockRate) * 5
        histogram = FixedBuffer(repeating: 0, count: Self.binCount)
    }

    /// The smallest recent transit, in ticks; `nil` before the first packet.
    var floor: Int64? {
        guard let currentMinimum else { return previousMinimum }
        return min(currentMinimum, previousMinimum ?? currentMinimum)
    }

    /// Takes note of a packet.
    ///
    /// - Parameters:
    ///   - transit: Arrival minus timestamp, in ticks; only differences mean anything.
    ///   - arrival: In ticks.
    mutating func record(transit: Int64, arrival: Int64) {
        if currentMinimum == nil || arrival - windowStart >= windowTicks {
            previousMinimum = currentMinimum
            currentMinimum = transit
            windowStart = arrival
        }
        currentMinimum = min(currentMinimum ?? transit, transit)

        let excess = transit - (floor ?? transit)
        let bin = Int(min(Int64(Self.binCount - 1), excess / ticksPerBin))
        histogram[bin] += nextWeight
        totalWeight += nextWeight
        // The first packets weigh alike.
        packets += 1
        if packets > Self.alikePackets { nextWeight /= Self.forgetting }
        if nextWeight > 1e9 { rescale() }
        coveredExcess = findCoveredExcess()
    }

    private mutating func rescale() {
        for index in 0..<Self.binCount { histogram[index] /= nextWeight }
        totalWeight /= nextWeight
        nextWeight = 1
    }

    private func findCoveredExcess() -> Int64 {
        let wanted = totalWeight * Self.coverage
        var sum = 0.0
        for index in 0..<Self.binCount {
            sum += histogram[index]
            if sum >= wanted { return Int64(index + 1) * ticksPerBin }
        }
        return Int64(Self.binCount) * ticksPerBin
    }

    /// Goes on with the same spread, in ticks of another clock; the floor is forgotten.
    mutating func changeClockRate(to rate: Int) {
        ticksPerBin = max(1, Int64(rate) * Self.binMilliseconds / 1_000)
        windowTicks = Int64(rate) * 5
        coveredExcess = packets > 0 ? findCoveredExcess() : 0
        forgetFloor()
    }

    /// Forgets the floor, as after a jump of the sender's timestamps; the spread of excesses is kept.
    mutating func forgetFloor() {
        currentMinimum = nil
        previousMinimum = nil
    }
}
