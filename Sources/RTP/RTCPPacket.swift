/// One packet of an RTCP compound: a map of the datagram, which it doesn't hold.
package enum RTCPPacket: BitwiseCopyable, Hashable, Sendable {
    case report(RTCPReport)
    case sourceDescription(RTCPSourceDescription)
    case goodbye(RTCPGoodbye)
    case application(RTCPApplication)
    case feedback(RTCPFeedback)
    case extendedReport(RTCPExtendedReport)
    /// A type that we don't read. Nothing in it was looked at.
    case other(packetType: UInt8)

    @_noLocks @_noAllocation
    init(layout: RTCPLayout, in datagram: borrowing Span<UInt8>) {
        let body = layout.offset + 4
        switch layout.packetType {
        case RTCPPacketType.senderReport:
            self = .report(
                RTCPReport(
                    sender: SSRC(rawValue: datagram.uint32(at: body)),
                    senderInfo: SenderInfo(at: body + 4, in: datagram), reportBlockCount: layout.count,
                    firstBlock: body + 4 + SenderInfo.length))
        case RTCPPacketType.receiverReport:
            self = .report(
                RTCPReport(
                    sender: SSRC(rawValue: datagram.uint32(at: body)), senderInfo: nil,
                    reportBlockCount: layout.count, firstBlock: body + 4))
        case RTCPPacketType.sourceDescription:
            self = .sourceDescription(
                RTCPSourceDescription(firstChunk: body, end: layout.contentEnd, chunkCount: layout.count))
        case RTCPPacketType.goodbye:
            self = .goodbye(
                RTCPGoodbye(firstSource: body, end: layout.contentEnd, sourceCount: layout.count))
        case RTCPPacketType.application: self = .application(RTCPApplication(layout: layout, in: datagram))
        case RTCPPacketType.transportFeedback, RTCPPacketType.payloadFeedback:
            self = .feedback(RTCPFeedback(layout: layout, in: datagram))
        case RTCPPacketType.extendedReport:
            self = .extendedReport(
                RTCPExtendedReport(
                    sender: SSRC(rawValue: datagram.uint32(at: body)), firstBlock: body + 4,
                    end: layout.contentEnd))
        default: self = .other(packetType: layout.packetType)
        }
    }
}

/// The packet types that we read or write (RFC 3550 §12.1, RFC 4585 §6.1, RFC 3611 §6.1).
enum RTCPPacketType {
    static var senderReport: UInt8 {
        @_noLocks @_noAllocation
        get { 200 }
    }

    static var receiverReport: UInt8 {
        @_noLocks @_noAllocation
        get { 201 }
    }

    static var sourceDescription: UInt8 {
        @_noLocks @_noAllocation
        get { 202 }
    }

    static var goodbye: UInt8 {
        @_noLocks @_noAllocation
        get { 203 }
    }

    static var application: UInt8 {
        @_noLocks @_noAllocation
        get { 204 }
    }

    static var transportFeedback: UInt8 {
        @_noLocks @_noAllocation
        get { 205 }
    }

    static var payloadFeedback: UInt8 {
        @_noLocks @_noAllocation
        get { 206 }
    }

    static var extendedReport: UInt8 {
        @_noLocks @_noAllocation
        get { 207 }
    }
}

/// A sender report, with ``senderInfo``, or a receiver report, without (RFC 3550 §6.4).
///
/// A profile's extension after the blocks is skipped (§6.4.3).
package struct RTCPReport: BitwiseCopyable, Hashable, Sendable {
    /// Who reports.
    package let sender: SSRC
    package let senderInfo: SenderInfo?
    /// `0...31`.
    package let reportBlockCount: Int
    let firstBlock: Int

    /// The block at `index`, `0..<reportBlockCount`, of the datagram that this was read from.
    @_noLocks @_noAllocation
    package func reportBlock(at index: Int, in datagram: Span<UInt8>) -> ReportBlock {
        precondition(index >= 0 && index < reportBlockCount, "the report has no such block")
        return ReportBlock(at: firstBlock + ReportBlock.length * index, in: datagram)
    }
}

/// Who sources are (RFC 3550 §6.5).
package struct RTCPSourceDescription: BitwiseCopyable, Hashable, Sendable {
    let firstChunk, end: Int
    /// `0...31`.
    package let chunkCount: Int

    /// Where the CNAME of `ssrc` is in the datagram that this was read from: UTF-8, `0...255` octets.
    ///
    /// - Returns: `nil` with no such chunk or item, or if the chunks before it are broken.
    @_noLocks @_noAllocation
    package func canonicalName(of ssrc: SSRC, in datagram: Span<UInt8>) -> Range<Int>? {
        var offset = firstChunk
        var chunk = 0
        while chunk < chunkCount, offset + 4 <= end {
            let isWanted = datagram.uint32(at: offset) == ssrc.rawValue
            offset += 4
            // Items up to a null octet, which pads the chunk to a whole word.
            while offset < end, datagram[offset] != 0 {
                guard offset + 2 <= end else { return nil }
                let item = offset + 2..<offset + 2 + Int(datagram[offset + 1])
                guard item.upperBound <= end else { return nil }
                if isWanted, datagram[offset] == 1 { return item }
                offset = item.upperBound
            }
            offset = (offset + 4) & ~3
            chunk += 1
        }
        return nil
    }
}

/// Sources that leave (RFC 3550 §6.6).
package struct RTCPGoodbye: BitwiseCopyable, Hashable, Sendable {
    let firstSource, end: Int
    /// `0...31`.
    package let sourceCount: Int

    /// The source at `index`, `0..<sourceCount`, of the datagram that this was read from.
    @_noLocks @_noAllocation
    package func source(at index: Int, in datagram: Span<UInt8>) -> SSRC {
        precondition(index >= 0 && index < sourceCount, "the goodbye has no such source")
        return SSRC(rawValue: datagram.uint32(at: firstSource + 4 * index))
    }

    /// Where the reason is in the datagram: UTF-8.
    ///
    /// `nil` if none is given, or if it claims more than there is.
    @_noLocks @_noAllocation
    package func reasonRange(in datagram: Span<UInt8>) -> Range<Int>? {
        let offset = firstSource + 4 * sourceCount
        guard offset < end else { return nil }
        let reason = offset + 1..<offset + 1 + Int(datagram[offset])
        return reason.upperBound <= end ? reason : nil
    }
}
