import JSONWebToken
import Testing

@Suite("RFC 7515 signatures")
struct JSONWebSignatureTests {
    /// RFC 7515 A.1.
    private let key = Base64URL.octets(
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
    private let example =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
        + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    @Test func theExampleOfAppendixAOneVerifies() throws {
        let secret = SigningSecret(try #require(key))
        let payload = try JSONWebSignature.payload(of: example, secret: secret, allowed: [.hs256])
        #expect(
            String(decoding: payload, as: UTF8.self)
                == "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}")
    }

    @Test func theExampleIsNoSignInToken() throws {
        let secret = SigningSecret(try #require(key))
        #expect(throws: JSONWebTokenError.unreadable(.claims)) {
            try JSONWebToken.verify(example, secret: secret, now: 1_300_819_000)
        }
    }

    @Test(arguments: ["", ".", "..", "...", "a.b", "a.b.c.d"])
    func aTextThatIsNotThreePartsIsMalformed(text: String) throws {
        let secret = SigningSecret(try #require(key))
        #expect(throws: JSONWebTokenError.self) {
            try JSONWebSignature.payload(of: text, secret: secret, allowed: [.hs256])
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func randomTextNeverVerifies(seed: UInt64) throws {
        let secret = SigningSecret(try #require(key))
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var octets: [UInt8] = []
        for _ in 0..<Int(seed) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            octets.append(UInt8(truncatingIfNeeded: state))
        }
        let text = String(decoding: octets, as: UTF8.self) + "." + Base64URL.text(octets) + "."
        #expect(throws: JSONWebTokenError.self) {
            try JSONWebSignature.payload(of: text, secret: secret, allowed: [.hs256])
        }
        #expect(Base64URL.octets(Base64URL.text(octets)[...]) == octets)
    }

    @Test(arguments: ["QQ==", "QR", "Q", "Q+8", "Q/8", " QQ", "QQ\n", "QÉ", "QQ.", "Q Q"])
    func base64urlIsReadStrictly(text: String) {
        #expect(Base64URL.octets(text[...]) == nil)
    }

    @Test func anEmptyTextIsNoOctets() {
        #expect(Base64URL.octets("") == [])
    }
}
