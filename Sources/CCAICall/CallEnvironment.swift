internal import CCAIKit
internal import PlatformSignalling
internal import VoiceEngine

/// What calls are made with.
struct CallEnvironment: Sendable {
    let client: PlatformClient
    let media: CallMediaOptions
    let limits: CallTimeLimits
    let makeMedia: CallMediaFactory

    /// The configuration of a new call's media.
    func configuration(input: AudioInput) -> SessionConfiguration {
        SessionConfiguration(
            localAddress: media.localAddress ?? .facing(host: client.host), codecs: media.codecs,
            opus: media.opus, input: input)
    }
}

/// What a call tells the program.
struct CallEvents: Sendable {
    let state: EventSubject<CallProviderState>
    let call: EventSubject<CallResponse>
}

extension CCAIError {
    /// Says in the SDK's words what the engine couldn't do.
    init(_ error: VoiceEngineError) {
        switch error.code {
        case .audioFile: self.init(.audioFile, error.description)
        case .digits: self.init(.invalidRequest, error.description)
        default: self.init(.voipConnection, error.description, isRetryable: error.code == .network)
        }
    }

    static let startCancelled = CCAIError(.cancelled, "The call was ended while it was being set up.")
}
