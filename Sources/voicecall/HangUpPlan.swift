/// When the caller hangs up.
package struct HangUpPlan: Hashable, Sendable {
    /// After the connection of the call.
    package var after: Duration

    /// - Parameters:
    ///   - microphone: How long we speak.
    ///   - expected: How long the expected sound is; it may come as late as we have finished speaking, and
    ///     later.
    ///   - maximum: The user's own limit, which then is the rule.
    package init(microphone: Duration?, expected: Duration?, maximum: Duration?) {
        if let maximum {
            after = maximum
            return
        }
        let spoken = max(microphone ?? .zero, expected ?? .zero)
        after = min(.seconds(60), max(.seconds(8), spoken + .seconds(6)))
    }
}
