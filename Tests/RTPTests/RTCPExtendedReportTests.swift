import AllocationCounter
import MediaTime
import RTP
import Testing

@Suite("Extended reports, RFC 3611")
struct RTCPExtendedReportTests {
    private static let report = "80c900011234abcd"
    // By hand from the figures of §4.4 to §4.7.
    private static let referenceTime = "04000002 e400001080000000"
    private static let delays = "05000006 00000007 00000001 00000002 0a0b0c0d 00108000 00008000"
    private static let summary =
        "06e00009 0a0b0c0d fffe0003 00000002 00000001 00000003 00000009 00000005 00000002 00000000"
    private static let metrics =
        "07000008 0a0b0c0d 0d05 800a 00c8 2710 0096 0050 ec7f 7f10 5e7f 2a29 b000 0028 003c 01f4"

    /// The blocks of an extended report that claims `words`, or as many as it has.
    private func blocks(_ hex: String, words: Int? = nil) throws -> [ExtendedReportBlock] {
        let body = octets(hex)
        let words = words ?? 1 + body.count / 4
        let bytes =
            octets(Self.report) + [0x80, 0xCF, UInt8(words >> 8), UInt8(words & 0xFF)]
            + octets("1234abcd") + body
        var compound = try RTCPCompound(validating: bytes.span)
        _ = compound.next(in: bytes.span)
        guard case .extendedReport(var report) = compound.next(in: bytes.span) else {
            Issue.record("no extended report")
            return []
        }
        #expect(report.sender.rawValue == 0x1234_ABCD)
        var blocks: [ExtendedReportBlock] = []
        while let block = report.next(in: bytes.span) { blocks.append(block) }
        return blocks
    }

    @Test func aReferenceTimeIsRead() throws {
        let time = NTPTimestamp(rawValue: 0xE400_0010_8000_0000)
        #expect(try blocks(Self.referenceTime) == [.receiverReferenceTime(time)])
    }

