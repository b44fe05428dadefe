internal import FoundationEssentials

/// The body of `POST /calls`, encoded once: a repetition under the same key must be the same bytes.
package struct CallCreation: Sendable {
    /// What the platform recognises a repetition by.
    package let idempotencyKey: String
    let body: Data

    /// Asks for an instant call.
    ///
    /// `recordingPermission` is `not_asked`, `granted` or `denied`; `customData` goes into `custom_data` as it is.
    package init(
        menuID: Int, language: String, recordingPermission: String, ticketID: String?,
        customData: (any Encodable & Sendable)?, offer: String
    ) throws(PlatformError) {
        idempotencyKey = UUID().uuidString
        let request = Body(
            type: "instant", menuID: menuID, language: language, recordingPermission: recordingPermission,
            ticketID: ticketID, customData: customData.map(AnyBody.init),
            media: .init(kind: "sdp", sdp: offer))
        do {
            body = try JSONEncoder().encode(request)
        } catch {
            throw .unreadable(path: "/calls", detail: "the request can't be written as JSON")
        }
    }

    private struct Body: Encodable {
        struct Media: Encodable {
            let kind: String
            let sdp: String
        }
        let type: String
        let menuID: Int
        let language: String
        let recordingPermission: String
        let ticketID: String?
        let customData: AnyBody?
        let media: Media

        enum CodingKeys: String, CodingKey {
            case type, media
            case menuID = "menu_id"
            case language = "lang"
            case recordingPermission = "recording_permission"
            case ticketID = "ticket_id"
            case customData = "custom_data"
        }
    }

    private struct AnyBody: Encodable {
        let value: any Encodable
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
}
