import FuzzSupport
import RTP

@main enum FuzzRTCP {
    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        let datagram = octets.span
        guard var compound = try? RTCPCompound(validating: datagram) else { return }
        var count = 0
        while let packet = compound.next(in: datagram) {
            count += 1
            precondition(4 * count <= octets.count, "a packet has at least one word")
            switch packet {
            case .report(let report): checkReport(report, in: octets)
            case .sourceDescription(let description): checkNames(in: description, of: octets)
            case .goodbye(let goodbye): checkGoodbye(goodbye, in: octets)
            case .application(let application):
                precondition(application.dataRange.upperBound <= octets.count, "data lie within the datagram")
            case .feedback(let feedback): observe(feedback.mediaSource)
            case .extendedReport(let report): checkBlocks(of: report, in: octets)
            case .other(let packetType):
                precondition(!(200...207).contains(packetType), "what is known is read")
            }
        }
        precondition(count > 0, "a valid compound has a packet")
        let isFinished = compound.next(in: datagram) == nil
        precondition(isFinished, "the end stays the end")
    }

    /// A report written again reads the same.
    private static func checkReport(_ report: RTCPReport, in octets: [UInt8]) {
        var blocks: [ReportBlock] = []
        for index in 0..<report.reportBlockCount {
            let block = report.reportBlock(at: index, in: octets.span)
            blocks.append(block)
            if let roundTrip = NTPTimestamp.roundTrip(of: block, arrivedAt: block.jitter) {
                precondition((.zero ..< .seconds(60)).contains(roundTrip), "a round trip is below a minute")
            }
        }
        let length = RTCPReport.length(
            withSenderInfo: report.senderInfo != nil, reportBlockCount: blocks.count)
        let written = [UInt8](capacity: length) {
            RTCPReport.serialize(
                sender: report.sender, senderInfo: report.senderInfo, reportBlocks: blocks.span, into: &$0)
        }
        precondition(written.count == length, "a report has its length")
        guard var compound = try? RTCPCompound(validating: written.span),
            case .report(let again) = compound.next(in: written.span)
        else { preconditionFailure("what is written can be read") }
        precondition(
            again.sender == report.sender && again.senderInfo == report.senderInfo,
            "a report is read as it was written")
        for (index, block) in blocks.enumerated() {
            precondition(
                again.reportBlock(at: index, in: written.span) == block, "a block is read as it was written")
        }
    }

    /// Blocks end, and what is read of one is written the same.
    private static func checkBlocks(of report: RTCPExtendedReport, in octets: [UInt8]) {
        var report = report
        var count = 0
        while let block = report.next(in: octets.span) {
            count += 1
            precondition(4 * count <= octets.count, "a block has at least one word")
            let written = [UInt8](capacity: 80) { output in
                RTCPExtendedReport.serializeHeader(sender: report.sender, blocksLength: 40, into: &output)
                switch block {
                case .receiverReferenceTime(let time):
                    RTCPExtendedReport.serialize(receiverReferenceTime: time, into: &output)
                case .receiverDelays(let delays):
                    let own = delays.delay(of: report.sender, in: octets.span)
                    if let own { RTCPExtendedReport.serialize(own, into: &output) }
                case .statisticsSummary(let summary): summary.serialize(into: &output)
                case .voIPMetrics(let metrics): metrics.serialize(into: &output)
                case .other: break
                }
            }
            checkAgain(block, written: [0x80, 0xC9, 0, 1, 0, 0, 0, 0] + written)
        }
        let isFinished = report.next(in: octets.span) == nil
        precondition(isFinished, "the last block stays the last")
    }

    /// `written` is an extended report with room for ten words, of which the block is the first.
    private static func checkAgain(_ block: ExtendedReportBlock, written: [UInt8]) {
        let padded = written + [UInt8](repeating: 0, count: max(0, 56 - written.count))
        guard var compound = try? RTCPCompound(validating: padded.span),
            compound.next(in: padded.span) != nil,
            case .extendedReport(var again) = compound.next(in: padded.span)
        else { preconditionFailure("what is written can be read") }
        let first = again.next(in: padded.span)
        switch block {
        case .receiverReferenceTime, .statisticsSummary, .voIPMetrics:
            precondition(first == block, "a block is read as it was written")
        case .receiverDelays, .other: break
        }
    }

    private static func checkNames(in description: RTCPSourceDescription, of octets: [UInt8]) {
        precondition((0...31).contains(description.chunkCount), "five bits count chunks")
        // Any word may be the one that a chunk begins with.
        for offset in stride(from: 4, to: octets.count - 3, by: 4) {
            let word = octets[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard let name = description.canonicalName(of: SSRC(rawValue: word), in: octets.span) else {
                continue
            }
            precondition(name.upperBound <= octets.count, "a name lies within the datagram")
            precondition(name.count <= 255, "an octet counts a name")
        }
    }

    private static func checkGoodbye(_ goodbye: RTCPGoodbye, in octets: [UInt8]) {
        for index in 0..<goodbye.sourceCount { observe(goodbye.source(at: index, in: octets.span)) }
        guard let reason = goodbye.reasonRange(in: octets.span) else { return }
        precondition(reason.upperBound <= octets.count, "a reason lies within the datagram")
        observe(octets[reason].count)
    }
}
