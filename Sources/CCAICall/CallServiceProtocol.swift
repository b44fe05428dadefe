public import CCAIKit
public import VoiceEngine

/// Places one call at a time, and tells how it goes.
///
/// Safe from any thread.
///
/// Every `async` function throws ``CCAIError``.
public protocol CallServiceProtocol: AnyObject, Sendable {
    /// Our leg of the call; a new subscriber gets the current state, if there was a call.
    var stateChanged: EventPublisher<CallProviderState> { get }

    /// The call as the platform sees it, at each change, never an older one after a newer.
    var callReceived: EventPublisher<CallResponse> { get }

    /// Whether silence is sent in place of the input.
    var isMuted: Bool { get }

    /// Whether the user holds the call.
    var isOnHold: Bool { get }

    /// Mutes or unmutes; at once true in ``isMuted``. Without a call it counts for the next one.
    func setMuted(_ muted: Bool)

    /// Holds or resumes the call; at once true in ``isOnHold``, and told to the platform as soon as it can be. Nothing without a
    /// call.
    func setOnHold(_ onHold: Bool)

    /// Places a call. Returns once the platform has taken it; ``stateChanged`` tells when its sound is there.
    ///
    /// If it fails, or the task is cancelled, nothing of the call is left, here or on the platform.
    ///
    /// - Parameter request: What to call.
    /// - Returns: The call.
    /// - Throws: ``CCAIError``: ``CCAIError/Code/callInProgress``, ``CCAIError/Code/menuNotFound``,
    ///   ``CCAIError/Code/deflected``, ``CCAIError/Code/voipConnection`` and others; its message says what to do.
    @discardableResult func startInstantCall(_ request: InstantCallRequest) async throws -> CallResponse

    /// Ends the call, or the attempt at one. Nothing without a call.
    ///
    /// - Throws: ``CCAIError`` when the platform couldn't be told within 2 s. The call is over here all the same, and
    ///   there as soon as the platform misses us.
    func endCall() async throws

    /// Sends digits to the other side, such as to a menu: 160 ms each, 100 ms apart, unheard of what is said meanwhile.
    ///
    /// - Parameter digits: `0-9`, `*`, `#`, `A-D`, and `w` for half a second of pause; at most 64.
    /// - Throws: ``CCAIError``: ``CCAIError/Code/invalidRequest`` for what are no digits, ``CCAIError/Code/callEnded`` before
    ///   the call has sound and after its end. None has been sent then.
    func sendDTMF(_ digits: String) async throws

    /// Asks the platform how the call stands, for programs that slept; ``callReceived`` tells if it changed.
    ///
    /// - Throws: ``CCAIError``.
    func checkStatus() async throws

    /// The user's last call that isn't over, also from another run of the program.
    ///
    /// - Returns: The call, or `nil`.
    /// - Throws: ``CCAIError``.
    func getLastCallInProgress() async throws -> CallResponse?

    /// Replaces what is sent. Without a call it counts for the next one.
    func setInput(_ input: AudioInput)

    /// What has been sent and received in the call, at most 200 ms old; after its end the final figures; `nil` before the first.
    var statistics: SessionStatistics? { get }

    /// How the call sounds now, or `nil` without a call.
    func getStats() async -> CallStats?
}

/// How a call sounds, at one moment.
public struct CallStats: Hashable, Sendable {
    /// The mean opinion score, `1...4.5`, that the transport lets expect; `nil` when nothing was received.
    public let mos: Double?
    /// The round trip by RTCP, ms.
    public let rttMs: Double?
    /// The interarrival jitter (RFC 3550 §6.4.1) of what we receive, ms.
    public let jitterMs: Double?
}
