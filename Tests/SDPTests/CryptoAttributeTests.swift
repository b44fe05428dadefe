import SDP
import Testing

@Suite("Crypto lines, RFC 4568 §9")
struct CryptoAttributeTests {
    /// Octets 0 to 29.
    static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd"
    static let line = "crypto:1 AES_CM_128_HMAC_SHA1_80 inline:" + key

    private func lines(_ lines: String...) throws -> CryptoLines {
        let head = ["v=0", "m=audio 4000 RTP/SAVP 0"]
        let text = (head + lines.map { "a=" + $0 }).joined(separator: "\r\n")
        return try SessionDescription(parsing: text).media[0].cryptoLines
    }

    @Test func aPlainLineHasItsKey() throws {
        let line = try #require(try lines(Self.line).usable.first)
        #expect(line.tag == 1)
        #expect(line.key.suite == .aes128CounterMode80)
        #expect(line.key.keyAndSalt == Array(0..<30))
        #expect(line.lifetime == nil)
        #expect(line.masterKeyIdentifier == nil)
    }

    // SDP-01
    @Test(
        arguments: [
            ("|2^31", 1 << 31, nil), ("|2^48", 1 << 48, nil), ("|1048576", 1_048_576, nil), ("|1", 1, nil),
            ("|2^20|1:4", 1 << 20, MasterKeyIdentifier(value: 1, length: 4)),
            ("|17:128", nil, MasterKeyIdentifier(value: 17, length: 128)),
        ] as [(String, UInt64?, MasterKeyIdentifier?)])
    func aLifetimeStandsAfterTheKey(end: String, lifetime: UInt64?, identifier: MasterKeyIdentifier?) throws {
        let lines = try lines(Self.line + end, "crypto:2 AES_CM_128_HMAC_SHA1_32 inline:" + Self.key)
        try #require(lines.usable.count == 2)
        #expect(lines.usable[0].key.keyAndSalt == Array(0..<30))
        #expect(lines.usable[0].lifetime == lifetime)
        #expect(lines.usable[0].masterKeyIdentifier == identifier)
    }

    // SDP-01, SDP-03
    @Test(
        arguments: [
            ("||1:1", .badLifetime), ("|2^49", .badLifetime), ("|", .badLifetime), ("|2^", .badLifetime),
            ("|0", .badLifetime), ("|281474976710657", .badLifetime), ("|-1", .badLifetime),
            ("|2^31|", .badMasterKeyIdentifier), ("|2^31|1", .badMasterKeyIdentifier),
            ("|1:0", .badMasterKeyIdentifier), ("|256:1", .badMasterKeyIdentifier),
            ("|1:129", .badMasterKeyIdentifier),
            ("|2^31|1:1|1:1", .badMasterKeyIdentifier), ("|1:1:1", .badMasterKeyIdentifier),
            ("=", .badKey), ("A", .badKey), ("AAAA", .badKey), (";inline:AAAA|1:1", .severalKeys),
            (" UNENCRYPTED_SRTCP", .unsupportedParameter), (" KDR=1 WSH=64 -x-vendor", .unsupportedParameter),
            (" WSH=63", .unsupportedParameter), (" WSH=64 FEC_KEY=inline:AAAA", .unsupportedParameter),
            (" x-vendor", .unsupportedParameter),
        ] as [(String, CryptoLineProblem)])
    func aBadLineLeavesTheOthersUsable(end: String, problem: CryptoLineProblem) throws {
        let lines = try lines(Self.line + end, "crypto:2 AES_CM_128_HMAC_SHA1_80 inline:" + Self.key)
        #expect(lines.problems == [problem])
        #expect(lines.usable.map(\.tag) == [2])
    }

