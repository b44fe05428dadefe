/// How losses bunch, as an extended report tells it (RFC 3611 §4.7.2).
package struct BurstMetrics: BitwiseCopyable, Hashable, Sendable {
    /// Share of the packets lost within bursts, in 1/256.
    package var burstDensity: UInt8 = 0
    /// Share of the packets lost between bursts, in 1/256.
    package var gapDensity: UInt8 = 0
    /// Mean lengths.
    package var burstMilliseconds: UInt16 = 0
    package var gapMilliseconds: UInt16 = 0
    /// Gmin: packets that have to come in a row before a burst is over.
    package var minimumGap: UInt8 = 16

    @_noLocks @_noAllocation
    package init() {}

    @_noLocks @_noAllocation
    package init(
        burstDensity: UInt8, gapDensity: UInt8, burstMilliseconds: UInt16, gapMilliseconds: UInt16,
        minimumGap: UInt8
    ) {
        self.burstDensity = burstDensity
        self.gapDensity = gapDensity
        self.burstMilliseconds = burstMilliseconds
        self.gapMilliseconds = gapMilliseconds
        self.minimumGap = minimumGap
    }
}

/// Tells bursts of loss from gaps with few, packet by packet: the four-state Markov model of RFC 3611 §4.7.2, counted as in
/// its §A.2.
///
/// A packet is missed if it isn't there to be played, lost or discarded. Real-time safe.
package struct BurstCounter: BitwiseCopyable, Hashable, Sendable {
    /// Gmin of the RFC's recommendation.
    private static var minimumGap: Int64 {
        @_noLocks @_noAllocation
        get { 16 }
    }

    /// Packets received since the last that was missed.
    private var run: Int64 = 0
    /// Misses since the last gap.
    private var missedInBurst: Int64 = 0

    // Transitions, by the RFC's numbers of states: 1 received and 4 missed in a gap, 2 received and 3 missed in a burst.
    private var stayedInGap: Int64 = 0  // c11
    private var beganBurst: Int64 = 0  // c13
    private var missedInGap: Int64 = 0  // c14
    private var receivedInBurst: Int64 = 0  // c22
    private var missedAgain: Int64 = 0  // c23
    private var missedInARow: Int64 = 0  // c33

    @_noLocks @_noAllocation
    package init() {}

    /// Takes note of packets that were there, one after the other.
    @_noLocks @_noAllocation
    package mutating func receive(_ packets: Int = 1) {
        run += Int64(max(packets, 0))
    }

    /// Takes note of a packet that was not there.
    @_noLocks @_noAllocation
    package mutating func miss() {
        if run >= Self.minimumGap {
            if missedInBurst == 1 { missedInGap += 1 } else { beganBurst += 1 }
            missedInBurst = 1
            stayedInGap += run
        } else {
            missedInBurst += 1
            if run == 0 {
                missedInARow += 1
            } else {
                missedAgain += 1
                receivedInBurst += run - 1
            }
        }
        run = 0
    }

    /// The figures so far; with no miss, one gap of all the time.
    ///
    /// What came since the last miss counts as gap when it is long enough to be one.
    ///
    /// - Parameter packetMilliseconds: Audio in a packet.
    /// - Returns: Densities and lengths.
    @_noLocks @_noAllocation
    package func metrics(packetMilliseconds: Int) -> BurstMetrics {
        let gap = stayedInGap + (run >= Self.minimumGap ? run : 0)
        let bursts = beganBurst
        let inGaps = gap + missedInGap + bursts
        // c31 = c13 and c32 = c23: who enters a state leaves it.
        let inBursts = receivedInBurst + 2 * missedAgain + bursts + missedInARow
        let missedStaying = missedAgain + missedInARow + bursts
        let toReceived = missedStaying > 0 ? Double(missedAgain) / Double(missedStaying) : 0  // p32
        let inside = receivedInBurst + missedAgain
        let toMissed = inside > 0 ? 1 - Double(receivedInBurst) / Double(inside) : 1  // p23

        var metrics = BurstMetrics()
        let hasBurst = missedStaying > 0
        metrics.burstDensity = hasBurst ? Self.share(toMissed, of: toMissed + toReceived) : 0
        metrics.gapDensity = Self.share(Double(missedInGap), of: Double(gap + missedInGap))
        let count = max(bursts, 1)
        metrics.gapMilliseconds = Self.milliseconds(inGaps, packetMilliseconds, over: count)
        metrics.burstMilliseconds = Self.milliseconds(inBursts, packetMilliseconds, over: count)
        return metrics
    }

    /// Mean length of the runs of misses over that of as many random ones: BurstR of ITU-T G.107 §7.5, at least 1.
    ///
    /// - Parameter lossFraction: Share of all packets that were missed, `0...1`.
    /// - Returns: 1 for random losses, more for bursts.
    package func burstRatio(lossFraction: Double) -> Double {
        let runs = missedInGap + beganBurst + missedAgain
        guard runs > 0 else { return 1 }
        return max(1, Double(runs + missedInARow) / Double(runs) * (1 - lossFraction))
    }

    @_noLocks @_noAllocation
    private static func share(_ part: Double, of whole: Double) -> UInt8 {
        guard whole > 0 else { return 0 }
        return UInt8(min(256 * part / whole, 255))
    }

    @_noLocks @_noAllocation
    private static func milliseconds(_ packets: Int64, _ milliseconds: Int, over count: Int64) -> UInt16 {
        // A year of packets times a second fits.
        UInt16(min(max(packets &* Int64(milliseconds) / count, 0), 65_535))
    }
}
