/// A resource of the protocol, by its path.
enum Route: Hashable {
    case endUser
    case session
    case company
    case menus
    case waitTimes(menu: Int64)
    case calls
    case call(Int64)
    case action(CallAction, call: Int64)
    case events
    /// In the protocol, but not in this platform.
    case unsupported

    /// What a POST can do to a call here.
    enum CallAction: String, Hashable {
        case end, hold, unhold, escalate
    }

    /// `nil` for a path outside the protocol.
    init?(path: String) {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        guard segments.starts(with: ["", "ccai", "v1"]) else { return nil }
        segments = segments.dropFirst(3)
        let rest = Array(segments)
        switch rest.first {
        case "auth" where rest == ["auth", "end_user"]: self = .endUser
        case "auth" where rest == ["auth", "session"]: self = .session
        case "company" where rest.count == 1: self = .company
        case "events" where rest.count == 1: self = .events
        case "menus":
            guard let route = Self.menuRoute(rest.dropFirst()) else { return nil }
            self = route
        case "calls":
            guard let route = Self.callRoute(rest.dropFirst()) else { return nil }
            self = route
        case "scheduled_calls" where rest.count <= 2: self = .unsupported
        case "devices" where rest.count == 4: self = .unsupported
        default: return nil
        }
    }

    private static func menuRoute(_ rest: ArraySlice<Substring>) -> Route? {
        guard let first = rest.first else { return .menus }
        guard rest.count == 2, let menu = identifier(first), let last = rest.last else { return nil }
        switch last {
        case "wait_times": return .waitTimes(menu: menu)
        case "line_status", "audible_messages", "time_slots": return .unsupported
        default: return nil
        }
    }

    private static func callRoute(_ rest: ArraySlice<Substring>) -> Route? {
        guard let first = rest.first else { return .calls }
        guard let call = identifier(first) else { return nil }
        guard let name = rest.dropFirst().first else { return .call(call) }
        if rest.count == 2, let action = CallAction(rawValue: String(name)) {
            return .action(action, call: call)
        }
        switch name {
        case "accept", "decline", "interruption", "resume", "dtmf", "quality", "rating", "media":
            return rest.count == 2 ? .unsupported : nil
        case "deflection": return rest.count <= 3 ? .unsupported : nil
        default: return nil
        }
    }

    private static func identifier(_ text: Substring) -> Int64? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int64(text)
    }

    /// The methods that the resource has; `nil` is all of them, none of which works here.
    var methods: [String]? {
        switch self {
        case .endUser, .action: ["POST"]
        case .session: ["DELETE"]
        case .company, .menus, .waitTimes, .call, .events: ["GET"]
        case .calls: ["GET", "POST"]
        case .unsupported: nil
        }
    }
}
