internal import AudioCodecs
internal import MediaSession
internal import RTP
internal import SDP
internal import SRTP

/// Turns a session's configuration into offers and answers, and what these agree on into media parameters.
struct Negotiator: Sendable {
    private let configuration: SessionConfiguration
    private var negotiation: MediaNegotiation
    private let canonicalName: String

    /// - Parameters:
    ///   - configuration: What to offer.
    ///   - address: Where the session's socket is.
    init(_ configuration: SessionConfiguration, address: TransportAddress) {
        self.configuration = configuration
        var generator = SystemRandom()
        // 96 random bits (RFC 7022 §4.2).
        let name = (0..<3).map { _ in
            String(UInt32.random(in: 0...UInt32.max, using: &generator), radix: 36)
        }
        canonicalName = name.joined()
        let host = ConnectionAddress(family: .ip4, host: address.dottedAddress)
        let identifier = UInt64.random(in: 1...(1 << 62), using: &generator)
        var capabilities = MediaCapabilities(
            origin: SessionOrigin(sessionID: identifier, sessionVersion: 1, address: host), address: host,
            port: address.port, encodings: configuration.codecs.map(\.encoding),
            opus: OpusParameters(
                wantsDiscontinuousTransmission: configuration.opus.usesDiscontinuousTransmission),
            packetDuration: configuration.packetMilliseconds,
            security: configuration.encryption == .none
                ? .none : .required(Self.suites.map(makeKey)))
        capabilities.usesComfortNoise = configuration.usesComfortNoise
        negotiation = MediaNegotiation(capabilities, makeKey: makeKey)
    }

    private static let suites: [SDP.CryptoSuite] = [
        .aes256GCM, .aes128GCM, .aes256CounterMode80, .aes128CounterMode80, .aes128CounterMode32,
    ]

    /// Whether we hold: the next description says so.
    var isHeld: Bool {
        get { negotiation.isHeld }
        set { negotiation.isHeld = newValue }
    }

    /// Whether the other side holds, by the last description.
    var isHeldByRemote: Bool { negotiation.agreed?.isHeldByRemote ?? false }

    mutating func makeOffer(renewingKeys: Bool) -> String {
        negotiation.makeOffer(renewingKeys: renewingKeys).serialized()
    }

    mutating func withdrawOffer() { negotiation.withdrawOffer() }

    /// What we do by the other side's `answer` to our offer.
    mutating func accept(answer: String) throws(VoiceEngineError) -> MediaParameters {
        let description = try Self.parse(answer, as: "answer")
        let media: NegotiatedMedia
        do throws(NegotiationError) { media = try negotiation.accept(answer: description) } catch {
            throw VoiceEngineError(error)
        }
        return try parameters(media)
    }

    /// Our answer to the other side's `offer`, and what we do by it.
    mutating func answer(
        offer: String
    ) throws(VoiceEngineError) -> (answer: String, parameters: MediaParameters) {
        let description = try Self.parse(offer, as: "offer")
        let answer: SessionDescription
        let media: NegotiatedMedia
        do throws(NegotiationError) {
            (answer, media) = try negotiation.makeAnswer(to: description)
        } catch { throw VoiceEngineError(error) }
        return (answer.serialized(), try parameters(media))
    }

    private static func parse(_ text: String, as role: String) throws(VoiceEngineError) -> SessionDescription
    {
        do throws(SDPParseError) { return try SessionDescription(parsing: text) } catch {
            throw VoiceEngineError(
                .invalidDescription, "the \(role) is no session description (SDP): \(error)")
        }
    }

    /// Where to send: one host, by its IPv4 address; `nil` if nothing is wanted.
    ///
    /// Media to a group or to everyone is nobody's call.
    private static func address(
        _ named: ConnectionAddress?, port: UInt16?
    ) throws(VoiceEngineError) -> TransportAddress? {
        guard let named, let port else { return nil }
        guard let address = TransportAddress(dotted: named.host, port: port),
            address.address >> 28 < 0xE
        else {
            throw VoiceEngineError(
                .mediaRejected, "the other side wants media at \(named.host), which is no host's IPv4 address"
            )
        }
        return address
    }

