/// One call, from its answered offer to its end.
///
/// The time is an argument, so a long call takes no time in a test.
package struct Call: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case connecting
        case connected(since: WallTime)
        case onHold(connected: WallTime, since: WallTime)
        case ended(connected: WallTime?, at: WallTime, CallEndReason)
    }

    package let id: Int64
    package let menuID: Int64
    package let language: String
    package let createdAt: WallTime
    /// Whose call it is.
    package let user: String
    /// Where its events go.
    package let device: String
    /// Our SDP; it holds keys, so it is for the caller alone and for no log.
    package let answer: String
    /// Grows by one with each change.
    package private(set) var version: Int64 = 1
    private var state = State.connecting
    /// Until when the caller's first authentic packet must come; `nil` once it has.
    private var mediaDeadline: WallTime?
    private let lastMoment: WallTime

    init(
        id: Int64, menuID: Int64, language: String, user: String, device: String, answer: String,
        limits: PlatformConfiguration.Limits, at now: WallTime
    ) {
        self.id = id
        self.menuID = menuID
        self.language = language
        self.user = user
        self.device = device
        self.answer = answer
        createdAt = now
        mediaDeadline = now + limits.mediaStartSeconds
        lastMoment = now + limits.maximumCallSeconds
    }

    package var isEnded: Bool {
        switch state {
        case .ended: true
        case .connecting, .connected, .onHold: false
        }
    }

    package var status: String {
        switch state {
        case .connecting: "connecting"
        case .connected: "connected"
        case .onHold: "on_hold"
        case .ended: "ended"
        }
    }

    package var connectedAt: WallTime? {
        switch state {
        case .connecting: nil
        case .connected(let since): since
        case .onHold(let connected, _): connected
        case .ended(let connected, _, _): connected
        }
    }

    package var endedAt: WallTime? {
        switch state {
        case .ended(_, let at, _): at
        case .connecting, .connected, .onHold: nil
        }
    }

    package var endReason: CallEndReason? {
        switch state {
        case .ended(_, _, let reason): reason
        case .connecting, .connected, .onHold: nil
        }
    }

    package var heldSince: WallTime? {
        switch state {
        case .onHold(_, let since): since
        case .connecting, .connected, .ended: nil
        }
    }

    /// The virtual agent takes the call.
    ///
    /// - Returns: Whether that changed anything; so for all inputs below.
    mutating func agentTookIt(at now: WallTime) -> Bool {
        switch state {
        case .connecting: change(to: .connected(since: now))
        case .connected, .onHold, .ended: false
        }
    }

    /// The caller's first authentic packet came.
    mutating func mediaStarted() {
        mediaDeadline = nil
    }

    mutating func hold(at now: WallTime) -> Bool {
        switch state {
        case .connected(let since): change(to: .onHold(connected: since, since: now))
        case .connecting, .onHold, .ended: false
        }
    }

    mutating func unhold() -> Bool {
        switch state {
        case .onHold(let connected, _): change(to: .connected(since: connected))
        case .connecting, .connected, .ended: false
        }
    }

    mutating func end(_ reason: CallEndReason, at now: WallTime) -> Bool {
        switch state {
        case .connecting: change(to: .ended(connected: nil, at: now, reason))
        case .connected(let since): change(to: .ended(connected: since, at: now, reason))
        case .onHold(let connected, _): change(to: .ended(connected: connected, at: now, reason))
        case .ended: false
        }
    }

    /// Ends the call if its time is over.
    mutating func advance(to now: WallTime) -> Bool {
        if let mediaDeadline, now >= mediaDeadline { return end(.mediaNeverCame, at: now) }
        guard now >= lastMoment else { return false }
        return end(.agentHungUp, at: now)
    }

    private mutating func change(to next: State) -> Bool {
        state = next
        version += 1
        return true
    }
}

/// Why a call ended, by the protocol's codes and numbers.
package struct CallEndReason: Hashable, Sendable {
    package let code: String
    package let number: Int64
    /// Whose doing it was: `end_user`, `virtual_agent`, `platform`.
    package let by: String

    package static let callerHungUp = Self(code: "nothing", number: 0, by: "end_user")
    package static let callerCanceled = Self(code: "eu_canceled", number: 20_001, by: "end_user")
    package static let agentHungUp = Self(code: "nothing", number: 0, by: "virtual_agent")
    package static let mediaNeverCame = Self(code: "voip_conn_timeout", number: 44_002, by: "platform")
    package static let mediaStopped = Self(code: "voip_conn_timeout", number: 44_002, by: "end_user")
    package static let platformStopped = Self(code: "voip_conn_general", number: 44_001, by: "platform")
}
