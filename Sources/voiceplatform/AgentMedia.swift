/// What a call's media tells of itself.
package enum MediaReport: Hashable, Sendable {
    /// The caller's first authentic packet came.
    case started
    /// The caller's packets stopped.
    case timedOut
    /// The caller said goodbye.
    case callerLeft
}

/// The media side of who answers: ``VirtualAgent``, or a script in tests.
package protocol AgentMedia: Sendable {
    /// Answers a caller's SDP offer; media may flow when this returns.
    ///
    /// - Parameters:
    ///   - offer: Of the caller, as it came.
    ///   - call: Names the media from now on.
    ///   - report: Called from any thread until ``close(call:)``.
    /// - Returns: Our SDP answer.
    /// - Throws: ``MediaFailure``; nothing is kept of the call then.
    func answer(
        offer: String, call: Int64, report: @escaping @Sendable (MediaReport) -> Void
    ) async throws(MediaFailure) -> String
    func setOnHold(_ isOnHold: Bool, call: Int64)
    /// Says goodbye and frees all; without effect for an unknown call.
    func close(call: Int64) async
    /// Closes all calls.
    func shutDown() async
}
