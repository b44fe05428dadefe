public import CCAIKit
internal import Foundation
internal import Synchronization
internal import VoiceEngine

extension CCAI {
    /// Sets the call module up.
    ///
    /// Call it once, after `initialize`; before that, or again, it does nothing and says so on stderr.
    public func initializeCall(_ options: CallOptions) {
        guard let client else {
            return Self.complain(
                "initializeCall comes after a successful initialize(options:); there are no calls now")
        }
        guard attachedCallService == nil else {
            return Self.complain("initializeCall was called before; its first options stay")
        }
        let engine = SharedEngine()
        let service = CallService(client: client, options: options) { [weak self] id in
            self?.knownMenu(id)
        } makeMedia: { (configuration) throws(VoiceEngineError) in
            try await engine.get().makeSession(configuration)
        }
        attachCallService(service)
    }

    /// Places calls; `nil` before ``initializeCall(_:)``.
    public var callService: (any CallServiceProtocol)? { attachedCallService as? CallService }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("CCAICall: \(text)\n".utf8))
    }
}

/// The engine, made with the first call: a program that never calls has no media thread.
private final class SharedEngine: Sendable {
    private let engine = Mutex<VoiceEngine?>(nil)

    func get() throws(VoiceEngineError) -> VoiceEngine {
        try engine.withLock { (engine) throws(VoiceEngineError) in
            if let engine { return engine }
            let made = try VoiceEngine()
            engine = made
            return made
        }
    }
}
