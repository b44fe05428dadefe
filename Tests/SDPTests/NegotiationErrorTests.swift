import SDP
import Testing

@Suite("What makes no call, RFC 3264 §6 and RFC 4568 §5")
struct NegotiationErrorTests {
    static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd"
    static let secure = MediaCapabilities.Security.required([
        masterKey(1), masterKey(2, .aes128CounterMode32),
    ])

    private func sections(_ lines: [String]) throws -> SessionDescription {
        try SessionDescription(parsing: (["v=0"] + lines).joined(separator: "\r\n"))
    }

    private func errors(
        _ lines: [String], _ security: MediaCapabilities.Security
    ) throws -> (offered: NegotiationError?, answered: NegotiationError?) {
        let ours = capabilities(security: security)
        let theirs = try sections(lines)
        var errors: (offered: NegotiationError?, answered: NegotiationError?) = (nil, nil)
        do throws(NegotiationError) { _ = try ours.makeAnswer(to: theirs) } catch { errors.offered = error }
        do throws(NegotiationError) {
            _ = try ours.negotiated(byOffering: ours.makeOffer(), answer: theirs)
        } catch { errors.answered = error }
        return errors
    }

    @Test(arguments: [
        (["c=IN IP4 a", "m=audio 0 RTP/AVP 0"], NegotiationError.rejected),
        (["m=audio 0 RTP/AVP 0"], .rejected), (["m=audio 1 RTP/AVP 0"], .noAddress),
        (["c=IN IP4 a", "m=audio 1 RTP/AVP 18"], .noCommonCodec),
        (["c=IN IP4 a", "m=audio 1 RTP/AVP 111"], .noCommonCodec),
        (["c=IN IP4 a", "m=audio 1 RTP/AVP"], .noCommonCodec),
        (["c=IN IP4 a", "m=video 1 RTP/AVP 0"], .noAudio),
        (["c=IN IP4 a", "m=audio 1 UDP/TLS/RTP/SAVP 0"], .noAudio),
        (["c=IN IP4 a", "m=audio 1 RTP/SAVP 0"], .encryptionUnavailable),
    ])
    func sayWhyWithoutEncryption(lines: [String], error: NegotiationError) throws {
        let errors = try errors(lines, .none)
        #expect(errors.offered == error)
        #expect(errors.answered == error)
    }

    @Test(arguments: [
        (["m=audio 1 RTP/AVP 0"], NegotiationError.encryptionRequired),
        (
            ["m=audio 1 RTP/AVP 0", "a=crypto:1 NULL_NULL inline:"],
            .noUsableCryptoLine([.unknownSuite("NULL_NULL")])
        ),
        (
            ["m=audio 1 RTP/SAVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(key) UNENCRYPTED_SRTP"],
            .noUsableCryptoLine([.unsupportedParameter])
        ),
    ])
    func encryptionIsNeverGivenUp(lines: [String], error: NegotiationError) throws {
        let errors = try errors(["c=IN IP4 a"] + lines, Self.secure)
        #expect(errors.offered == error)
        #expect(errors.answered == error)
    }

    @Test func aSecureProfileWithoutKeysIsNoCall() throws {
        let errors = try errors(["c=IN IP4 a", "m=audio 1 RTP/SAVP 0"], Self.secure)
        #expect(errors.offered == .noUsableCryptoLine([]))
        #expect(errors.answered == .encryptionRequired)
    }

    @Test(arguments: [
        (3, "AES_CM_128_HMAC_SHA1_80"), (1, "AES_CM_128_HMAC_SHA1_32"), (0, "AES_CM_128_HMAC_SHA1_80"),
    ])
    func anAnswerTakesALineThatWasOffered(tag: Int, suite: String) throws {
        let line = "a=crypto:\(tag) \(suite) inline:\(Self.key)"
        let errors = try errors(["c=IN IP4 a", "m=audio 1 RTP/SAVP 0", line], Self.secure)
        #expect(errors.answered == .cryptoMismatch(tag: tag))
        #expect(errors.offered == nil)
    }

    // SDP-03
    @Test func theFirstLineThatWeHaveIsTaken() throws {
        let offer = try sections([
            "c=IN IP4 a", "m=audio 1 RTP/SAVP 0",
            "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key) UNENCRYPTED_SRTCP",
            "a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key)|2^31",
            "a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key) KDR=1 WSH=64 -x-vendor",
            "a=crypto:4 AES_CM_128_HMAC_SHA1_32 inline:\(Self.key)",
        ])
        let ours = capabilities(security: Self.secure)
        let answer = try ours.makeAnswer(to: offer)
        #expect(answer.media[0].cryptoLines.usable == [CryptoAttribute(tag: 2, key: masterKey(1))])
        let media = try ours.negotiated(byAnswering: offer, with: answer)
        guard case .encrypted(tag: 2, local: masterKey(1), let remote) = media.security else {
            Issue.record("\(media.security)")
            return
        }
        #expect(remote.keyAndSalt == Array(0..<30))
    }

    @Test func theIdentifierOfTheOtherSidesKeyIsKnownAndOursHasNone() throws {
        let offer = try sections([
            "c=IN IP4 a", "m=audio 1 RTP/SAVP 0",
            "a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key)|2^20|258:4",
        ])
        let ours = capabilities(security: Self.secure)
        let answer = try ours.makeAnswer(to: offer)
        #expect(answer.media[0].cryptoLines.usable == [CryptoAttribute(tag: 2, key: masterKey(1))])
        let media = try ours.negotiated(byAnswering: offer, with: answer)
        #expect(media.remoteMasterKeyIdentifier?.octets == [0, 0, 1, 2])
        let offered = ours.makeOffer()
        var theirs = offered
        theirs.media[0].attributes.removeAll { $0.name == "crypto" }
        theirs.media[0].attributes.append(
            SDPAttribute("crypto", "1 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key)|5:9"))
        let accepted = try ours.negotiated(byOffering: offered, answer: theirs)
        #expect(accepted.remoteMasterKeyIdentifier?.octets == [0, 0, 0, 0, 0, 0, 0, 0, 5])
    }

    @Test func keysUnderThePlainProfileAreUsedToo() throws {
        let offer = try sections([
            "c=IN IP4 a", "m=audio 1 RTP/AVP 0", "a=crypto:7 AES_CM_128_HMAC_SHA1_32 inline:\(Self.key)",
        ])
        let ours = capabilities(security: Self.secure)
        let answer = try ours.makeAnswer(to: offer)
        #expect(answer.media[0].profile == "RTP/AVP")
        #expect(answer.media[0].cryptoLines.usable.map(\.tag) == [7])
        #expect(throws: Never.self) { try ours.negotiated(byAnswering: offer, with: answer) }
    }

    @Test func thePlainSectionBesideASecureOneIsNotTaken() throws {
        let lines = ["c=IN IP4 a", "m=audio 1 RTP/AVP 0", "m=audio 3 RTP/SAVP 0"]
        let offer = try sections(lines + ["a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key)"])
        let answer = try capabilities(security: Self.secure).makeAnswer(to: offer)
        #expect(answer.media.map(\.port) == [0, 4000])
    }
}
