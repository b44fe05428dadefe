import AllocationCounter
import MediaTime
import RTP
import Testing

@Suite("RTP packet, RFC 3550 §5.1")
struct RTPPacketTests {
    /// Made by hand from the figure in §5.1: V=2, P, X, CC=2, M, PT=111; one word of extension; 3 octets of payload.
    static let full = octets("b2ef1234decafbadcafebabe 0000000a0000000b bede000110aa0000 010203 000003")

    private func error(in hex: String) -> RTPParseError? {
        do {
            _ = try RTPPacket(parsing: octets(hex).span)
            return nil
        } catch { return error }
    }

    @Test func readsEveryField() throws {
        let packet = try RTPPacket(parsing: Self.full.span)
        #expect(packet.header.marker)
        #expect(packet.header.payloadType.rawValue == 111)
        #expect(packet.header.sequenceNumber.rawValue == 0x1234)
        #expect(packet.header.timestamp == 0xDECA_FBAD)
        #expect(packet.header.ssrc.rawValue == 0xCAFE_BABE)
        #expect(packet.csrcCount == 2)
        #expect(packet.csrc(at: 0, in: Self.full.span).rawValue == 10)
        #expect(packet.csrc(at: 1, in: Self.full.span).rawValue == 11)
        #expect(packet.extensionProfile == 0xBEDE)
        #expect(packet.extensionRange == 24..<28)
        #expect(packet.payloadRange == 28..<31)
        #expect(packet.paddingLength == 3)
    }

    @Test(arguments: 0..<12)
    func rejectsEveryTruncationOfTheHeader(length: Int) {
        #expect(throws: RTPParseError.truncated(needed: 12, got: length)) {
            try RTPPacket(parsing: Array(Self.full.prefix(length)).span)
        }
    }

    @Test(arguments: [(12, 24), (20, 24), (23, 24), (24, 28), (27, 28)])
    func saysHowMuchOfCSRCsAndExtensionIsMissing(length: Int, needed: Int) {
        #expect(throws: RTPParseError.truncated(needed: needed, got: length)) {
            try RTPPacket(parsing: Array(Self.full.prefix(length)).span)
        }
    }

    @Test(arguments: [UInt8(0), 1, 3])
    func rejectsOtherVersions(version: UInt8) {
        var bytes = Self.full
        bytes[0] = bytes[0] & 0x3F | version << 6
        #expect(throws: RTPParseError.unsupportedVersion(version)) { try RTPPacket(parsing: bytes.span) }
    }

    // RTP-01
    @Test func paddingThatCountsNoneIsBad() {
        #expect(
            error(in: "a00003e8000000a01234abcdffffffff00") == .badPadding(length: 0, available: 5))
    }

    @Test func paddingThatReachesIntoTheHeaderIsBad() {
        #expect(error(in: "a00003e8000000a01234abcdff03") == .badPadding(length: 3, available: 2))
        #expect(error(in: "a00003e8000000a01234abcd") == .badPadding(length: 0xCD, available: 0))
    }

    @Test func aPacketOfPaddingAloneHasAnEmptyPayload() throws {
        let packet = try RTPPacket(parsing: octets("a00003eb000002801234abcd00000004").span)
        #expect(packet.payloadRange.isEmpty)
        #expect(packet.paddingLength == 4)
    }

    // RTP-06
    @Test(arguments: [
        ("900003ed000003c01234abcdbede0000ffffffff", 16..<16),
        ("900003ee000004601234abcdbede000110aa0000ffffffff", 16..<20),
    ])
    func anExtensionsLengthCountsWords(hex: String, range: Range<Int>) throws {
        let bytes = octets(hex)
        let packet = try RTPPacket(parsing: bytes.span)
        #expect(packet.extensionRange == range)
        #expect(Array(bytes[packet.payloadRange]) == octets("ffffffff"))
    }

    // RTP-07
    @Test func anExtensionPastTheEndIsTruncated() {
        #expect(
            error(in: "900003ef000005001234abcdbedeffffffffffff")
                == .truncated(needed: 16 + 4 * 65535, got: 20))
        #expect(error(in: "900003f0000005a01234abcdbede") == .truncated(needed: 16, got: 14))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomOctetsNeverTrapAndStayInside(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for length in 0..<60 {
            var bytes = [UInt8].random(count: length, using: &generator)
            if !bytes.isEmpty, seed % 2 == 0 { bytes[0] = bytes[0] & 0x3F | 0x80 }
            guard let packet = try? RTPPacket(parsing: bytes.span) else { continue }
            #expect(packet.payloadRange.upperBound + packet.paddingLength == length)
            #expect(packet.payloadRange.lowerBound >= 12 + 4 * packet.csrcCount)
            for index in 0..<packet.csrcCount { _ = packet.csrc(at: index, in: bytes.span) }
        }
    }

    // RTP-10
    @Test func markerAndPayloadTypeLeaveEachOtherAlone() throws {
        for octet in UInt8.min...UInt8.max {
            var bytes = Self.full
            bytes[1] = octet
            let read = try RTPPacket(parsing: bytes.span).header
            var header = read
            header.payloadType = PayloadType(rawValue: 0)
            header.marker = false
            header.payloadType = read.payloadType
            header.marker = read.marker
            let written = datagram(capacity: RTPHeader.length) { header.serialize(into: &$0) }
            #expect(written == [0x80] + bytes[1..<12])
        }
    }

    // Rejection can't be counted here: the test runner's hook on `throw` boxes each error. The mark on the initializer
    // stands for it.
    @Test(.enabled(if: allocation_counting_is_available()))
    func parsingAndSerializingDoNotAllocate() throws {
        let bytes = Self.full
        var buffer = [UInt8](repeating: 0, count: 12)
        _ = try RTPPacket(parsing: bytes.span)
        let before = allocation_count()
        for _ in 0..<1_000 {
            let packet = try RTPPacket(parsing: bytes.span)
            _ = packet.payloadRange
            buffer.withUnsafeMutableBufferPointer { memory in
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                packet.header.serialize(into: &output)
                _ = output.finalize(for: memory)
            }
        }
        #expect(allocation_count() - before == 0)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func theCounterCounts() {
        let before = allocation_count()
        let array = [Int](repeating: 1, count: 100)
        #expect(allocation_count() > before)
        #expect(array.count == 100)
    }
}
