import JSONWebToken
import Testing

private let secret = SigningSecret(
    Array("a secret for tests alone, of at least sixty-four octets in length".utf8))
private let claims = JSONWebTokenClaims(issuedAt: 1_000, expiresAt: 1_300, identifier: "u-1", name: "Zoë")

private func token(header: String, claims: String = #"{"iat":1000,"exp":1300}"#) throws -> String {
    let signed = Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(Array(claims.utf8))
    let signature = try secret.signature(of: Array(signed.utf8), algorithm: .hs384)
    return signed + "." + Base64URL.text(signature)
}

private func refusal(_ token: String, now: Int64 = 1_100) -> JSONWebTokenError? {
    do throws(JSONWebTokenError) {
        _ = try JSONWebToken.verify(token, secret: secret, now: now)
        return nil
    } catch { return error }
}

@Suite("RFC 7519 tokens")
struct JSONWebTokenTests {
    @Test(arguments: SigningAlgorithm.allCases)
    func whatIsSignedVerifies(algorithm: SigningAlgorithm) throws {
        let token = try JSONWebToken.sign(claims, secret: secret, algorithm: algorithm)
        #expect(try JSONWebToken.verify(token, secret: secret, now: 1_100) == claims)
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func aSecretShorterThanTheHashIsRefused(algorithm: SigningAlgorithm) {
        let short = SigningSecret([UInt8](repeating: 7, count: algorithm.hashSize - 1))
        #expect(throws: JSONWebTokenError.secretTooShort(needed: algorithm.hashSize, got: short.count)) {
            try JSONWebToken.sign(claims, secret: short, algorithm: algorithm)
        }
    }

    @Test func anotherSecretIsRefused() throws {
        let other = SigningSecret([UInt8](repeating: 1, count: 64))
        let token = try JSONWebToken.sign(claims, secret: other, algorithm: .hs256)
        #expect(refusal(token) == .signatureMismatch)
        #expect(refusal(token)?.code == "jwt_invalid")
    }

    @Test(arguments: ["none", "None", "RS256", "ES256", "PS256", "hs256", "HS1", ""])
    func aForeignAlgorithmIsRefusedEvenWithARightSignature(name: String) throws {
        let token = try token(header: #"{"alg":"\#(name)"}"#)
        #expect(refusal(token) == .algorithmRefused)
        #expect(refusal(token)?.code == "jwt_alg_refused")
    }

    @Test func anAlgorithmOutsideTheListIsRefusedBeforeTheKeyIsUsed() throws {
        let token = try JSONWebToken.sign(claims, secret: secret, algorithm: .hs256)
        #expect(throws: JSONWebTokenError.algorithmRefused) {
            try JSONWebToken.verify(token, secret: SigningSecret([]), allowed: [.hs384], now: 1_100)
        }
    }

    @Test func aParameterThatMustBeUnderstoodIsRefused() throws {
        let token = try token(header: #"{"alg":"HS384","crit":["b64"],"b64":false}"#)
        #expect(refusal(token) == .criticalParameter)
    }

    @Test(arguments: [
        (Int64(939), JSONWebTokenError.notYetValid), (940, nil), (1_359, nil), (1_360, .expired),
        (.max / 2, .expired), (0, .notYetValid),
    ])
    func theTimeIsCheckedWithALeewayOfAMinute(now: Int64, wanted: JSONWebTokenError?) throws {
        let token = try JSONWebToken.sign(claims, secret: secret, algorithm: .hs384)
        #expect(refusal(token, now: now) == wanted)
    }

    @Test func aTokenThatBeginsLaterIsNotYetValid() throws {
        var later = claims
        later.notBefore = 1_200
        let token = try JSONWebToken.sign(later, secret: secret, algorithm: .hs384)
        #expect(refusal(token, now: 1_139) == .notYetValid)
        #expect(refusal(token, now: 1_140) == nil)
    }

    @Test(arguments: [
        (#"{"iat":1000,"exp":1601}"#, JSONWebTokenError.lifetimeRefused),
        (#"{"iat":1000,"exp":1600}"#, nil),
        (#"{"iat":1000,"exp":1000}"#, .lifetimeRefused),
        (#"{"iat":-9223372036854775808,"exp":9223372036854775807}"#, .lifetimeRefused),
        (#"{"exp":1300}"#, .unreadable(.claims)),
        (#"{"iat":1000}"#, .unreadable(.claims)),
        (#"{"iat":"1000","exp":1300}"#, .unreadable(.claims)),
        (#"{"iat":1000.5,"exp":1300}"#, .unreadable(.claims)),
        (#"{"iat":1e400,"exp":1300}"#, .unreadable(.claims)),
        (#"{"iat":true,"exp":1300}"#, .unreadable(.claims)),
        (#"{"iat":1000,"exp":1300,"name":1}"#, .unreadable(.claims)),
        (#"{"iat":1000,"exp":1300,"custom_data":{"x":{"value":1}}}"#, nil),
        ("[]", .unreadable(.claims)), ("", .unreadable(.claims)),
    ])
    func theClaimsMustBeWhatTheProtocolAsks(text: String, wanted: JSONWebTokenError?) throws {
        #expect(refusal(try token(header: #"{"alg":"HS384"}"#, claims: text)) == wanted)
    }

    @Test func everyTruncationIsRefused() throws {
        let token = try JSONWebToken.sign(claims, secret: secret, algorithm: .hs384)
        for length in 0..<token.count {
            #expect(refusal(String(token.prefix(length))) != nil, "\(length)")
        }
    }

    @Test func everyChangeOfOneCharacterIsRefused() throws {
        let token = try JSONWebToken.sign(claims, secret: secret, algorithm: .hs384)
        for index in token.indices {
            let changed: Character = token[index] == "A" ? "B" : "A"
            #expect(refusal(token.replacingCharacter(at: index, with: changed)) != nil)
        }
    }

    @Test func aSecretShowsNothingOfItself() {
        #expect(!"\(secret)".contains("alone"))
        #expect(!String(reflecting: secret).contains("97"))
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("97"))
    }
}

extension String {
    fileprivate func replacingCharacter(at index: Index, with character: Character) -> String {
        var copy = self
        copy.replaceSubrange(index...index, with: [character])
        return copy
    }
}
