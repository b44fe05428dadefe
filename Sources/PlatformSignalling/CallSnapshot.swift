package import FoundationEssentials

/// A call as the platform sees it at one moment.
///
/// Unknown words are kept; unreadable details are left out.
package struct CallSnapshot: Decodable, Hashable, Sendable {
    /// A person or a virtual agent in the call.
    package struct Participant: Decodable, Hashable, Sendable {
        package var id: Int
        package var type: String?
        package var name: String?

        enum CodingKeys: String, CodingKey {
            case id, type, name
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            type = container.readable(String.self, .type)
            name = container.readable(String.self, .name)
        }
    }

    /// Why a call is over.
    package struct EndReason: Decodable, Hashable, Sendable {
        package var code: String
        package var number: Int?
        package var by: String?

        enum CodingKeys: String, CodingKey {
            case code, number, by
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            code = try container.decode(String.self, forKey: .code)
            number = container.readableInteger(.number)
            by = container.readable(String.self, .by)
        }
    }

    /// The platform's side of the media.
    package struct Media: Decodable, Hashable, Sendable {
        package var kind: String
        package var generation: Int?
        package var sdp: String?
    }

    package var id: Int
    /// Grows by one with each change; `nil` from a platform that doesn't count.
    package var version: Int?
    package var status: String
    package var serverStatus: String?
    package var type: String?
    package var menuID: Int?
    package var estimatedWait: Int?
    package var connectedAt: Date?
    package var agent: Participant?
    package var virtualAgent: Participant?
    package var endReason: EndReason?
    package var media: Media?

    enum CodingKeys: String, CodingKey {
        case id, version, status, type, agent, media
        case serverStatus = "server_status"
        case menuID = "menu_id"
        case estimatedWait = "estimated_wait"
        case connectedAt = "connected_at"
        case virtualAgent = "virtual_agent"
        case endReason = "end_reason"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        status = try container.decode(String.self, forKey: .status)
        version = container.readableInteger(.version)
        serverStatus = container.readable(String.self, .serverStatus)
        type = container.readable(String.self, .type)
        menuID = container.readable(Int.self, .menuID)
        estimatedWait = container.readableInteger(.estimatedWait)
        connectedAt = container.readableDate(.connectedAt)
        agent = container.readable(Participant.self, .agent)
        virtualAgent = container.readable(Participant.self, .virtualAgent)
        endReason = container.readable(EndReason.self, .endReason)
        media = container.readable(Media.self, .media)
    }

    /// Whether nothing can follow.
    package var isOver: Bool { status == "ended" || status == "failed" }
}

/// The answer to a question for calls.
package struct CallList: Decodable, Sendable {
    package let calls: [CallSnapshot]
}
