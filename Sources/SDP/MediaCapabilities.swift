/// An audio encoding that we can send and receive.
package enum AudioEncoding: String, Hashable, Sendable, CaseIterable {
    /// RFC 7587 §7: always 48 kHz and two channels in SDP, whatever it carries.
    case opus
    /// Its clock rate in SDP is 8000, though its samples are at 16 kHz (RFC 3551 §4.5.2).
    case g722
    case pcmu
    case pcma

    var rtpMap: RTPMap {
        switch self {
        case .opus: RTPMap(payloadType: 111, encodingName: "opus", clockRate: 48_000, channels: 2)
        case .g722: RTPMap(payloadType: 9, encodingName: "G722", clockRate: 8000)
        case .pcmu: RTPMap(payloadType: 0, encodingName: "PCMU", clockRate: 8000)
        case .pcma: RTPMap(payloadType: 8, encodingName: "PCMA", clockRate: 8000)
        }
    }

    /// Units of the RTP timestamp in a second.
    package var clockRate: Int { rtpMap.clockRate }

    init?(_ map: RTPMap) {
        guard let encoding = Self.allCases.first(where: { $0.rtpMap.isSameEncoding(as: map) }) else {
            return nil
        }
        self = encoding
    }
}

/// The RTP source that a description names (RFC 5576 §4.1).
package struct LocalSource: Hashable, Sendable {
    package var ssrc: UInt32
    /// The CNAME of RTCP.
    package var canonicalName: String

    package init(ssrc: UInt32, canonicalName: String) {
        self.ssrc = ssrc
        self.canonicalName = canonicalName
    }
}

/// What one side of a call can and wants to do: offers and answers are made from it, and from nothing else.
package struct MediaCapabilities: Hashable, Sendable {
    /// Whether media is encrypted.
    ///
    /// There's nothing between: what is required is never given up.
    package enum Security: Hashable, Sendable {
        /// Plain RTP only.
        case none
        /// SRTP only, with one of these keys, each fresh and of its own suite, best first.
        case required([MasterKey])
    }

    package var origin: SessionOrigin
    /// Where we receive RTP.
    package var address: ConnectionAddress
    package var port: UInt16
    /// Best first.
    package var encodings: [AudioEncoding]
    package var opus: OpusParameters
    /// Audio in a packet that we want to receive and to send, ms: one of ``packetDurations``.
    package var packetDuration: Int
    package var direction: MediaDirection
    package var security: Security
    package var source: LocalSource?
    /// Whether to offer and take telephone events (RFC 4733).
    package var usesTelephoneEvents = true
    /// Whether to offer and take comfort noise beside encodings at 8 kHz (RFC 3389).
    package var usesComfortNoise = true

    /// What we can send, ms.
    package static let packetDurations = [10, 20, 40, 60]
    /// The longest packet that we receive, ms.
    package static let maximumPacketDuration = 60

    package init(
        origin: SessionOrigin, address: ConnectionAddress, port: UInt16,
        encodings: [AudioEncoding] = [.opus, .pcmu, .pcma], opus: OpusParameters = OpusParameters(),
        packetDuration: Int = 20, direction: MediaDirection = .sendrecv, security: Security,
        source: LocalSource? = nil
    ) {
        precondition(!encodings.isEmpty, "a call has an encoding")
        precondition(security != .required([]), "encryption has a key")
        self.origin = origin
        self.address = address
        self.port = port
        self.encodings = encodings
        self.opus = opus
        self.packetDuration = packetDuration
        self.direction = direction
        self.security = security
        self.source = source
    }

    /// The keys to offer, or to answer with.
    var keys: [MasterKey] {
        guard case .required(let keys) = security else { return [] }
        return keys
    }

    var requiresEncryption: Bool { security != .none }
}

extension MediaCapabilities {
    /// The offer of one audio section (RFC 3264 §5).
    package func makeOffer() -> SessionDescription {
        let lines = keys.enumerated().map { CryptoAttribute(tag: $0.offset + 1, key: $0.element) }
        let section = makeSection(
            profile: requiresEncryption ? "RTP/SAVP" : "RTP/AVP", maps: offeredMaps, crypto: lines,
            multiplexesRTCP: true, direction: direction)
        return SessionDescription(origin: origin, connection: address, media: [section])
    }

    /// Our encodings, then events at each of their clock rates (RFC 4733 §2.1), then comfort noise (RFC 3389 §4).
    private var offeredMaps: [RTPMap] {
        let audio = encodings.map(\.rtpMap)
        var maps = audio
        if usesTelephoneEvents, audio.contains(where: { $0.clockRate == 48_000 }) {
            maps.append(RTPMap(payloadType: 110, encodingName: "telephone-event", clockRate: 48_000))
        }
        guard audio.contains(where: { $0.clockRate == 8000 }) else { return maps }
        if usesTelephoneEvents {
            maps.append(RTPMap(payloadType: 101, encodingName: "telephone-event", clockRate: 8000))
        }
        if usesComfortNoise {
            maps.append(RTPMap(payloadType: 13, encodingName: "CN", clockRate: 8000))
        }
        return maps
    }

    func makeSection(
        profile: String, maps: [RTPMap], crypto: [CryptoAttribute], multiplexesRTCP: Bool,
        direction: MediaDirection
    ) -> MediaDescription {
        var attributes: [SDPAttribute] = []
        for map in maps {
            attributes.append(SDPAttribute("rtpmap", map.value))
            let parameters =
                switch map.encodingName.lowercased() {
                case "opus": opus.value
                // The digits, star, pound and A to D (RFC 4733 §3.2).
                case "telephone-event": "0-15"
                default: ""
                }
            guard !parameters.isEmpty else { continue }
            attributes.append(SDPAttribute("fmtp", "\(map.payloadType) \(parameters)"))
        }
        attributes.append(SDPAttribute("ptime", "\(packetDuration)"))
        attributes.append(SDPAttribute("maxptime", "\(Self.maximumPacketDuration)"))
        attributes += crypto.map { SDPAttribute("crypto", $0.value) }
        if multiplexesRTCP { attributes.append(SDPAttribute("rtcp-mux")) }
        if let source {
            attributes.append(SDPAttribute("ssrc", "\(source.ssrc) cname:\(source.canonicalName)"))
        }
        attributes.append(SDPAttribute(direction.rawValue))
        return MediaDescription(
            kind: "audio", port: port, profile: profile, formats: maps.map { "\($0.payloadType)" },
            attributes: attributes)
    }
}
