extension Call {
    /// The protocol's call object as it is now.
    package func json(agentName: String) -> JSONValue {
        let agent: JSONValue = [
            "id": 1, "type": "virtual_agent", "name": .string(agentName), "avatar_url": nil,
            "status": .string(agentStatus),
        ]
        let isAgentIn = connectedAt != nil
        var members: [String: JSONValue] = [
            "id": .integer(id), "version": .integer(version), "type": "instant", "direction": "outgoing",
            "status": .string(status), "server_status": .string(status == "ended" ? "finished" : status),
            "menu_id": .integer(menuID), "lang": .string(language),
            "created_at": .string(createdAt.text), "queued_at": nil,
            "connected_at": JSONValue(connectedAt?.text), "ended_at": JSONValue(endedAt?.text),
            "estimated_wait": nil, "position_in_queue": nil, "agent": nil,
            "virtual_agent": isAgentIn ? agent : nil, "participants": isAgentIn ? [agent] : [],
            "recording": "off", "hold": nil, "end_reason": nil, "media": nil,
        ]
        if let heldSince { members["hold"] = ["by": ["end_user"], "since": .string(heldSince.text)] }
        if let endReason {
            members["end_reason"] = [
                "code": .string(endReason.code), "number": .integer(endReason.number),
                "by": .string(endReason.by),
            ]
        } else {
            members["media"] = ["kind": "sdp", "generation": 1, "sdp": .string(answer)]
        }
        return .object(members)
    }

    private var agentStatus: String {
        switch status {
        case "ended": "ended"
        case "on_hold": "hold"
        default: "connected"
        }
    }
}