    private func parameters(_ media: NegotiatedMedia) throws(VoiceEngineError) -> MediaParameters {
        var receiving: [MediaParameters.Payload] = []
        for codec in [media.codec] + media.alternatives {
            for type in codec.format.payloadTypesToAccept {
                receiving.append(.init(type: PayloadType(rawValue: type), format: codec.encoding.format))
            }
        }
        var parameters = MediaParameters(
            sending: .init(
                type: PayloadType(rawValue: media.codec.format.payloadTypeToSend),
                format: media.codec.encoding.format),
            receiving: receiving, canonicalName: canonicalName)
        if let event = media.telephoneEvent {
            parameters.sendingEvents = .init(
                type: PayloadType(rawValue: event.payloadTypeToSend), clockRate: event.clockRate)
        }
        for event in media.telephoneEvents {
            for type in event.payloadTypesToAccept {
                parameters.receivingEvents.append(
                    .init(type: PayloadType(rawValue: type), clockRate: event.clockRate))
            }
        }
        if let noise = media.comfortNoise {
            parameters.sendingComfortNoise = PayloadType(rawValue: noise.payloadTypeToSend)
            parameters.receivingComfortNoise += noise.payloadTypesToAccept.map { PayloadType(rawValue: $0) }
        }
        parameters.opus = opusConfiguration(for: media.codec.opus)
        parameters.packetMilliseconds = media.packetDuration
        parameters.remoteAddress = try Self.address(media.remoteAddress, port: media.remotePort)
        parameters.remoteRTCPAddress = try Self.address(media.remoteRTCPAddress, port: media.remoteRTCPPort)
        parameters.sendsAudio = media.direction.sends
        parameters.receivesAudio = media.direction.receives
        parameters.usesRTCPMultiplexing = media.isRTCPMultiplexed
        parameters.timeout = configuration.mediaTimeout
        if case .encrypted(_, let local, let remote) = media.security,
            let suite = SRTP.CryptoSuite(rawValue: local.suite.rawValue)
        {
            parameters.security = .init(
                local: SRTPKey(suite: suite, keyAndSalt: local.keyAndSalt),
                remote: SRTPKey(
                    suite: suite, keyAndSalt: remote.keyAndSalt,
                    masterKeyIdentifier: media.remoteMasterKeyIdentifier?.octets ?? []))
        }
        return parameters
    }

    private func opusConfiguration(for wishes: OpusParameters?) -> OpusEncoderConfiguration {
        let ours = configuration.opus
        return OpusEncoderConfiguration(
            bitrate: min(ours.bitrate, wishes?.maximumAverageBitrate ?? ours.bitrate),
            complexity: ours.complexity,
            usesForwardErrorCorrection: ours.usesForwardErrorCorrection
                && wishes?.wantsForwardErrorCorrection != false,
            usesDiscontinuousTransmission: ours.usesDiscontinuousTransmission
                && wishes?.wantsDiscontinuousTransmission == true)
    }
}

/// A fresh key from the system's generator.
@Sendable private func makeKey(of suite: SDP.CryptoSuite) -> MasterKey {
    var random = SystemRandom()
    let octets = (0..<suite.keyAndSaltLength).map { _ in UInt8.random(in: 0...255, using: &random) }
    guard let key = MasterKey(suite: suite, keyAndSalt: octets) else {
        preconditionFailure("a key has its suite's length")
    }
    return key
}

extension SessionConfiguration {
    var packetMilliseconds: Int { Int(packetDuration / .milliseconds(1)) }
}

extension AudioCodec {
    var encoding: AudioEncoding {
        switch self {
        case .opus: .opus
        case .g722: .g722
        case .pcmu: .pcmu
        case .pcma: .pcma
        }
    }
}

extension AudioEncoding {
    fileprivate var format: AudioFormat {
        switch self {
        case .opus: .opus
        case .g722: .g722
        case .pcmu: .pcmu
        case .pcma: .pcma
        }
    }
}

extension VoiceEngineError {
    init(_ error: NegotiationError) {
        switch error {
        case .encryptionRequired:
            self.init(
                .encryptionRequired,
                "the other side has no SRTP, and the call requires it: give it SDES keys, or allow plain RTP")
        case .noCommonCodec:
            self.init(.mediaRejected, "no audio codec in common: offer one of Opus, G.722, PCMU, PCMA")
        case .noAudio: self.init(.mediaRejected, "the other side's description has no audio over RTP")
        case .rejected: self.init(.mediaRejected, "the other side turned the audio off (port 0)")
        case .noAddress: self.init(.invalidDescription, "the audio section names no address (c= line)")
        case .encryptionUnavailable:
            self.init(.mediaRejected, "the other side requires SRTP, and this session is set up without")
        case .noUsableCryptoLine(let problems):
            self.init(
                .encryptionRequired,
                "no crypto line of the other side can be used: "
                    + problems.map(\.description).joined(separator: ", "))
        case .unexpectedAnswer:
            self.init(
                .invalidDescription, "an answer came, and no offer waits for one: call `makeOffer()` first")
        case .offerPending:
            self.init(
                .offerPending,
                "an offer came while ours waits for its answer: refuse it, or call `withdrawOffer()` and answer it"
            )
        case .cryptoMismatch(let tag):
            self.init(.mediaRejected, "the answer takes crypto line \(tag), which was not offered")
        }
    }
}

extension VoiceEngineError {
    init(_ error: MediaSessionError) {
        self.init(.mediaRejected, "the agreed media can't be set up: \(error)")
    }
}
