/// Carries voice calls: one media thread, and the sessions on it.
///
/// Safe from any thread. Make one and keep it for the life of the program.
public final class VoiceEngine: Sendable {
    /// Starts the media thread.
    ///
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/thread`` when the system has no thread or descriptor left.
    public init() throws(VoiceEngineError) {}

    /// Opens a socket for a new call, which then gives or takes an offer.
    ///
    /// - Parameter configuration: What to offer.
    /// - Returns: The session, not yet sending.
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/network`` when no socket could be bound.
    public func makeSession(_ configuration: SessionConfiguration) async throws(VoiceEngineError)
        -> VoiceSession
    {
        throw VoiceEngineError(.closed, "the engine is not built yet")
    }

    /// Closes all sessions and ends the media thread. Later calls fail with ``VoiceEngineError/Code/closed``.
    public func shutDown() async {}
}
