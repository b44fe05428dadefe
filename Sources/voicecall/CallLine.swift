package import VoiceEngine

/// What a ``CallLine`` can't do, by what it means for the caller.
package enum CallProblem: Error, Hashable, Sendable {
    case cannotReach(String)
    case refused(String)
    case failed(String)
    /// What the user gave can't be used: a file, a token, a secret.
    case unusable(String)
    /// The task was cancelled.
    case cancelled
}

/// A way to place one call: a platform's, or a script in tests.
package protocol CallLine: Sendable {
    func signIn() async throws(CallProblem)
    /// The company's name.
    func company() async throws(CallProblem) -> String?
    /// The name of the menu that will be called.
    func menuName() async throws(CallProblem) -> String?
    /// Places the call; it is cleaned up when this fails.
    func start() async throws(CallProblem)
    /// How the call is now, and after its end how it was.
    var state: CallState { get }
    /// Hangs up; takes a bounded time, also without a network.
    func hangUp() async
}

/// How a call is at a moment.
package struct CallState: Hashable, Sendable {
    /// For people to watch: `waiting`, `connected`.
    package var status = "connecting"
    /// Whether sound can flow.
    package var isConnected = false
    /// Set once the call is over without our doing.
    package var ending: CallEnding?
    package var callID: Int?
    package var agent: String?
    package var endReason: String?
    package var statistics: SessionStatistics?

    package init() {}
}
