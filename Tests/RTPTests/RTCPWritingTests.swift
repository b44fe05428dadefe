import AllocationCounter
import RTP
import Testing

@Suite("Writing RTCP, RFC 3550 §6")
struct RTCPWritingTests {
    static let ours = SSRC(rawValue: 0x1234_ABCD)
    static let senderInfo = SenderInfo(
        ntpTimestamp: NTPTimestamp(rawValue: 0xE400_0010_8000_0000), rtpTimestamp: 1, packetCount: 2,
        octetCount: 3)

    private func block(cumulativeLost: Int32, ssrc: UInt32 = 7) -> ReportBlock {
        ReportBlock(
            ssrc: SSRC(rawValue: ssrc), fractionLost: 128, cumulativeLost: cumulativeLost,
            extendedHighestSequenceNumber: 0x0001_0010, jitter: 3, lastSenderReport: 4,
            delaySinceLastSenderReport: 5)
    }

    @Test(arguments: [0, 1, 2, 31])
    func reportsReadBackAsWritten(count: Int) throws {
        let blocks = (0..<count).map { block(cumulativeLost: Int32($0) - 2, ssrc: UInt32($0)) }
        for senderInfo in [nil, Self.senderInfo] {
            let length = RTCPReport.length(withSenderInfo: senderInfo != nil, reportBlockCount: count)
            let bytes = datagram(capacity: length) {
                RTCPReport.serialize(
                    sender: Self.ours, senderInfo: senderInfo, reportBlocks: blocks.span, into: &$0)
            }
            #expect(bytes.count == length)
            var compound = try RTCPCompound(validating: bytes.span)
            guard case .report(let report) = compound.next(in: bytes.span) else {
                Issue.record("no report")
                return
            }
            #expect(report.sender == Self.ours)
            #expect(report.senderInfo == senderInfo)
            let read = (0..<report.reportBlockCount).map { report.reportBlock(at: $0, in: bytes.span) }
            #expect(read == blocks)
        }
    }

    @Test func blocksAfterThe31stAreLeftOut() throws {
        let blocks = (0..<32).map { block(cumulativeLost: 0, ssrc: UInt32($0)) }
        let bytes = datagram(capacity: 1000) {
            RTCPReport.serialize(sender: Self.ours, senderInfo: nil, reportBlocks: blocks.span, into: &$0)
        }
        #expect(bytes.count == RTCPReport.length(withSenderInfo: false, reportBlockCount: 31))
        #expect(throws: Never.self) { try RTCPCompound(validating: bytes.span) }
    }

