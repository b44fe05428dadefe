// What we send: an SR or RR, then an SDES with our CNAME, then perhaps a BYE (RFC 3550 §6.1).
// Each appends one packet to a datagram that has its octets free, and is real-time safe.

extension RTCPReport {
    /// Octets that ``serialize(sender:senderInfo:reportBlocks:into:)`` appends.
    @_noLocks @_noAllocation
    package static func length(withSenderInfo hasSenderInfo: Bool, reportBlockCount: Int) -> Int {
        8 + (hasSenderInfo ? SenderInfo.length : 0) + ReportBlock.length * reportBlockCount
    }

    /// Appends a sender report, or with no `senderInfo` a receiver report.
    ///
    /// It takes the first 31 of `reportBlocks`; further ones need a report of their own (§6.1).
    @_noLocks @_noAllocation
    package static func serialize(
        sender: SSRC, senderInfo: SenderInfo?, reportBlocks: Span<ReportBlock>,
        into datagram: inout OutputSpan<UInt8>
    ) {
        let count = min(reportBlocks.count, 31)
        let words = UInt16(truncatingIfNeeded: 6 * count)
        datagram.append(0b1000_0000 | UInt8(truncatingIfNeeded: count))
        if let senderInfo {
            datagram.append(RTCPPacketType.senderReport)
            datagram.append(bigEndian: words + 6)
            datagram.append(bigEndian: sender.rawValue)
            senderInfo.serialize(into: &datagram)
        } else {
            datagram.append(RTCPPacketType.receiverReport)
            datagram.append(bigEndian: words + 1)
            datagram.append(bigEndian: sender.rawValue)
        }
        var index = 0
        while index < count {
            reportBlocks[index].serialize(into: &datagram)
            index += 1
        }
    }
}

extension RTCPSourceDescription {
    /// Octets that ``serialize(canonicalName:of:into:)`` appends for a name of `nameLength` octets.
    @_noLocks @_noAllocation
    package static func length(nameLength: Int) -> Int {
        8 + (2 + min(nameLength, 255)) / 4 * 4 + 4
    }

    /// Appends one chunk with one item, the CNAME (§6.5.1).
    ///
    /// The name is UTF-8; octets after the 255th are left out.
    @_noLocks @_noAllocation
    package static func serialize(
        canonicalName: Span<UInt8>, of ssrc: SSRC, into datagram: inout OutputSpan<UInt8>
    ) {
        let length = min(canonicalName.count, 255)
        let packetLength = Self.length(nameLength: length)
        datagram.append(0b1000_0001)
        datagram.append(RTCPPacketType.sourceDescription)
        datagram.append(bigEndian: UInt16(truncatingIfNeeded: packetLength / 4 - 1))
        datagram.append(bigEndian: ssrc.rawValue)
        datagram.append(1)
        datagram.append(UInt8(truncatingIfNeeded: length))
        datagram.append(first: length, of: canonicalName)
        // At least one null ends the list of items.
        datagram.append(nulls: packetLength - 10 - length)
    }
}

extension RTCPGoodbye {
    /// Octets that ``serialize(source:reason:into:)`` appends for a reason of `reasonLength` octets.
    @_noLocks @_noAllocation
    package static func length(reasonLength: Int) -> Int {
        reasonLength == 0 ? 8 : 8 + (1 + min(reasonLength, 255) + 3) / 4 * 4
    }

    /// Appends the farewell of one source.
    ///
    /// The reason is UTF-8, empty for none; octets after the 255th are left out.
    @_noLocks @_noAllocation
    package static func serialize(
        source: SSRC, reason: Span<UInt8>, into datagram: inout OutputSpan<UInt8>
    ) {
        let length = min(reason.count, 255)
        let packetLength = Self.length(reasonLength: length)
        datagram.append(0b1000_0001)
        datagram.append(RTCPPacketType.goodbye)
        datagram.append(bigEndian: UInt16(truncatingIfNeeded: packetLength / 4 - 1))
        datagram.append(bigEndian: source.rawValue)
        guard length > 0 else { return }
        datagram.append(UInt8(truncatingIfNeeded: length))
        datagram.append(first: length, of: reason)
        datagram.append(nulls: packetLength - 9 - length)
    }
}
