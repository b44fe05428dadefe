public import VoiceEngine

/// How the call module behaves.
public struct CallOptions: Sendable {
    /// Whether the SDK plays the platform's announcements; without it they are only told of.
    public var playAudibleMessages: Bool
    /// Whether the SDK presents incoming calls by itself.
    public var callKitEnabled: Bool
    /// The audio of the calls.
    public var media = CallMediaOptions()

    /// Creates options.
    public init(playAudibleMessages: Bool = true, callKitEnabled: Bool = true) {
        self.playAudibleMessages = playAudibleMessages
        self.callKitEnabled = callKitEnabled
    }
}

/// The audio of calls, taken over when a call starts.
public struct CallMediaOptions: Sendable {
    /// What is sent from the first packet on.
    public var input: AudioInput = .silence
    /// A stereo WAV file to record each call into, ours left, theirs right; replaced by the next call.
    ///
    /// `nil` for none.
    public var recordingPath: String?
    /// The codecs to offer, best first.
    ///
    /// Not empty.
    public var codecs: [AudioCodec] = [.opus, .g722, .pcmu, .pcma]
    /// How Opus encodes.
    public var opus = OpusOptions()
    /// Where to receive media; `nil` for the interface that faces the platform.
    public var localAddress: LocalAddress?

    /// Creates options: all codecs, silence, no recording.
    public init() {}
}
