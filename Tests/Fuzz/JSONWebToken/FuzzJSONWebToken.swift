import FuzzSupport
import JSONWebToken

/// The first octet says what the rest is: a token, the claims of one, or its header and claims.
@main enum FuzzJSONWebToken {
    /// No token in the corpus is signed with it.
    private static let secret = SigningSecret((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
    /// Seconds since 1970; the corpus was made for it.
    private static let now: Int64 = 1_100

    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        switch input.number(below: 3) {
        case 0:
            let text = String(decoding: input.remainder(), as: UTF8.self)
            let claims = try? JSONWebToken.verify(text, secret: secret, now: now)
            precondition(claims == nil, "nobody signs without the secret")
        case 1: checkClaims(input.remainder())
        default: checkHeader(input.piece(), claims: input.remainder())
        }
    }

    /// Whatever is signed is claims that are good now, or refused.
    private static func checkClaims(_ payload: [UInt8]) {
        for algorithm in SigningAlgorithm.allCases {
            guard
                let token = try? JSONWebSignature.compact(
                    payload: payload, secret: secret, algorithm: algorithm)
            else { preconditionFailure("the secret is long enough") }
            guard let claims = verified(token) else { continue }
            guard let again = try? JSONWebToken.sign(claims, secret: secret, algorithm: algorithm) else {
                preconditionFailure("what was verified can be signed")
            }
            precondition(verified(again) == claims, "claims are read as they were written")
        }
    }

    /// A header of the sender's choice: only an algorithm that is allowed, and the one that was used, will do.
    private static func checkHeader(_ header: [UInt8], claims: [UInt8]) {
        let signed = Base64URL.text(header) + "." + Base64URL.text(claims)
        guard let signature = try? secret.signature(of: Array(signed.utf8), algorithm: .hs256) else {
            preconditionFailure("the secret is long enough")
        }
        let token = signed + "." + Base64URL.text(signature)
        _ = verified(token)
        let refused = try? JSONWebToken.verify(token, secret: secret, allowed: [.hs384, .hs512], now: now)
        precondition(refused == nil, "the sender doesn't choose the algorithm")
        precondition(Base64URL.octets(Base64URL.text(claims)[...]) == claims, "base64url goes both ways")
    }

    private static func verified(_ token: String) -> JSONWebTokenClaims? {
        guard let claims = try? JSONWebToken.verify(token, secret: secret, now: now) else { return nil }
        precondition(
            claims.issuedAt <= now + JSONWebToken.leeway && claims.expiresAt > now - JSONWebToken.leeway,
            "a token is good only in its time")
        return claims
    }
}
