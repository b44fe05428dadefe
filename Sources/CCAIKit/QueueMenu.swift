internal import PlatformSignalling

/// A menu: what a session can be about, and through which channels.
///
/// Two are equal when their ids are.
public struct QueueMenu: Decodable, Identifiable, Hashable, Sendable {
    /// The id to start sessions with.
    public let id: Int
    /// The name to show.
    public let name: String?
    /// Whether the menu isn't shown, but reachable by its id.
    public let hidden: Bool?
    /// Where the menu stands among its siblings.
    public let position: Int?
    /// The menus below.
    public let children: [QueueMenu]?
    /// The channels; `nil` on a menu that only has children.
    public let channels: Channels?

    enum CodingKeys: String, CodingKey {
        case id, name, hidden, position, children, channels
    }

    /// Reads the platform's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        name = container.readable(String.self, .name)
        hidden = container.readable(Bool.self, .hidden)
        position = container.readableInteger(.position)
        children = container.readable(LenientArray<QueueMenu>.self, .children)?.elements
        channels = container.readable(Channels.self, .channels)
    }

    /// The channels that can be offered now; one ``ChannelType/externalDeflection(url:displayName:)`` for each enabled link.
    public func getEnabledChannels() -> [ChannelType] {
        guard let channels else { return [] }
        var enabled: [ChannelType] = []
        if let voice = channels.voiceCall {
            if voice.instantEnabled == true, voice.deflected != true { enabled.append(.voiceCall) }
            if voice.phoneNumber != nil, voice.voicemailReason != nil { enabled.append(.voicemail) }
            if voice.scheduleEnabled == true {
                let type = voice.scheduleDeflectionType.flatMap(DeflectionType.init(wireValue:))
                enabled.append(.scheduleCall(deflectionType: type))
            }
        }
        if channels.email?.email != nil { enabled.append(.email) }
        if let deflection = channels.externalDeflectionLink, deflection.enabled == true {
            for link in deflection.links ?? [] where link.enabled == true {
                enabled.append(.externalDeflection(url: link.url, displayName: link.displayName))
            }
        }
        return enabled
    }

    /// Whether both are the same menu.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A way to reach the company that can be offered now.
@nonexhaustive public enum ChannelType: Hashable, Sendable {
    /// A voice call at once.
    case voiceCall
    /// A voicemail.
    case voicemail
    /// A call at a chosen time; with the reason when calls at once are deflected to it.
    case scheduleCall(deflectionType: DeflectionType?)
    /// An e-mail.
    case email
    /// A link out of the program.
    case externalDeflection(url: String, displayName: String)
}

/// Why calls are deflected.
public enum DeflectionType: String, Decodable, Hashable, Sendable {
    /// The queue is closed now.
    case afterHours
    /// The queue is too long.
    case overCapacity

    init?(wireValue: String) {
        switch wireValue {
        case "after_hours", "afterHours": self = .afterHours
        case "over_capacity", "overCapacity": self = .overCapacity
        default: return nil
        }
    }
}

/// The answer to a question for menus.
struct MenuList: Decodable, Sendable {
    let menus: [QueueMenu]
    let isDirectAccess: Bool

    enum CodingKeys: String, CodingKey {
        case menus
        case directAccess = "direct_access"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        menus = try container.decode(LenientArray<QueueMenu>.self, forKey: .menus).elements
        isDirectAccess = container.readable(Bool.self, .directAccess) ?? false
    }
}

/// An array that leaves out the elements it can't read.
struct LenientArray<Element: Decodable>: Decodable {
    private struct Attempt: Decodable {
        let element: Element?
        init(from decoder: any Decoder) throws { element = try? Element(from: decoder) }
    }
    let elements: [Element]

    init(from decoder: any Decoder) throws {
        elements = try [Attempt](from: decoder).compactMap(\.element)
    }
}
