/// Why a datagram is not an RTP packet: count it by its case, and drop it.
package enum RTPParseError: Error, BitwiseCopyable, Hashable, Sendable {
    /// The datagram ends before `needed`, where its header, CSRC list or extension says it ends.
    case truncated(needed: Int, got: Int)
    case unsupportedVersion(UInt8)
    /// The padding bit is set, and the last octet counts none or more than the `available` ones (RFC 3550 §5.1).
    case badPadding(length: Int, available: Int)
}

/// Where things are in an RTP packet (RFC 3550 §5.1): a map of a datagram, which it doesn't hold.
///
/// ```
/// | header, 12 octets | CSRCs, 4 each | profile, length, extension | payload | padding, its length last |
/// ```
/// Read the payload as `datagram.extracting(packet.payloadRange)`.
package struct RTPPacket: Hashable, Sendable {
    package let header: RTPHeader
    /// Contributing sources after the header, `0...15`.
    package let csrcCount: Int
    /// The header extension's first 16 bits: 0xBEDE for the one-byte form of RFC 8285 §4.2.
    ///
    /// `nil` with no extension.
    package let extensionProfile: UInt16?
    /// Octets after the payload, the count of them included.
    package let paddingLength: Int
    /// Empty in a packet of padding alone, which still takes a sequence number.
    package let payloadRange: Range<Int>

    /// The extension's data, without profile and length: whole words, perhaps none.
    ///
    /// `nil` with no extension.
    package var extensionRange: Range<Int>? {
        @_noLocks @_noAllocation
        get {
            guard extensionProfile != nil else { return nil }
            return 16 + 4 * csrcCount..<payloadRange.lowerBound
        }
    }

    /// Reads one whole UDP payload, already decrypted.
    ///
    /// Real-time safe. It doesn't look for RTCP: ask ``DatagramKind`` before.
    @_noLocks @_noAllocation
    package init(parsing datagram: borrowing Span<UInt8>) throws(RTPParseError) {
        guard datagram.count >= 12 else { try Self.refuse(.truncated(needed: 12, got: datagram.count)) }
        guard datagram[0] & 0xC0 == 0x80 else { try Self.refuse(.unsupportedVersion(datagram[0] >> 6)) }

        csrcCount = Int(datagram[0] & 0x0F)

        var start = 12 + 4 * csrcCount
        if datagram[0] & 0x10 != 0 {
            guard datagram.count >= start + 4 else {
                try Self.refuse(.truncated(needed: start + 4, got: datagram.count))
            }
            extensionProfile = datagram.uint16(at: start)
            start += 4 + 4 * Int(datagram.uint16(at: start + 2))
        } else {
            extensionProfile = nil
        }
        guard datagram.count >= start else { try Self.refuse(.truncated(needed: start, got: datagram.count)) }

        if datagram[0] & 0x20 != 0 {
            let length = Int(datagram[datagram.count - 1])
            guard length > 0, length <= datagram.count - start else {
                try Self.refuse(.badPadding(length: length, available: datagram.count - start))
            }
            paddingLength = length
        } else {
            paddingLength = 0
        }
        payloadRange = start..<datagram.count - paddingLength
        let first = datagram.uint32(at: 0)
        header = RTPHeader(
            marker: first & 0x80_0000 != 0, payloadType: PayloadType(rawValue: UInt8(first >> 16 & 0x7F)),
            sequenceNumber: SequenceNumber(rawValue: UInt16(first & 0xFFFF)),
            timestamp: datagram.uint32(at: 4), ssrc: SSRC(rawValue: datagram.uint32(at: 8)))
    }

    /// Throws where it's out of the way: what a throw needs would be paid for by every packet.
    @_noLocks @_noAllocation @inline(never)
    private static func refuse(_ error: RTPParseError) throws(RTPParseError) -> Never { throw error }

    /// The contributing source at `index`, `0..<csrcCount`, of the datagram that this was parsed from.
    @_noLocks @_noAllocation
    package func csrc(at index: Int, in datagram: Span<UInt8>) -> SSRC {
        precondition(index >= 0 && index < csrcCount, "the packet has no such CSRC")
        return SSRC(rawValue: datagram.uint32(at: 12 + 4 * index))
    }
}