    // RTCP-01
    @Test(
        arguments: [
            (Int32.min, -0x80_0000), (-0x80_0001, -0x80_0000), (-1, -1), (0x7F_FFFF, 0x7F_FFFF),
            (Int32.max, 0x7F_FFFF),
        ] as [(Int32, Int32)])
    func aCumulativeLossIsClampedTo24Bits(lost: Int32, onTheWire: Int32) throws {
        let bytes = datagram(capacity: 32) {
            RTCPReport.serialize(
                sender: Self.ours, senderInfo: nil, reportBlocks: [block(cumulativeLost: lost)].span,
                into: &$0)
        }
        var compound = try RTCPCompound(validating: bytes.span)
        guard case .report(let report) = compound.next(in: bytes.span) else {
            Issue.record("no report")
            return
        }
        let read = report.reportBlock(at: 0, in: bytes.span)
        #expect(read.cumulativeLost == onTheWire)
        #expect(read.fractionLost == 128)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 255, 256])
    func aCompoundOfThreeReadsBack(length: Int) throws {
        let text = [UInt8](repeating: 0x61, count: length)
        let capacity =
            8 + RTCPSourceDescription.length(nameLength: length) + RTCPGoodbye.length(reasonLength: length)
        let bytes = datagram(capacity: capacity) { output in
            let none: [ReportBlock] = []
            RTCPReport.serialize(sender: Self.ours, senderInfo: nil, reportBlocks: none.span, into: &output)
            RTCPSourceDescription.serialize(canonicalName: text.span, of: Self.ours, into: &output)
            RTCPGoodbye.serialize(source: Self.ours, reason: text.span, into: &output)
        }
        #expect(bytes.count == capacity)
        var compound = try RTCPCompound(validating: bytes.span)
        _ = compound.next(in: bytes.span)
        guard case .sourceDescription(let description) = compound.next(in: bytes.span),
            case .goodbye(let goodbye) = compound.next(in: bytes.span)
        else {
            Issue.record("a packet is missing")
            return
        }
        #expect(description.canonicalName(of: Self.ours, in: bytes.span)?.count == min(length, 255))
        #expect(goodbye.sourceCount == 1)
        #expect(goodbye.source(at: 0, in: bytes.span) == Self.ours)
        #expect(goodbye.reasonRange(in: bytes.span)?.count == (length == 0 ? nil : min(length, 255)))
        let last = compound.next(in: bytes.span)
        #expect(last == nil)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func writingAndReadingDoNotAllocate() throws {
        let name = Array("caller@example".utf8)
        let blocks = [block(cumulativeLost: 1)]
        var buffer = [UInt8](repeating: 0, count: 200)
        var read = 0
        let before = allocation_count()
        for _ in 0..<1_000 {
            let length = buffer.withUnsafeMutableBufferPointer { memory in
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                RTCPReport.serialize(
                    sender: Self.ours, senderInfo: Self.senderInfo, reportBlocks: blocks.span, into: &output)
                RTCPSourceDescription.serialize(canonicalName: name.span, of: Self.ours, into: &output)
                RTCPGoodbye.serialize(source: Self.ours, reason: name.span, into: &output)
                return output.finalize(for: memory)
            }
            let written = buffer.span.extracting(0..<length)
            var compound = try RTCPCompound(validating: written)
            while let packet = compound.next(in: written) {
                if case .report(let report) = packet {
                    read += Int(report.reportBlock(at: 0, in: written).cumulativeLost)
                }
                if case .sourceDescription(let description) = packet {
                    read += description.canonicalName(of: Self.ours, in: written)?.count ?? 0
                }
            }
        }
        #expect(allocation_count() - before == 0)
        #expect(read == 15_000)
    }
}

@Suite("NTP timestamps and the round trip, RFC 3550 §4 and §6.4.1")
struct NTPTimestampTests {
    @Test(
        arguments: [
            (0, 0x83AA_7E80_0000_0000), (500_000_000, 0x83AA_7E80_8000_0000), (-1, 0x83AA_7E80_0000_0000),
            (2_085_978_496_000_000_000, 0),
        ] as [(Int64, UInt64)])
    func secondsCountFrom1900AndWrapIn2036(nanoseconds: Int64, rawValue: UInt64) {
        #expect(NTPTimestamp(nanosecondsSince1970: nanoseconds).rawValue == rawValue)
    }

    @Test func theExampleOfFigure2TakesSixSecondsAndAnEighth() {
        // RFC 3550 figure 2: LSR b705:2000, DLSR 5.250 s, A b710:8000.
        #expect(
            roundTrip(lastSenderReport: 0xB705_2000, delay: 0x0005_4000, at: 0xB710_8000) == .seconds(6.125))
    }

    @Test(
        arguments: [
            (0, 0, 1000), (2000, 0, 1000), (1000, 500, 1499), (1, 0, 60 << 16 | 1), (1, 0xFFFF_FFFF, 0),
        ] as [(UInt32, UInt32, UInt32)])
    func whatCannotBeTrueIsNoRoundTrip(lastSenderReport: UInt32, delay: UInt32, arrival: UInt32) {
        let answer = roundTrip(lastSenderReport: lastSenderReport, delay: delay, at: arrival)
        // Modulo 2^32 the last one is exact: sent at 1, held for all but one unit of a turn, here at 0.
        #expect(answer == (delay == 0xFFFF_FFFF ? .zero : nil))
    }

    private func roundTrip(lastSenderReport: UInt32, delay: UInt32, at arrival: UInt32) -> Duration? {
        let block = ReportBlock(
            ssrc: SSRC(rawValue: 1), fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0,
            jitter: 0, lastSenderReport: lastSenderReport, delaySinceLastSenderReport: delay)
        return NTPTimestamp.roundTrip(of: block, arrivedAt: arrival)
    }
}
