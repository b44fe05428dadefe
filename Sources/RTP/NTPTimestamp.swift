/// A wall-clock time as RTCP sends it: 32 bits of seconds since 1900 and 32 of fraction (RFC 3550 §4).
///
/// The seconds wrap in 2036, which does no harm: only differences are used.
package struct NTPTimestamp: RawRepresentable, BitwiseCopyable, Hashable, Sendable {
    package var rawValue: UInt64

    @_noLocks @_noAllocation
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// - Parameter nanoseconds: Wall-clock nanoseconds since 1970, not negative: before that it gives 1970.
    @_noLocks @_noAllocation
    package init(nanosecondsSince1970 nanoseconds: Int64) {
        let nanoseconds = nanoseconds > 0 ? UInt64(nanoseconds) : 0
        // 70 years with 17 leap days (RFC 5905 §6, figure 4).
        let seconds = nanoseconds / 1_000_000_000 &+ 2_208_988_800
        let fraction = (nanoseconds % 1_000_000_000) << 32 / 1_000_000_000
        rawValue = seconds << 32 | fraction
    }

    /// The middle 32 bits, in 1/65536 s: what a report block sends back as the last sender report (§6.4.1).
    package var middle32: UInt32 {
        @_noLocks @_noAllocation
        get { UInt32(truncatingIfNeeded: rawValue >> 16) }
    }
}

extension NTPTimestamp {
    /// The round trip that a report on our packets tells (RFC 3550 §6.4.1, figure 2).
    ///
    /// - Parameters:
    ///   - block: The report block on our SSRC.
    ///   - middle32: ``middle32`` of our wall clock when the block arrived.
    /// - Returns: `nil` if the other side has had no sender report of ours, or if it can't be true:
    ///   negative (a clock was set), or a minute and more.
    package static func roundTrip(of block: ReportBlock, arrivedAt middle32: UInt32) -> Duration? {
        roundTrip(from: block.lastSenderReport, held: block.delaySinceLastSenderReport, to: middle32)
    }

    /// As ``roundTrip(of:arrivedAt:)``, by the answer to our reference time (RFC 3611 §4.5).
    package static func roundTrip(of delay: ReceiverDelay, arrivedAt middle32: UInt32) -> Duration? {
        roundTrip(from: delay.lastReceiverReport, held: delay.delaySinceLastReceiverReport, to: middle32)
    }

    private static func roundTrip(from sent: UInt32, held: UInt32, to middle32: UInt32) -> Duration? {
        guard sent != 0 else { return nil }
        let units = Int32(bitPattern: middle32 &- sent &- held)
        guard units >= 0, units < 60 << 16 else { return nil }
        return .nanoseconds((Int64(units) * 1_000_000_000) >> 16)
    }
}
