/// An extended report (RFC 3611 §2): blocks, walked one by one by ``next(in:)``.
///
/// It doesn't hold the datagram, so give ``next(in:)`` the one that this was read from. Real-time safe.
package struct RTCPExtendedReport: BitwiseCopyable, Hashable, Sendable {
    /// Who reports.
    package let sender: SSRC
    private var offset: Int
    private let end: Int

    @_noLocks @_noAllocation
    init(sender: SSRC, firstBlock: Int, end: Int) {
        self.sender = sender
        offset = firstBlock
        self.end = end
    }

    /// The next block, or `nil` after the last, or before one that claims more than there is.
    ///
    /// A block that we don't read, or of a length that its type can't have, is ``ExtendedReportBlock/other(type:)`` (§3).
    @_noLocks @_noAllocation
    package mutating func next(in datagram: Span<UInt8>) -> ExtendedReportBlock? {
        guard offset + 4 <= end else { return nil }
        let body = offset + 4
        let blockEnd = body + 4 * Int(datagram.uint16(at: offset + 2))
        guard blockEnd <= end else {
            offset = end
            return nil
        }
        defer { offset = blockEnd }
        return ExtendedReportBlock(at: offset, bodyLength: blockEnd - body, in: datagram)
    }
}

/// One block of an extended report (RFC 3611 §4).
package enum ExtendedReportBlock: BitwiseCopyable, Hashable, Sendable {
    /// The clock of a receiver, so that it can measure the round trip without sending media (§4.4).
    case receiverReferenceTime(NTPTimestamp)
    /// Answers to ``receiverReferenceTime(_:)`` (§4.5).
    case receiverDelays(ReceiverDelays)
    case statisticsSummary(StatisticsSummary)
    case voIPMetrics(VoIPMetrics)
    /// Nothing in it was looked at.
    case other(type: UInt8)

    @_noLocks @_noAllocation
    fileprivate init(at offset: Int, bodyLength: Int, in datagram: borrowing Span<UInt8>) {
        let type = datagram[offset]
        let body = offset + 4
        switch (type, bodyLength) {
        case (ExtendedReportBlockType.receiverReferenceTime, 8):
            self = .receiverReferenceTime(NTPTimestamp(rawValue: datagram.uint64(at: body)))
        case (ExtendedReportBlockType.receiverDelays, _) where bodyLength % ReceiverDelay.length == 0:
            self = .receiverDelays(
                ReceiverDelays(first: body, count: bodyLength / ReceiverDelay.length))
        case (ExtendedReportBlockType.statisticsSummary, StatisticsSummary.length - 4):
            self = .statisticsSummary(StatisticsSummary(at: offset, in: datagram))
        case (ExtendedReportBlockType.voIPMetrics, VoIPMetrics.length - 4):
            self = .voIPMetrics(VoIPMetrics(at: offset, in: datagram))
        default: self = .other(type: type)
        }
    }
}

/// The block types that we read and write (RFC 3611 §6.2).
enum ExtendedReportBlockType {
    static var receiverReferenceTime: UInt8 {
        @_noLocks @_noAllocation
        get { 4 }
    }

    static var receiverDelays: UInt8 {
        @_noLocks @_noAllocation
        get { 5 }
    }

    static var statisticsSummary: UInt8 {
        @_noLocks @_noAllocation
        get { 6 }
    }

    static var voIPMetrics: UInt8 {
        @_noLocks @_noAllocation
        get { 7 }
    }
}

/// The answers of one block to several receivers: a map of the datagram, which it doesn't hold.
package struct ReceiverDelays: BitwiseCopyable, Hashable, Sendable {
    let first: Int
    /// `0...5461`.
    package let count: Int

    @_noLocks @_noAllocation
    init(first: Int, count: Int) {
        self.first = first
        self.count = count
    }

    /// The answer to `ssrc` in the datagram that this was read from, or `nil` with none.
    @_noLocks @_noAllocation
    package func delay(of ssrc: SSRC, in datagram: Span<UInt8>) -> ReceiverDelay? {
        var index = 0
        while index < count {
            let delay = ReceiverDelay(at: first + ReceiverDelay.length * index, in: datagram)
            if delay.ssrc == ssrc { return delay }
            index += 1
        }
        return nil
    }
}

