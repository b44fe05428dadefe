/// Why a datagram is not an RTCP compound: count it by its case, and drop the whole.
package enum RTCPParseError: Error, BitwiseCopyable, Hashable, Sendable {
    /// The packet at `offset` ends before `needed`, where its length or its counts say it ends.
    case truncated(offset: Int, needed: Int, got: Int)
    case unsupportedVersion(UInt8, offset: Int)
    /// A compound begins with an SR or RR (RFC 3550 §6.1); reduced-size RTCP (RFC 5506) is not accepted.
    case firstIsNoReport(packetType: UInt8)
    /// Padding on a packet that isn't the last (RFC 3550 §6.4.1).
    case paddingBeforeTheEnd(offset: Int)
    /// The last octet counts none, no whole words, or more than there are.
    case badPadding(length: Int, offset: Int)
}

/// The packets of an RTCP datagram, walked one by one (RFC 3550 §6.1):
/// `while let packet = compound.next(in: datagram)`.
///
/// It doesn't hold the datagram, so give ``next(in:)`` the same one. Real-time safe.
package struct RTCPCompound: BitwiseCopyable, Hashable, Sendable {
    private var offset = 0
    private let end: Int

    /// Checks the whole datagram, after RFC 3550 §A.2, before anything in it is believed.
    ///
    /// - Parameter datagram: One whole UDP payload, already decrypted.
    /// - Throws: ``RTCPParseError``; count the datagram and drop the whole.
    @_noLocks @_noAllocation
    package init(validating datagram: borrowing Span<UInt8>) throws(RTCPParseError) {
        end = datagram.count
        var offset = 0
        repeat {
            let packet = try RTCPLayout(at: offset, in: datagram)
            guard offset > 0 || packet.isReport else {
                throw .firstIsNoReport(packetType: packet.packetType)
            }
            offset = packet.end
        } while offset < datagram.count
    }

    /// The next packet, or `nil` after the last.
    @_noLocks @_noAllocation
    package mutating func next(in datagram: Span<UInt8>) -> RTCPPacket? {
        let length = datagram.count
        precondition(length == end, "this is not the datagram that was validated")
        guard offset < end, let layout = try? RTCPLayout(at: offset, in: datagram) else { return nil }
        offset = layout.end
        return RTCPPacket(layout: layout, in: datagram)
    }
}

/// Where one packet of a compound begins, what it says of itself, and where it ends.
struct RTCPLayout: BitwiseCopyable {
    let offset: Int
    let packetType: UInt8
    /// The five bits after the padding bit: report blocks, chunks or sources.
    let count: Int
    /// The end of what is in the packet, and the end of the packet with its padding.
    let contentEnd, end: Int

    var isReport: Bool {
        @_noLocks @_noAllocation
        get { packetType == RTCPPacketType.senderReport || packetType == RTCPPacketType.receiverReport }
    }

    @_noLocks @_noAllocation
    init(at offset: Int, in datagram: borrowing Span<UInt8>) throws(RTCPParseError) {
        guard datagram.count >= offset + 4 else {
            throw .truncated(offset: offset, needed: offset + 4, got: datagram.count)
        }
        let first = datagram[offset]
        guard first >> 6 == 2 else { throw .unsupportedVersion(first >> 6, offset: offset) }
        self.offset = offset
        packetType = datagram[offset + 1]
        count = Int(first & 0x1F)
        end = offset + 4 + 4 * Int(datagram.uint16(at: offset + 2))
        guard datagram.count >= end else {
            throw .truncated(offset: offset, needed: end, got: datagram.count)
        }
        if first & 0x20 != 0 {
            guard end == datagram.count else { throw .paddingBeforeTheEnd(offset: offset) }
            let padding = Int(datagram[end - 1])
            guard padding > 0, padding % 4 == 0, padding <= end - offset - 4 else {
                throw .badPadding(length: padding, offset: offset)
            }
            contentEnd = end - padding
        } else {
            contentEnd = end
        }
        let needed = offset + RTCPLayout.minimumLength(packetType: packetType, count: count)
        guard contentEnd >= needed else {
            throw .truncated(offset: offset, needed: needed, got: contentEnd)
        }
    }

    @_noLocks @_noAllocation
    private static func minimumLength(packetType: UInt8, count: Int) -> Int {
        switch packetType {
        case RTCPPacketType.senderReport: 8 + SenderInfo.length + ReportBlock.length * count
        case RTCPPacketType.receiverReport: 8 + ReportBlock.length * count
        case RTCPPacketType.goodbye: 4 + 4 * count
        case RTCPPacketType.extendedReport: 8
        case RTCPPacketType.application, RTCPPacketType.transportFeedback, RTCPPacketType.payloadFeedback: 12
        default: 4
        }
    }
}
