/// What a packet carries, by the number that its receiver declared in SDP: `0...127` (RFC 3551 §6).
package struct PayloadType: RawRepresentable, BitwiseCopyable, Hashable, Sendable {
    package var rawValue: UInt8

    @_noLocks @_noAllocation
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @_noLocks @_noAllocation
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
}

/// The identifier of a synchronization source, unique within a session (RFC 3550 §8).
package struct SSRC: RawRepresentable, BitwiseCopyable, Hashable, Sendable {
    package var rawValue: UInt32

    @_noLocks @_noAllocation
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @_noLocks @_noAllocation
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
}

/// The fields of the fixed RTP header that vary (RFC 3550 §5.1).
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
/// |                           timestamp                           |
/// |                             SSRC                              |
/// ```
package struct RTPHeader: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire, without CSRCs and extension.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 12 }
    }

    /// For audio: the first packet after a pause (RFC 3551 §4.1).
    package var marker: Bool
    package var payloadType: PayloadType
    package var sequenceNumber: SequenceNumber
    /// In units of the payload's RTP clock: 48 kHz for Opus, whatever it really samples at (RFC 7587 §4.1).
    package var timestamp: UInt32
    package var ssrc: SSRC

    @_noLocks @_noAllocation
    package init(
        marker: Bool = false, payloadType: PayloadType, sequenceNumber: SequenceNumber, timestamp: UInt32,
        ssrc: SSRC
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
    }

    /// Appends the header, without padding, CSRCs and extension, to `datagram`, which has ``length`` octets free.
    ///
    /// Real-time safe. A payload type above 127 loses its top bit, rather than set the marker.
    @_noLocks @_noAllocation
    package func serialize(into datagram: inout OutputSpan<UInt8>) {
        datagram.append(0b1000_0000)
        datagram.append((marker ? 0x80 : 0) | payloadType.rawValue & 0x7F)
        datagram.append(bigEndian: sequenceNumber.rawValue)
        datagram.append(bigEndian: timestamp)
        datagram.append(bigEndian: ssrc.rawValue)
    }
}
