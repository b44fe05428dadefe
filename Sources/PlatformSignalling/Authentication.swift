package import FoundationEssentials

/// Where the client takes its token from.
package struct TokenSource: Sendable {
    /// The token in hand, without asking anyone.
    package let inHand: @Sendable () -> String?
    /// The token in hand, or a fresh one.
    package let current: @Sendable () async throws(PlatformError) -> String
    /// A token that isn't `rejected`, asking the program for it when needed.
    package let renew: @Sendable (_ rejected: String) async throws(PlatformError) -> String

    package init(
        inHand: @escaping @Sendable () -> String?,
        current: @escaping @Sendable () async throws(PlatformError) -> String,
        renew: @escaping @Sendable (_ rejected: String) async throws(PlatformError) -> String
    ) {
        self.inHand = inHand
        self.current = current
        self.renew = renew
    }
}

/// What the platform gives for a signed JWT.
package struct AuthenticationAnswer: Decodable, Sendable {
    /// Opaque; a secret.
    package let token: String
    /// When the token stops working, or `nil` when the platform doesn't say.
    package let expiresAt: Date?

    enum CodingKeys: String, CodingKey {
        case token = "auth_token"
        case expiresAt = "expires_at"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(String.self, forKey: .token)
        expiresAt = container.readableDate(.expiresAt)
    }
}

/// The body of `POST /auth/end_user`.
struct AuthenticationRequest: Encodable {
    struct Device: Encodable {
        let id: String
        let platform = "linux"
        let applicationID: String
        let version: String

        enum CodingKeys: String, CodingKey {
            case id, platform
            case applicationID = "app_id"
            case version = "sdk_version"
        }
    }
    let companyKey: String
    let jwt: String
    let device: Device

    enum CodingKeys: String, CodingKey {
        case jwt, device
        case companyKey = "company_key"
    }
}