/// What answers one receiver's reference time (RFC 3611 §4.5): the round trip is told as by a report block.
package struct ReceiverDelay: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 12 }
    }

    /// The receiver that is answered.
    package var ssrc: SSRC
    /// ``NTPTimestamp/middle32`` of its last reference time, or 0 if none has come.
    package var lastReceiverReport: UInt32
    /// Time since that came, in 1/65536 s.
    package var delaySinceLastReceiverReport: UInt32

    @_noLocks @_noAllocation
    package init(ssrc: SSRC, lastReceiverReport: UInt32, delaySinceLastReceiverReport: UInt32) {
        self.ssrc = ssrc
        self.lastReceiverReport = lastReceiverReport
        self.delaySinceLastReceiverReport = delaySinceLastReceiverReport
    }

    /// Reads the 12 octets at `offset`, which the caller knows to be there.
    @_noLocks @_noAllocation
    init(at offset: Int, in datagram: borrowing Span<UInt8>) {
        self.init(
            ssrc: SSRC(rawValue: datagram.uint32(at: offset)),
            lastReceiverReport: datagram.uint32(at: offset + 4),
            delaySinceLastReceiverReport: datagram.uint32(at: offset + 8))
    }
}

// What we write: a packet's header, then its blocks, each of which tells its length beforehand.
extension RTCPExtendedReport {
    /// Octets of a packet whose blocks have `blocksLength`.
    @_noLocks @_noAllocation
    package static func length(blocksLength: Int) -> Int { 8 + blocksLength }

    /// Appends what goes before the blocks, of which `blocksLength` octets follow: a whole number of words.
    @_noLocks @_noAllocation
    package static func serializeHeader(
        sender: SSRC, blocksLength: Int, into datagram: inout OutputSpan<UInt8>
    ) {
        datagram.append(0b1000_0000)
        datagram.append(RTCPPacketType.extendedReport)
        datagram.append(bigEndian: UInt16(truncatingIfNeeded: 1 + blocksLength / 4))
        datagram.append(bigEndian: sender.rawValue)
    }

    /// Octets that ``serialize(receiverReferenceTime:into:)`` appends.
    package static var receiverReferenceTimeLength: Int {
        @_noLocks @_noAllocation
        get { 12 }
    }

    /// Appends the block with our clock (§4.4).
    @_noLocks @_noAllocation
    package static func serialize(
        receiverReferenceTime time: NTPTimestamp, into datagram: inout OutputSpan<UInt8>
    ) {
        datagram.append(blockHeader: ExtendedReportBlockType.receiverReferenceTime, words: 2)
        datagram.append(bigEndian: time.rawValue)
    }

    /// Octets that ``serialize(_:into:)`` appends.
    package static var receiverDelayLength: Int {
        @_noLocks @_noAllocation
        get { 4 + ReceiverDelay.length }
    }

    /// Appends a block with one answer (§4.5).
    @_noLocks @_noAllocation
    package static func serialize(_ delay: ReceiverDelay, into datagram: inout OutputSpan<UInt8>) {
        datagram.append(blockHeader: ExtendedReportBlockType.receiverDelays, words: 3)
        datagram.append(bigEndian: delay.ssrc.rawValue)
        datagram.append(bigEndian: delay.lastReceiverReport)
        datagram.append(bigEndian: delay.delaySinceLastReceiverReport)
    }
}

extension OutputSpan<UInt8> {
    /// Appends the type, the octet special to it, and the length in words without these (RFC 3611 §3).
    @_noLocks @_noAllocation
    mutating func append(blockHeader type: UInt8, flags: UInt8 = 0, words: UInt16) {
        append(type)
        append(flags)
        append(bigEndian: words)
    }
}
