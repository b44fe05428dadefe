internal import PlatformSignalling

/// A company's settings.
///
/// What the platform doesn't say, or says unreadably, is `nil`.
public struct CompanyResponse: Decodable, Hashable, Sendable {
    /// The company's name, to show.
    public let displayName: String?
    /// An e-mail address for support.
    public let supportEmail: String?
    /// The company's main number, E.164.
    public let phoneNumber: String?
    /// The languages of menus and announcements, ISO 639.
    public let languages: [String]?
    /// Whether the program must not offer to dial the company directly.
    public let preventDirectPstnCall: Bool?
    /// Whether a phone call may replace a call that can't be placed over the network.
    public let pstnFallbackEnabled: Bool?

    enum CodingKeys: String, CodingKey {
        case languages
        case displayName = "display_name"
        case supportEmail = "support_email"
        case phoneNumber = "phone_number"
        case preventDirectPstnCall = "prevent_direct_pstn_call"
        case pstnFallbackEnabled = "pstn_fallback_enabled"
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        displayName = container.readable(String.self, .displayName)
        supportEmail = container.readable(String.self, .supportEmail)
        phoneNumber = container.readable(String.self, .phoneNumber)
        languages = container.readable([String].self, .languages)
        preventDirectPstnCall = container.readable(Bool.self, .preventDirectPstnCall)
        pstnFallbackEnabled = container.readable(Bool.self, .pstnFallbackEnabled)
    }
}

/// Estimated waits, seconds; `nil` where there is none.
public struct QueueMenuWaitTimeResponse: Decodable, Hashable, Sendable {
    /// Of a chat.
    public let chat: Int?
    /// Of a voice call.
    public let voiceCall: Int?

    enum CodingKeys: String, CodingKey {
        case chat
        case voiceCall = "voice_call"
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        chat = container.readableInteger(.chat)
        voiceCall = container.readableInteger(.voiceCall)
    }
}
