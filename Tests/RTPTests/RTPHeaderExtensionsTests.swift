import MediaTime
import RTP
import Testing

@Suite("RTP header extensions, RFC 8285 §4")
struct RTPHeaderExtensionsTests {
    /// Identifiers and data of a packet's elements, whose extension has `profile` and `data`, whole words.
    private func elements(profile: String, _ data: String) throws -> [String] {
        let body = octets(data)
        let words = UInt8(body.count / 4)
        let bytes = octets("900003ed000003c01234abcd" + profile) + [0, words] + body + octets("ffffffff")
        return try elements(in: bytes)
    }

    private func elements(in bytes: [UInt8]) throws -> [String] {
        var extensions = RTPHeaderExtensions(of: try RTPPacket(parsing: bytes.span))
        var elements: [String] = []
        while let element = extensions.next(in: bytes.span) {
            let data = bytes[element.dataRange].map { String($0, radix: 16) }.joined(separator: " ")
            elements.append("\(element.identifier): \(data)")
        }
        return elements
    }

    // RTP-09
    @Test func anElementOf0WithALengthEndsTheReading() throws {
        #expect(try elements(in: octets("900003f1000006401234abcdbede00020310aa0000000000ffffffff")) == [])
        #expect(try elements(profile: "bede", "10aa 0311 22334455") == ["1: aa"])
    }

    @Test(
        arguments: [
            ("bede", "10aa0000", ["1: aa"]),
            ("bede", "0010aa00", ["1: aa"]),
            ("bede", "10aa0021bbcc0000", ["1: aa", "2: bb cc"]),
            ("bede", "e0bb10aa", ["14: bb", "1: aa"]),
            ("bede", "10aaf011 20bb0000", ["1: aa"]),
            ("bede", "10aa23bb", ["1: aa"]),
            ("bede", "00000010", []),
            ("bede", "", []),
            ("1000", "0100 0202bbcc 0000", ["1: ", "2: bb cc"]),
            ("100f", "ff01aa00", ["255: aa"]),
            ("1000", "0f01aa00", ["15: aa"]),
            ("1000", "0102aabb 01030405", ["1: aa bb"]),
            ("1000", "00000001", []),
            ("1010", "0101aa00", []),
            ("abcd", "10aa0000", []),
        ] as [(String, String, [String])])
    func elementsAreReadUpToWhatCannotBeBelieved(profile: String, data: String, expected: [String]) throws {
        #expect(try elements(profile: profile, data) == expected)
    }

    @Test func aPacketWithoutAnExtensionHasNoElement() throws {
        #expect(try elements(in: octets("800003ed000003c01234abcdffffffff")) == [])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomExtensionsEndAndStayInside(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let words = UInt8.random(in: 0...20, using: &random)
        let profile = seed % 2 == 0 ? "bede" : "1000"
        let bytes =
            octets("900003ed000003c01234abcd" + profile) + [0, words]
            + [UInt8].random(count: 4 * Int(words), using: &random) + [1, 2, 3]
        let packet = try RTPPacket(parsing: bytes.span)
        let range = try #require(packet.extensionRange)
        var extensions = RTPHeaderExtensions(of: packet)
        var last = range.lowerBound
        while let element = extensions.next(in: bytes.span) {
            #expect(element.dataRange.lowerBound > last && element.dataRange.upperBound <= range.upperBound)
            last = element.dataRange.upperBound
        }
    }
}
