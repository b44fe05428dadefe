internal import MediaTime

/// How late packets come, against the fastest of the last seconds.
///
/// The *floor* is the smallest transit of the last 5 to 10 s; a packet's *excess* is its transit above the floor. The
/// target is the excess that ``coverage`` of the recent packets stay under, with weights that halve in about 7 s.
struct DelayEstimator: ~Copyable {
    /// Share of packets that the target lets come in time.
    static var coverage: Float { 0.97 }
    private static var binMilliseconds: Int64 { 5 }
    private static var binCount: Int { 200 }
    private static var forgetting: Float { 0.998 }

    private let ticksPerBin: Int64
    private let windowTicks: Int64
    private var histogram: FixedBuffer<Float>
    private var weight: Float = 0
    private var packets = 0

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
        // Early packets weigh alike; later ones fade.
        packets += 1
        let keep = min(Self.forgetting, 1 - 1 / Float(packets))
        for index in 0..<Self.binCount { histogram[index] *= keep }
        histogram[bin] += 1 - keep
        weight = weight * keep + (1 - keep)
    }

    /// The excess that ``coverage`` of recent packets stay under, in ticks.
    var coveredExcess: Int64 {
        let wanted = weight * Self.coverage
        var sum: Float = 0
        for index in 0..<Self.binCount {
            sum += histogram[index]
            if sum >= wanted { return Int64(index + 1) * ticksPerBin }
        }
        return Int64(Self.binCount) * ticksPerBin
    }

    /// Forgets the floor, as after a jump of the sender's timestamps; the spread of excesses is kept.
    mutating func forgetFloor() {
        currentMinimum = nil
        previousMinimum = nil
    }
}
