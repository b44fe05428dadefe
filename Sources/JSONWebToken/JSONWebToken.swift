import FoundationEssentials

/// What a sign-in token says of the person who calls (RFC 7519 §4); times are seconds since 1970.
package struct JSONWebTokenClaims: Codable, Hashable, Sendable {
    /// When it was made, `iat`.
    package var issuedAt: Int64
    /// When it ends, `exp`: at most 600 s after ``issuedAt``.
    package var expiresAt: Int64
    /// When it begins, `nbf`, if not at once.
    package var notBefore: Int64?
    /// Who the person is in the company's own books; `nil` is an anonymous person, known by the device.
    package var identifier: String?
    package var name: String?
    package var email: String?
    /// E.164.
    package var phone: String?

    package init(
        issuedAt: Int64, expiresAt: Int64, notBefore: Int64? = nil, identifier: String? = nil,
        name: String? = nil, email: String? = nil, phone: String? = nil
    ) {
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.notBefore = notBefore
        self.identifier = identifier
        self.name = name
        self.email = email
        self.phone = phone
    }

    private enum CodingKeys: String, CodingKey {
        case issuedAt = "iat"
        case expiresAt = "exp"
        case notBefore = "nbf"
        case identifier, name, email, phone
    }
}

/// Signs and verifies sign-in tokens; it has no clock, so the time is an argument: seconds since 1970.
package enum JSONWebToken {
    /// Seconds that two clocks may differ.
    package static let leeway: Int64 = 60
    /// The longest life of a token, seconds.
    package static let longestLifetime: Int64 = 600
    private static let representable: ClosedRange<Int64> = 0...253_402_300_799

    /// Signs `claims`.
    ///
    /// - Throws: ``JSONWebTokenError/secretTooShort(needed:got:)``, ``JSONWebTokenError/lifetimeRefused``.
    package static func sign(
        _ claims: JSONWebTokenClaims, secret: SigningSecret, algorithm: SigningAlgorithm
    ) throws(JSONWebTokenError) -> String {
        try checkLifetime(claims)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let payload = try? encoder.encode(claims) else { throw .unreadable(.claims) }
        return try JSONWebSignature.compact(payload: Array(payload), secret: secret, algorithm: algorithm)
    }

    /// The claims of `token`, if its signature is right and its time is now.
    ///
    /// - Throws: ``JSONWebTokenError``; its ``JSONWebTokenError/code`` is what the protocol answers.
    package static func verify(
        _ token: String, secret: SigningSecret,
        allowed: Set<SigningAlgorithm> = Set(SigningAlgorithm.allCases), now: Int64
    ) throws(JSONWebTokenError) -> JSONWebTokenClaims {
        let payload = try JSONWebSignature.payload(of: token, secret: secret, allowed: allowed)
        guard let claims = try? JSONDecoder().decode(JSONWebTokenClaims.self, from: Data(payload)) else {
            throw .unreadable(.claims)
        }
        try checkLifetime(claims)
        guard now - leeway < claims.expiresAt else { throw .expired }
        let beginning = max(claims.issuedAt, claims.notBefore ?? claims.issuedAt)
        guard beginning <= now + leeway else { throw .notYetValid }
        return claims
    }

    private static func checkLifetime(_ claims: JSONWebTokenClaims) throws(JSONWebTokenError) {
        guard
            representable.contains(claims.issuedAt), representable.contains(claims.expiresAt),
            claims.expiresAt > claims.issuedAt, claims.expiresAt - claims.issuedAt <= longestLifetime
        else { throw .lifetimeRefused }
    }
}
