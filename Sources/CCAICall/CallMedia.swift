package import VoiceEngine

/// What a call needs of its media: ``VoiceSession``, or a scripted one in tests.
package protocol CallMedia: AnyObject, Sendable {
    func makeOffer(renewingKeys: Bool) -> String
    var events: AsyncStream<SessionEvent> { get }
    var statistics: SessionStatistics { get }
    func accept(answer: String) async throws(VoiceEngineError)
    func setMuted(_ isMuted: Bool)
    func setOnHold(_ isOnHold: Bool)
    func setInput(_ input: AudioInput)
    func sendDigits(_ digits: String) throws(VoiceEngineError)
    func record(to path: String) async throws(VoiceEngineError)
    func close() async -> SessionStatistics
}

extension VoiceSession: CallMedia {}

/// Makes the media of a call.
package typealias CallMediaFactory =
    @Sendable (SessionConfiguration) async throws(VoiceEngineError) -> any CallMedia

/// How long the parts of a call's life may take.
package struct CallTimeLimits: Sendable {
    /// Until the event stream is open.
    package var eventStream: Duration = .seconds(15)
    /// For telling the platform that a call is over.
    package var goodbye: Duration = .seconds(2)
    /// Between two questions for the call while the event stream is down.
    package var polling: Duration = .seconds(5)
    /// For the answer to such a question.
    package var pollAnswer: Duration = .milliseconds(1500)

    package init() {}
}
