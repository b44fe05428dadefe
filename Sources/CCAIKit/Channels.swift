internal import PlatformSignalling

/// The channels of a menu.
public struct Channels: Decodable, Hashable, Sendable {
    /// E-mail, or `nil`.
    public let email: EmailChannel?
    /// Voice, or `nil` when the menu has no voice at all.
    ///
    /// Being there says nothing about now: see its fields.
    public let voiceCall: VoiceCallChannel?
    /// Links out of the program, or `nil`.
    public let externalDeflectionLink: ExternalDeflectionLink?

    enum CodingKeys: String, CodingKey {
        case email
        case voiceCall = "voice_call"
        case externalDeflectionLink = "external_deflection_link"
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        email = container.readable(EmailChannel.self, .email)
        voiceCall = container.readable(VoiceCallChannel.self, .voiceCall)
        externalDeflectionLink = container.readable(ExternalDeflectionLink.self, .externalDeflectionLink)
    }
}

/// The voice channel of a menu.
public struct VoiceCallChannel: Decodable, Hashable, Sendable {
    /// Whether calls are taken at once.
    ///
    /// Offer a call only when this is `true` and ``deflected`` isn't.
    public let instantEnabled: Bool?
    /// Whether a smart action must come before the call.
    public let preSessionSmartAction: Bool?
    /// Whether calls can be scheduled, independently of ``instantEnabled``.
    public let scheduleEnabled: Bool?
    /// How to ask for consent to recording, before the call.
    public let recordingOption: RecordingOption?
    /// Why the channel leads to a voicemail, or `nil` when it doesn't.
    public let voicemailReason: String?
    /// A number to dial instead, E.164.
    public let phoneNumber: String?
    /// Why calls are deflected to scheduling.
    public let scheduleDeflectionType: String?
    /// Whether calls are deflected now: show ``deflectedReason``, don't start one.
    public let deflected: Bool?
    /// The company's text about it.
    public let deflectedReason: String?

    enum CodingKeys: String, CodingKey {
        case deflected
        case instantEnabled = "instant_enabled"
        case preSessionSmartAction = "pre_session_smart_action"
        case scheduleEnabled = "schedule_enabled"
        case recordingOption = "recording_option"
        case voicemailReason = "voicemail_reason"
        case phoneNumber = "phone_number"
        case scheduleDeflectionType = "schedule_deflection_type"
        case deflectedReason = "deflected_reason"
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        instantEnabled = container.readable(Bool.self, .instantEnabled)
        preSessionSmartAction = container.readable(Bool.self, .preSessionSmartAction)
        scheduleEnabled = container.readable(Bool.self, .scheduleEnabled)
        recordingOption = try container.decodeIfPresent(RecordingOption.self, forKey: .recordingOption)
        voicemailReason = container.readable(String.self, .voicemailReason)
        phoneNumber = container.readable(String.self, .phoneNumber)
        scheduleDeflectionType = container.readable(String.self, .scheduleDeflectionType)
        deflected = container.readable(Bool.self, .deflected)
        deflectedReason = container.readable(String.self, .deflectedReason)
    }
}

/// How a menu asks for consent to recording.
public enum RecordingOption: String, Decodable, Hashable, Sendable {
    /// Calls are recorded: say so before connecting.
    case always
    /// Calls are not recorded.
    case never
    /// Ask before connecting, and pass the answer on.
    case askUser

    /// Reads the platform's word.
    ///
    /// One that this version doesn't know is ``askUser``: silence would pass for consent.
    public init(from decoder: any Decoder) throws {
        switch try? decoder.singleValueContainer().decode(String.self) {
        case "always": self = .always
        case "never": self = .never
        default: self = .askUser
        }
    }
}

/// The e-mail channel of a menu.
public struct EmailChannel: Decodable, Hashable, Sendable {
    /// The address to write to.
    public let email: String?
    /// What to tell the user first.
    public let instructionMessage: String?

    enum CodingKeys: String, CodingKey {
        case email
        case instructionMessage = "instruction_message"
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        email = container.readable(String.self, .email)
        instructionMessage = container.readable(String.self, .instructionMessage)
    }
}

/// Links out of the program that a menu offers.
public struct ExternalDeflectionLink: Decodable, Hashable, Sendable {
    /// Whether they are offered at all.
    public let enabled: Bool?
    /// The links; those without URL or name are left out.
    public let links: [ExternalDeflection]?

    enum CodingKeys: String, CodingKey {
        case enabled, links
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        enabled = container.readable(Bool.self, .enabled)
        links = container.readable(LenientArray<ExternalDeflection>.self, .links)?.elements
    }
}

/// A link out of the program.
public struct ExternalDeflection: Decodable, Hashable, Sendable {
    /// Whether it is offered.
    public let enabled: Bool?
    /// Where it leads.
    public let url: String
    /// What to show.
    public let displayName: String

    enum CodingKeys: String, CodingKey {
        case enabled, url
        case displayName = "display_name"
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        enabled = container.readable(Bool.self, .enabled)
        url = try container.decode(String.self, forKey: .url)
        displayName = try container.decode(String.self, forKey: .displayName)
    }
}
