/// Why a token can't be signed or is refused.
package enum JSONWebTokenError: Error, Hashable, Sendable {
    /// Not three parts of strict base64url with two dots (RFC 7515 §3.1); the part counts from 0.
    case malformed(part: Int)
    /// The header or the claims aren't the JSON that they must be.
    case unreadable(Section)
    /// The signature isn't that of this secret.
    case signatureMismatch
    /// A header parameter that must be understood isn't (`crit`, RFC 7515 §4.1.11).
    case criticalParameter
    /// `alg` is missing from the allow list: asymmetric, `none`, or unknown.
    case algorithmRefused
    /// The secret is shorter than the hash (RFC 7518 §3.2).
    case secretTooShort(needed: Int, got: Int)
    /// `exp` isn't after `iat`, or is more than 600 s after it, or either is outside the years 1970 to 9999.
    case lifetimeRefused
    /// Over, by the leeway and more (RFC 7519 §4.1.4).
    case expired
    /// Begins later than the leeway from now (RFC 7519 §4.1.5, §4.1.6).
    case notYetValid

    /// The two JSON texts of a token.
    package enum Section: Hashable, Sendable {
        case header
        case claims
    }

    /// The protocol's error code for a refused sign-in.
    package var code: String {
        switch self {
        case .algorithmRefused: "jwt_alg_refused"
        case .expired: "jwt_expired"
        case .notYetValid: "jwt_not_yet_valid"
        case .malformed, .unreadable, .signatureMismatch, .criticalParameter, .secretTooShort,
            .lifetimeRefused:
            "jwt_invalid"
        }
    }
}
