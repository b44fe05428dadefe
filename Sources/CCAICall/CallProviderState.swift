public import CCAIKit

/// The state of our own leg of a call: the media between this machine and the platform.
///
/// It says nothing about the call itself: `connected` comes already while the call waits in a queue.
@nonexhaustive public enum CallProviderState: Hashable, Sendable {
    /// The leg is being set up.
    case connecting
    /// Authentic media arrives.
    case connected
    /// The leg is gone, as wanted by a side; all devices and sockets are closed.
    case disconnected
    /// The leg could not be set up, or broke; all devices and sockets are closed.
    case error(CallError)
}

/// Why a call's leg failed.
public struct CallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to act on.
    public let code: CCAIError.Code
    /// What went wrong and what to do about it, for people.
    public let message: String
    /// Whether another call may succeed later.
    public let isRetryable: Bool

    init(_ error: CCAIError) {
        code = error.code
        message = error.message
        isRetryable = error.isRetryable
    }

    /// Message and number.
    public var description: String { "\(message) (\(code.rawValue))" }
}
