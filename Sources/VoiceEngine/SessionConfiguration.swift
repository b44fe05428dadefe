/// An audio codec that a session can offer (RFC 7587 for Opus, ITU-T G.722 and G.711 for the others).
public enum AudioCodec: String, Hashable, Sendable, CaseIterable {
    /// Opus at 48 kHz: `opus/48000/2`.
    case opus
    /// G.722 at 16 kHz and 64 kbit/s: `G722/8000`, as a mistake of old has it (RFC 3551 §4.5.2).
    case g722
    /// G.711 µ-law at 8 kHz: `PCMU/8000`.
    case pcmu
    /// G.711 A-law at 8 kHz: `PCMA/8000`.
    case pcma
}

/// Whether a session's media must be encrypted.
public enum MediaEncryption: Hashable, Sendable {
    /// SRTP with SDES keys (RFC 4568), or no media at all. The default.
    case required
    /// Plain RTP, for a laboratory: everyone on the path can listen.
    case none
}

/// The address that a session binds its sockets to and tells the other side.
public enum LocalAddress: Hashable, Sendable {
    /// The address of the interface through which `host` (a name or a numeric address) is reached.
    case facing(host: String)
    /// A numeric IPv4 address of this machine.
    case numeric(String)
}

/// How the Opus encoder works (RFC 7587 §3, §7).
public struct OpusOptions: Hashable, Sendable {
    /// Target in bit/s, `6000...128_000`.
    public var bitrate: Int
    /// CPU spent on quality, `0...10`.
    public var complexity: Int
    /// Whether each packet also carries a coarse copy of the one before (in-band FEC), if the other side asked for it.
    public var usesForwardErrorCorrection: Bool
    /// Whether silence is sent as pauses (discontinuous transmission).
    ///
    /// Off by default: pauses let NATs forget the path.
    public var usesDiscontinuousTransmission: Bool

    /// Creates options; the defaults are wide-band speech with FEC at a moderate cost.
    public init(
        bitrate: Int = 28_000, complexity: Int = 5, usesForwardErrorCorrection: Bool = true,
        usesDiscontinuousTransmission: Bool = false
    ) {
        self.bitrate = bitrate
        self.complexity = complexity
        self.usesForwardErrorCorrection = usesForwardErrorCorrection
        self.usesDiscontinuousTransmission = usesDiscontinuousTransmission
    }
}

/// What a new session offers and how it behaves; fixed once the session exists.
public struct SessionConfiguration: Hashable, Sendable {
    /// Where to receive media.
    public var localAddress: LocalAddress
    /// What to offer, best first.
    ///
    /// Not empty.
    public var codecs: [AudioCodec]
    /// Whether media must be encrypted.
    public var encryption: MediaEncryption
    /// How to encode Opus.
    public var opus: OpusOptions
    /// Whether pauses in G.711 and G.722 are told in a few octets (comfort noise, RFC 3389) in place of being sent, if the
    /// other side agrees.
    ///
    /// Off by default: the other side's noise is made up then, and its ear may hear the seams. What it sends unasked is
    /// played all the same. For pauses in Opus see ``OpusOptions/usesDiscontinuousTransmission``.
    public var usesComfortNoise: Bool
    /// Audio in one packet: 10, 20, 40 or 60 ms.
    public var packetDuration: Duration
    /// What the session captures, from its first packet on.
    public var input: AudioInput
    /// How long no media may arrive before ``SessionEvent/mediaTimedOut`` is sent.
    public var mediaTimeout: Duration

    /// Creates a configuration for a session that reaches `localAddress`' network.
    public init(
        localAddress: LocalAddress, codecs: [AudioCodec] = [.opus, .g722, .pcmu, .pcma],
        encryption: MediaEncryption = .required, opus: OpusOptions = OpusOptions(),
        usesComfortNoise: Bool = false, packetDuration: Duration = .milliseconds(20),
        input: AudioInput = .silence,
        mediaTimeout: Duration = .seconds(6)
    ) {
        self.localAddress = localAddress
        self.codecs = codecs
        self.encryption = encryption
        self.opus = opus
        self.usesComfortNoise = usesComfortNoise
        self.packetDuration = packetDuration
        self.input = input
        self.mediaTimeout = mediaTimeout
    }
}
