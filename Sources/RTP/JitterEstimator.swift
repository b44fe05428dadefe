import MediaTime

/// Interarrival jitter after RFC 3550 §6.4.1 and §A.8, kept in time rather than in units of a clock that may change.
///
/// Three differences from the RFC, each because its formula would call something jitter that isn't:
/// - Packets of one timestamp, as in an RFC 4733 event or its repeated end, count once, by the first to come.
/// - A difference above ``discontinuity`` is the sender's clock jumping, as after hold or transfer, and not counted.
/// - On a marker a tenth of that is enough: some senders' clocks stand still in a pause.
struct JitterEstimator: BitwiseCopyable, Sendable {
    /// 1 s: no packet that late is of use to a call.
    private static var discontinuity: UInt64 {
        @_noLocks @_noAllocation
        get { 1_000_000_000 }
    }

    private struct Arrival: BitwiseCopyable {
        let timestamp: UInt32
        let nanoseconds: Int64
    }

    private var clockRate: Int64
    private var last: Arrival?
    /// In 1/16 ns, so that the division by 16 rounds (§A.8).
    private var scaled: Int64 = 0
    private var hasMeasured = false
    /// The differences since ``takeSummary()``, ns.
    private var differences: Int64 = 0
    private var smallest: UInt64 = 0
    private var largest: UInt64 = 0
    private var sum: Double = 0
    private var squares: Double = 0

    @_noLocks @_noAllocation
    init(clockRate: Int) {
        precondition(clockRate > 0, "an RTP clock runs")
        self.clockRate = Int64(clockRate)
    }

    /// Keeps the jitter, and compares the next packet with none.
    @_noLocks @_noAllocation
    mutating func restart() {
        last = nil
    }

    @_noLocks @_noAllocation
    mutating func changeClockRate(to clockRate: Int) {
        precondition(clockRate > 0, "an RTP clock runs")
        self.clockRate = Int64(clockRate)
        last = nil
    }

    @_noLocks @_noAllocation
    mutating func receive(timestamp: UInt32, arrival: MonotonicInstant, marker: Bool) {
        let packet = Arrival(timestamp: timestamp, nanoseconds: arrival.nanoseconds)
        guard let previous = last else {
            last = packet
            return
        }
        guard timestamp != previous.timestamp else { return }
        last = packet

        let sentApart = Int64(Int32(bitPattern: timestamp &- previous.timestamp)) * 1_000_000_000 / clockRate
        let cameApart = packet.nanoseconds &- previous.nanoseconds
        let difference = (cameApart &- sentApart).magnitude
        guard difference <= (marker ? Self.discontinuity / 10 : Self.discontinuity) else { return }
        scaled += Int64(difference) - (scaled + 8) >> 4
        hasMeasured = true
        summarize(difference)
    }

    @_noLocks @_noAllocation
    private mutating func summarize(_ difference: UInt64) {
        smallest = differences == 0 ? difference : min(smallest, difference)
        largest = differences == 0 ? difference : max(largest, difference)
        differences += 1
        sum += Double(difference)
        squares += Double(difference) * Double(difference)
    }

    /// The differences of transit between neighbours (RFC 3611 §4.6) since the last call, `nil` with none.
    mutating func takeSummary() -> StatisticsSummary.Jitter? {
        guard differences > 0 else { return nil }
        let mean = sum / Double(differences)
        let variance = max(squares / Double(differences) - mean * mean, 0)
        let jitter = StatisticsSummary.Jitter(
            minimum: units(Double(smallest)), maximum: units(Double(largest)), mean: units(mean),
            deviation: units(variance.squareRoot()))
        differences = 0
        sum = 0
        squares = 0
        return jitter
    }

    /// At most a second of the clock: a longer difference isn't counted.
    private func units(_ nanoseconds: Double) -> UInt32 {
        UInt32(min(nanoseconds * Double(clockRate) / 1e9, Double(UInt32.max)))
    }

    var clockUnits: UInt32 {
        @_noLocks @_noAllocation
        get { UInt32(truncatingIfNeeded: (scaled >> 4) * clockRate / 1_000_000_000) }
    }

    var milliseconds: Double? {
        @_noLocks @_noAllocation
        get { hasMeasured ? Double(scaled) / 16e6 : nil }
    }
}
