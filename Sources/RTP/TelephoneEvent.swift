/// Why a payload is not a telephone event: count it, and drop the packet.
package enum TelephoneEventParseError: Error, BitwiseCopyable, Hashable, Sendable {
    /// The payload ends before the `needed` octets of one event.
    case truncated(needed: Int, got: Int)
}

/// The payload of a telephone-event packet (RFC 4733 §2.3).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |     event     |E|R| volume    |          duration             |
/// ```
package struct TelephoneEvent: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 4 }
    }

    /// `0...255`; the first sixteen are keys, see ``DTMFDigit``.
    package var eventCode: UInt8
    /// The event is over, and ``duration`` is its whole length.
    package var isEnd: Bool
    /// The tone's level below 0 dBm0, in dB: `0...63`.
    package var volume: UInt8
    /// How long the event, or this segment of it, has lasted since the packet's timestamp, in units of the RTP clock.
    package var duration: UInt16

    @_noLocks @_noAllocation
    package init(eventCode: UInt8, isEnd: Bool, volume: UInt8, duration: UInt16) {
        self.eventCode = eventCode
        self.isEnd = isEnd
        self.volume = volume
        self.duration = duration
    }

    /// Reads the first event of `payload`.
    ///
    /// Real-time safe. The reserved bit is ignored, and so are further events behind the first (§2.5.1.5): they
    /// are packed by senders of fax and modem signals, not of keys.
    @_noLocks @_noAllocation
    package init(parsing payload: borrowing Span<UInt8>) throws(TelephoneEventParseError) {
        guard payload.count >= Self.length else {
            throw .truncated(needed: Self.length, got: payload.count)
        }
        eventCode = payload[0]
        isEnd = payload[1] & 0x80 != 0
        volume = payload[1] & 0x3F
        duration = payload.uint16(at: 2)
    }

    /// Appends the event to `datagram`, which has ``length`` octets free.
    ///
    /// Real-time safe. A volume above 63 becomes 63.
    @_noLocks @_noAllocation
    package func serialize(into datagram: inout OutputSpan<UInt8>) {
        datagram.append(eventCode)
        datagram.append((isEnd ? 0x80 : 0) | (volume > 63 ? 63 : volume))
        datagram.append(bigEndian: duration)
    }
}