    @Test func theAnswerToUsIsFoundAmongSeveral() throws {
        let bytes = octets(Self.report + "80cf00081234abcd" + Self.delays)
        var compound = try RTCPCompound(validating: bytes.span)
        _ = compound.next(in: bytes.span)
        guard case .extendedReport(var report) = compound.next(in: bytes.span),
            case .receiverDelays(let delays) = report.next(in: bytes.span)
        else {
            Issue.record("no answers")
            return
        }
        #expect(delays.count == 2)
        let ours = delays.delay(of: SSRC(rawValue: 0x0A0B_0C0D), in: bytes.span)
        #expect(
            ours
                == ReceiverDelay(
                    ssrc: SSRC(rawValue: 0x0A0B_0C0D), lastReceiverReport: 0x0010_8000,
                    delaySinceLastReceiverReport: 0x8000))
        #expect(delays.delay(of: SSRC(rawValue: 8), in: bytes.span) == nil)
    }

    @Test func aSummaryIsReadWithTheFiguresThatItsFlagsName() throws {
        let jitter = StatisticsSummary.Jitter(minimum: 3, maximum: 9, mean: 5, deviation: 2)
        let begin = SequenceNumber(rawValue: 0xFFFE)
        let end = SequenceNumber(rawValue: 3)
        let ssrc = SSRC(rawValue: 0x0A0B_0C0D)
        #expect(
            try blocks(Self.summary)
                == [
                    .statisticsSummary(
                        .init(ssrc: ssrc, begin: begin, end: end, lost: 2, duplicates: 1, jitter: jitter))
                ])
        #expect(
            try blocks("0600" + Self.summary.dropFirst(4))
                == [
                    .statisticsSummary(
                        .init(ssrc: ssrc, begin: begin, end: end, lost: nil, duplicates: nil, jitter: nil))
                ])
    }

    @Test func metricsAreReadFieldByField() throws {
        guard case .voIPMetrics(let metrics) = try blocks(Self.metrics).first else {
            Issue.record("no metrics")
            return
        }
        #expect(metrics.ssrc.rawValue == 0x0A0B_0C0D)
        #expect(metrics.lossRate == 13 && metrics.discardRate == 5)
        #expect(
            metrics.bursts
                == BurstMetrics(
                    burstDensity: 128, gapDensity: 10, burstMilliseconds: 200, gapMilliseconds: 10_000,
                    minimumGap: 16))
        #expect(metrics.roundTripDelay == 150 && metrics.endSystemDelay == 80)
        #expect(metrics.signalLevel == -20 && metrics.noiseLevel == nil)
        #expect(metrics.residualEchoReturnLoss == nil)
        #expect(metrics.rating == 94 && metrics.externalRating == nil)
        #expect(metrics.listeningOpinion == 42 && metrics.conversationalOpinion == 41)
        #expect(metrics.configuration == 0xB0)
        #expect(metrics.bufferNominal == 40 && metrics.bufferMaximum == 60)
        #expect(metrics.bufferAbsoluteMaximum == 500)
    }

    // RTCP-09
    @Test func aBlockThatClaimsMoreThanThereIsEndsTheReport() throws {
        #expect(try blocks("05000003").isEmpty)
        #expect(try blocks(Self.referenceTime + "05000003").count == 1)
        #expect(try blocks("0500ffff").isEmpty)
    }

    // RTCP-09
    @Test(arguments: 0...255 as ClosedRange<UInt8>)
    func aBlockOfLengthNoneIsSkippedAndEmptyAnswersAreNone(type: UInt8) throws {
        let header = [type].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "000000"
        let read = try blocks(header + Self.referenceTime)
        #expect(read.count == 2)
        guard type != 5 else {
            guard case .receiverDelays(let delays) = read.first else {
                Issue.record("no answers")
                return
            }
            #expect(delays.count == 0)
            return
        }
        #expect(read.first == .other(type: type))
    }

    @Test(arguments: [
        "0400000100000000", "04000003000000000000000000000000", "05000002" + "0000000000000000",
    ])
    func aBlockOfALengthThatItsTypeCannotHaveIsSkipped(hex: String) throws {
        let read = try blocks(hex + Self.referenceTime)
        #expect(read.count == 2)
        guard case .other? = read.first else {
            Issue.record("read \(read)")
            return
        }
    }

    @Test func everyTruncationGivesTheBlocksThatAreWhole() throws {
        let whole = octets(Self.referenceTime + Self.delays + Self.summary + Self.metrics)
        let ends = [12, 40, 80, 116]
        #expect(whole.count == ends.last)
        for words in 0...(whole.count / 4) {
            let bytes =
                octets(Self.report) + [0x80, 0xCF, 0, UInt8(1 + words)] + octets("1234abcd")
                + whole.prefix(4 * words)
            var compound = try RTCPCompound(validating: bytes.span)
            _ = compound.next(in: bytes.span)
            guard case .extendedReport(var report) = compound.next(in: bytes.span) else {
                Issue.record("no extended report")
                return
            }
            var count = 0
            while report.next(in: bytes.span) != nil { count += 1 }
            #expect(count == ends.count { $0 <= 4 * words })
        }
        // Cut off within a packet's claimed length, the whole datagram is nothing.
        let bytes = octets(Self.report) + octets("80cf001e1234abcd") + whole
        for length in 9..<bytes.count {
            #expect(throws: RTCPParseError.self) {
                try RTCPCompound(validating: Array(bytes.prefix(length)).span)
            }
        }
    }

    @Test func blocksReadBackAsWritten() throws {
        var metrics = VoIPMetrics(ssrc: SSRC(rawValue: 7))
        metrics.signalLevel = -20
        metrics.rating = 93
        metrics.bufferAbsoluteMaximum = 500
        let summary = StatisticsSummary(
            ssrc: SSRC(rawValue: 7), begin: SequenceNumber(rawValue: 1), end: SequenceNumber(rawValue: 2),
            lost: 3, duplicates: nil, jitter: .init(minimum: 1, maximum: 2, mean: 3, deviation: 4))
        let time = NTPTimestamp(rawValue: 0x0102_0304_0506_0708)
        let delay = ReceiverDelay(
            ssrc: SSRC(rawValue: 9), lastReceiverReport: 5, delaySinceLastReceiverReport: 6)
        let length =
            RTCPExtendedReport.receiverReferenceTimeLength + RTCPExtendedReport.receiverDelayLength
            + StatisticsSummary.length + VoIPMetrics.length
        let bytes = datagram(capacity: 8 + RTCPExtendedReport.length(blocksLength: length)) { output in
            let none: [ReportBlock] = []
            RTCPReport.serialize(
                sender: SSRC(rawValue: 1), senderInfo: nil, reportBlocks: none.span, into: &output)
            RTCPExtendedReport.serializeHeader(
                sender: SSRC(rawValue: 1), blocksLength: length, into: &output)
            RTCPExtendedReport.serialize(receiverReferenceTime: time, into: &output)
            RTCPExtendedReport.serialize(delay, into: &output)
            summary.serialize(into: &output)
            metrics.serialize(into: &output)
        }
        #expect(bytes.count == 8 + RTCPExtendedReport.length(blocksLength: length))
        var compound = try RTCPCompound(validating: bytes.span)
        _ = compound.next(in: bytes.span)
        guard case .extendedReport(var report) = compound.next(in: bytes.span) else {
            Issue.record("no extended report")
            return
        }
        var blocks: [ExtendedReportBlock] = []
        while let block = report.next(in: bytes.span) { blocks.append(block) }
        #expect(blocks.count == 4)
        #expect(blocks[0] == .receiverReferenceTime(time))
        guard case .receiverDelays(let delays) = blocks[1] else {
            Issue.record("no answers")
            return
        }
        #expect(delays.delay(of: SSRC(rawValue: 9), in: bytes.span) == delay)
        #expect(blocks[2] == .statisticsSummary(summary))
        #expect(blocks[3] == .voIPMetrics(metrics))
    }
}