    @Test(
        arguments: [
            ("crypto:x AES_CM_128_HMAC_SHA1_80 inline:AAAA", .malformed),
            ("crypto:+1 AES_CM_128_HMAC_SHA1_80 inline:AAAA", .malformed),
            ("crypto:1234567890 AES_CM_128_HMAC_SHA1_80 inline:AAAA", .malformed),
            ("crypto:1 AES_CM_128_HMAC_SHA1_80", .malformed), ("crypto", .malformed),
            ("crypto:1 AES_CM_128_HMAC_SHA1_80 " + key, .malformed),
            ("crypto:1 F8_128_HMAC_SHA1_80 inline:" + key, .unknownSuite("F8_128_HMAC_SHA1_80")),
            ("crypto:1 \(key) inline:AAAA", .unknownSuite(nil)),
            ("crypto:1 AES_256_CM_HMAC_SHA1_80 inline:" + key, .badKey),
            ("crypto:1 AES_CM_128_HMAC_SHA1_80 inline:", .badKey),
            // 28 octets, and 4 bits after them that aren't zero.
            ("crypto:1 AEAD_AES_128_GCM inline:" + key.prefix(36) + "AR==", .badKey),
            ("crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxw-", .badKey),
        ] as [(String, CryptoLineProblem)])
    func whatIsNoLineSaysWhy(line: String, problem: CryptoLineProblem) throws {
        let lines = try lines(line)
        #expect(lines.problems == [problem])
        #expect(lines.usable.isEmpty)
    }

    // SDP-04
    @Test func tagsAreAnyNumberOfNineDigitsButOnlyOnce() throws {
        let rest = " AES_CM_128_HMAC_SHA1_80 inline:" + Self.key
        let lines = try lines(
            "crypto:0" + rest, "crypto:999999999" + rest, "crypto:1" + rest, "crypto:1" + rest)
        #expect(lines.usable.map(\.tag) == [0, 999_999_999, 1])
        #expect(lines.problems == [.repeatedTag])
    }

    @Test func harmlessParametersAreKept() throws {
        let line = try #require(try lines(Self.line + " WSH=128 -x-vendor").usable.first)
        #expect(line.sessionParameters == ["WSH=128", "-x-vendor"])
    }

    @Test(arguments: CryptoSuite.allCases)
    func everySuiteReadsBackTheKeyItWrote(suite: CryptoSuite) throws {
        let octets = (0..<suite.keyAndSaltLength).map { UInt8(truncatingIfNeeded: 251 &- 37 * $0) }
        let key = try #require(MasterKey(suite: suite, keyAndSalt: octets))
        let offer = capabilities(security: .required([key])).makeOffer()
        let text = offer.serialized()
        let read = try SessionDescription(parsing: text).media[0].cryptoLines
        #expect(read.usable == [CryptoAttribute(tag: 1, key: key)])
        let inline = text.split(separator: "inline:")[1].prefix { $0 != "\r\n" }
        #expect(inline.count == (suite.keyAndSaltLength + 2) / 3 * 4)

        // Some phones leave the padding out.
        let line = "a=crypto:1 \(suite.rawValue) inline:" + inline.prefix { $0 != "=" }
        let lenient = try SessionDescription(parsing: sdp("v=0", "m=audio 1 RTP/SAVP 0", line))
        #expect(lenient.media[0].cryptoLines.usable.map(\.key.keyAndSalt) == [octets])
    }

    @Test func nothingThatIsPrintedHoldsAKey() throws {
        let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd"
        let text = sdp(
            "v=0", "c=IN IP4 192.0.2.7", "k=base64:\(secret)", "a=key-mgmt:mikey \(secret)",
            "m=audio 4000 RTP/SAVP 0",
            "k=base64:\(secret)", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(secret)|2^31",
            "a=crypto:\(secret)", "a=crypto:2 \(secret)", "a=Crypto:3 AES inlin:\(secret) \(secret)",
            "a=ice-pwd:\(secret)", "a=crypto:x AES_CM_128_HMAC_SHA1_80 inline:\(secret)")
        let description = try SessionDescription(parsing: text)
        let key = try #require(MasterKey(suite: .aes128CounterMode80, keyAndSalt: Array(0..<30)))
        let ours = capabilities(security: .required([key]))
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: description)
        var printed = [
            description.redacted(), "\(description)", String(reflecting: description), "\(description.media)",
            "\(description.media[0].cryptoLines)", "\(ours)", String(reflecting: ours), "\(media)",
            String(reflecting: media), String(reflecting: description.attributes), "\(ours.makeOffer())",
        ]
        var dumped = ""
        dump(description, to: &dumped)
        dump(media, to: &dumped)
        dump(ours, to: &dumped)
        printed.append(dumped)
        for text in printed {
            #expect(!text.contains(secret.prefix(12)))
            #expect(!text.contains("10, 11, 12, 13") && !text.contains("- 13\n"))
        }
        #expect(description.redacted().contains("a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:…"))
        #expect(description.serialized().contains(secret))
    }
}
