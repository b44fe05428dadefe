import AllocationCounter
import MediaTime
import RTP
import Testing

@Suite("RTCP, RFC 3550 §6 and §A.2")
struct RTCPCompoundTests {
    static let lossOfMinusTwo = "81c900071234abcd0a0b0c0d00fffffe00010010000000030010800000008000"
    static let reportWithExtension =
        "80c800081234abcde40000108000000000027100000003e8000271000102030405060708"
    static let paddedReport = "a0c900021234abcd00000004"
    static let emptyReport = "80c900011234abcd"

    private func packets(in hex: String) throws(RTCPParseError) -> [RTCPPacket] {
        let bytes = octets(hex)
        var compound = try RTCPCompound(validating: bytes.span)
        var packets: [RTCPPacket] = []
        while let packet = compound.next(in: bytes.span) { packets.append(packet) }
        return packets
    }

    private func error(in hex: String) -> RTCPParseError? {
        do {
            _ = try packets(in: hex)
            return nil
        } catch { return error }
    }

    // RTCP-01
    @Test func aCumulativeLossIsSigned() throws {
        guard case .report(let report) = try packets(in: Self.lossOfMinusTwo).first else {
            Issue.record("no report")
            return
        }
        #expect(report.sender.rawValue == 0x1234_ABCD)
        #expect(report.senderInfo == nil)
        try #require(report.reportBlockCount == 1)
        let block = report.reportBlock(at: 0, in: octets(Self.lossOfMinusTwo).span)
        #expect(
            block
                == ReportBlock(
                    ssrc: SSRC(rawValue: 0x0A0B_0C0D), fractionLost: 0, cumulativeLost: -2,
                    extendedHighestSequenceNumber: 0x0001_0010, jitter: 3, lastSenderReport: 0x0010_8000,
                    delaySinceLastSenderReport: 0x8000))
    }

    // RTCP-02, RTCP-06
    @Test func aProfilesExtensionIsSkipped() throws {
        let packets = try packets(in: Self.reportWithExtension + Self.emptyReport)
        #expect(packets.count == 2)
        guard case .report(let report) = packets.first else {
            Issue.record("no report")
            return
        }
        #expect(report.reportBlockCount == 0)
        #expect(
            report.senderInfo
                == SenderInfo(
                    ntpTimestamp: NTPTimestamp(rawValue: 0xE400_0010_8000_0000), rtpTimestamp: 160_000,
                    packetCount: 1000, octetCount: 160_000))
        #expect(report.senderInfo?.ntpTimestamp.middle32 == 0x0010_8000)
    }

    // RTCP-08
    @Test func paddingIsAcceptedOnTheLastPacketOnly() throws {
        #expect(try packets(in: Self.paddedReport).count == 1)
        #expect(try packets(in: Self.emptyReport + Self.paddedReport).count == 2)
        #expect(error(in: Self.paddedReport + Self.emptyReport) == .paddingBeforeTheEnd(offset: 0))
    }

    @Test(arguments: [("00", 0), ("03", 3), ("08", 8), ("0c", 12)])
    func paddingIsCountedInWholeWordsThatExist(last: String, length: Int) throws {
        let error = error(in: "a0c900021234abcd000000" + last)
        if length == 8 {
            // All of the body is padding, so there's no room left for the sender.
            #expect(error == .truncated(offset: 0, needed: 8, got: 4))
        } else {
            #expect(error == .badPadding(length: length, offset: 0))
        }
    }

    @Test func aCompoundThatBeginsWithNoReportIsRejected() {
        #expect(error(in: "80cf00021234abcd05000003") == .firstIsNoReport(packetType: 207))
        #expect(error(in: "81cb00011234abcd") == .firstIsNoReport(packetType: 203))
    }

    @Test(arguments: ["80c700021234abcd05000003", "80d000021234abcd05000000", "80df0000"])
    func whatWeDoNotReadIsSkippedUnread(hex: String) throws {
        let packets = try packets(in: Self.emptyReport + hex + Self.emptyReport)
        #expect(packets.count == 3)
        guard case .other = packets[1] else {
            Issue.record("read \(packets[1])")
            return
        }
    }

    @Test func anApplicationsPacketHasASubtypeANameAndData() throws {
        let packets = try packets(in: Self.emptyReport + "8bcc00031234abcd4e414d45 01020304")
        guard case .application(let application) = packets.last else {
            Issue.record("no application packet")
            return
        }
        #expect(application.subtype == 11)
        #expect(application.source.rawValue == 0x1234_ABCD)
        #expect(application.name == 0x4E41_4D45)
        #expect(application.dataRange == 20..<24)
    }

    /// RFC 4585 §6.2.1 and §6.3.1: a generic NACK, and a picture loss indication.
    @Test(arguments: [("81cd00031234abcd0a0b0c0d00010000", false), ("81ce00021234abcd0a0b0c0d", true)])
    func feedbackTellsItsFormatAndItsStream(hex: String, isPayloadSpecific: Bool) throws {
        guard case .feedback(let feedback) = try packets(in: Self.emptyReport + hex).last else {
            Issue.record("no feedback")
            return
        }
        #expect(feedback.isPayloadSpecific == isPayloadSpecific)
        #expect(feedback.format == 1)
        #expect(feedback.sender.rawValue == 0x1234_ABCD)
        #expect(feedback.mediaSource.rawValue == 0x0A0B_0C0D)
    }

    @Test(arguments: ["80cc00011234abcd", "80cd00011234abcd", "80ce00011234abcd", "80cf0000"])
    func aPacketWithoutWhatAllOfItsTypeHaveIsTruncated(hex: String) {
        guard case .truncated? = error(in: Self.emptyReport + hex) else {
            Issue.record("accepted")
            return
        }
    }

    // RTCP-09
    @Test func moreChunksThanCountedAreNotRead() throws {
        // 40 chunks of 8 octets cannot be counted in five bits.
        let chunks = (0..<40).map { String(1000 + $0) + "000000000000" }.joined()
        let hex = Self.emptyReport + "9fca0050" + chunks.prefix(40 * 16)
        let bytes = octets(hex)
        var compound = try RTCPCompound(validating: bytes.span)
        _ = compound.next(in: bytes.span)
        guard case .sourceDescription(let description) = compound.next(in: bytes.span) else {
            Issue.record("no source description")
            return
        }
        #expect(description.chunkCount == 31)
        #expect(description.canonicalName(of: SSRC(rawValue: 1), in: bytes.span) == nil)
    }

    @Test(
        arguments: [
            ("81ca000312345678 0103616263000000", nil),
            ("81ca00031234abcd 0103616263000000", 18..<21),
            ("81ca00031234abcd 0106616263646566", 18..<24),
            ("81ca00031234abcd 0107616263646566", nil),
            ("81ca00031234abcd 0201780102797a00", 21..<23),
            ("82ca000500000001 010161001234abcd 0102626300000000", 26..<28),
            ("82ca000500000001 010161000000 0000", nil),
            ("82ca000412345678 000000001234abcd 01 00 0000", 26..<26),
            ("81ca0000", nil),
        ] as [(String, Range<Int>?)])
    func aCanonicalNameIsFoundOrNil(hex: String, expected: Range<Int>?) throws {
        let bytes = octets(Self.emptyReport + hex)
        guard var compound = try? RTCPCompound(validating: bytes.span) else {
            #expect(expected == nil)
            return
        }
        _ = compound.next(in: bytes.span)
        guard case .sourceDescription(let description) = compound.next(in: bytes.span) else {
            Issue.record("no source description")
            return
        }
        #expect(description.canonicalName(of: SSRC(rawValue: 0x1234_ABCD), in: bytes.span) == expected)
    }

    @Test(arguments: 0..<60)
    func rejectsEveryTruncation(length: Int) {
        let whole = octets(
            Self.reportWithExtension + "81ca00031234abcd0103616263000000" + "81cb00011234abcd")
        let ends = [36, 52]
        guard length < whole.count, !ends.contains(length) else { return }
        #expect(throws: RTCPParseError.self) {
            try RTCPCompound(validating: Array(whole.prefix(length)).span)
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func randomOctetsNeverTrap(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var bytes = octets(Self.emptyReport)
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            let words = Int.random(in: 0..<10, using: &generator)
            bytes += [.random(in: 0x80...0x9F, using: &generator), .random(in: 200...208, using: &generator)]
            bytes += [0, UInt8(words)] + [UInt8].random(count: 4 * words, using: &generator)
        }
        guard var compound = try? RTCPCompound(validating: bytes.span) else { return }
        while let packet = compound.next(in: bytes.span) {
            switch packet {
            case .report(let report):
                for index in 0..<report.reportBlockCount { _ = report.reportBlock(at: index, in: bytes.span) }
            case .sourceDescription(let description):
                let name = description.canonicalName(of: SSRC(rawValue: 1), in: bytes.span)
                #expect(name.map { $0.upperBound <= bytes.count } ?? true)
            case .goodbye(let goodbye):
                for index in 0..<goodbye.sourceCount { _ = goodbye.source(at: index, in: bytes.span) }
                let reason = goodbye.reasonRange(in: bytes.span)
                #expect(reason.map { $0.upperBound <= bytes.count } ?? true)
            case .application(let application):
                #expect(application.dataRange.upperBound <= bytes.count)
            case .extendedReport(var report):
                while let block = report.next(in: bytes.span) {
                    guard case .receiverDelays(let delays) = block else { continue }
                    _ = delays.delay(of: SSRC(rawValue: 1), in: bytes.span)
                }
            case .feedback, .other: break
            }
        }
    }
}
