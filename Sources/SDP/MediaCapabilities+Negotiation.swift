extension MediaCapabilities {
    /// What we, who made `offer`, do by the answer to it.
    ///
    /// - Parameters:
    ///   - offer: By ``makeOffer()``.
    ///   - answer: What the other side sent.
    /// - Returns: What to send, receive and expect.
    /// - Throws: ``NegotiationError``; send nothing, and end the call.
    package func negotiated(
        byOffering offer: SessionDescription, answer: SessionDescription
    ) throws(NegotiationError) -> NegotiatedMedia {
        guard let index = offer.media.firstIndex(where: { $0.isAudio && $0.port != 0 }),
            answer.media.indices.contains(index)
        else { throw .noAudio }
        let ours = offer.media[index]
        let theirs = answer.media[index]
        guard theirs.port != 0 else { throw .rejected }
        try checkProfile(of: theirs)
        let security = try securityOfAnswer(theirs, to: ours)
        // The answer's order says what to send.
        let preferred = theirs.rtpMaps.compactMap { AudioEncoding($0) }
        return try agree(ours, theirs, in: answer, preferring: preferred, security: security)
    }

    /// What we, who answered `offer`, do.
    ///
    /// - Parameters:
    ///   - offer: What the other side sent.
    ///   - answer: By ``makeAnswer(to:)``, from these capabilities.
    /// - Returns: What to send, receive and expect.
    /// - Throws: ``NegotiationError``, if ours was an answer of nothing.
    package func negotiated(
        byAnswering offer: SessionDescription, with answer: SessionDescription
    ) throws(NegotiationError) -> NegotiatedMedia {
        guard let index = answer.media.firstIndex(where: { $0.isAudio && $0.port != 0 }),
            offer.media.indices.contains(index)
        else { throw .noAudio }
        let ours = answer.media[index]
        let theirs = offer.media[index]
        var security = NegotiatedMedia.Security.none
        if requiresEncryption {
            guard let line = ours.cryptoLines.usable.first,
                let remote = theirs.cryptoLines.usable.first(where: { $0.tag == line.tag })
            else { throw .encryptionRequired }
            security = .encrypted(tag: line.tag, local: line.key, remote: remote.key)
        }
        let preferred = ours.rtpMaps.compactMap { AudioEncoding($0) }
        return try agree(ours, theirs, in: offer, preferring: preferred, security: security)
    }

    /// The answer's key beside ours of the same tag (RFC 4568 §5.1.3).
    private func securityOfAnswer(
        _ answer: MediaDescription, to offer: MediaDescription
    ) throws(NegotiationError) -> NegotiatedMedia.Security {
        guard requiresEncryption else { return .none }
        let lines = answer.cryptoLines
        guard let line = lines.usable.first else {
            let hasLine = answer.attributes.contains { $0.name == "crypto" }
            throw hasLine ? .noUsableCryptoLine(lines.allProblems) : .encryptionRequired
        }
        let offered = offer.cryptoLines.usable.first { $0.tag == line.tag }
        guard let local = offered?.key, local.suite == line.key.suite else {
            throw .cryptoMismatch(tag: line.tag)
        }
        return .encrypted(tag: line.tag, local: local, remote: line.key)
    }

    private func agree(
        _ ours: MediaDescription, _ theirs: MediaDescription, in remote: SessionDescription,
        preferring encodings: [AudioEncoding], security: NegotiatedMedia.Security
    ) throws(NegotiationError) -> NegotiatedMedia {
        guard let connection = remote.connection(of: theirs) else { throw .noAddress }
        let formats = FormatPairs(ours: ours.rtpMaps, theirs: theirs.rtpMaps)
        var codecs: [NegotiatedCodec] = []
        for encoding in encodings where !codecs.contains(where: { $0.encoding == encoding }) {
            guard let format = formats.first(where: encoding.rtpMap.isSameEncoding) else { continue }
            let parameters = theirs.formatParameters(of: format.payloadTypeToSend)
            codecs.append(
                NegotiatedCodec(
                    encoding: encoding, format: format,
                    opus: encoding == .opus ? OpusParameters(parameters) : nil))
        }
        guard let codec = codecs.first else { throw .noCommonCodec }

        let isMultiplexed = ours.hasRTCPMultiplexing && theirs.hasRTCPMultiplexing
        let reachable = connection.isUnspecified ? MediaDirection.recvonly : .sendrecv
        let address = connection.isUnspecified ? nil : connection
        let reports = isMultiplexed ? connection : theirs.rtcpAddress ?? connection
        return NegotiatedMedia(
            remoteAddress: address, remotePort: theirs.port,
            remoteRTCPPort: isMultiplexed ? theirs.port : theirs.rtcpPort,
            remoteRTCPAddress: connection.isUnspecified || reports.isUnspecified ? nil : reports,
            isRTCPMultiplexed: isMultiplexed,
            direction: remote.direction(of: theirs).reversed.intersection(ours.direction ?? .sendrecv)
                .intersection(reachable),
            isHeldByRemote: !remote.direction(of: theirs).receives || connection.isUnspecified,
            codec: codec, alternatives: Array(codecs.dropFirst()),
            telephoneEvents: formats.all { $0.encodingName.lowercased() == "telephone-event" },
            comfortNoise: formats.first { $0.isComfortNoise },
            packetDuration: packetDuration(for: theirs, opus: codec.opus), security: security,
            remoteMasterKeyIdentifier: theirs.masterKeyIdentifier(of: security))
    }

    /// The longest that we can send of what the other side wants: its `ptime` or else ours, within its limits.
    private func packetDuration(for theirs: MediaDescription, opus: OpusParameters?) -> Int {
        let wanted = max(theirs.packetDuration ?? packetDuration, opus?.minimumPacketDuration ?? 0)
        let limit = min(wanted, theirs.maximumPacketDuration ?? .max)
        return Self.packetDurations.last { $0 <= limit } ?? Self.packetDurations[0]
    }
}

extension RTPMap {
    /// Comfort noise beside encodings with a clock of 8 kHz (RFC 3389 §4).
    var isComfortNoise: Bool { encodingName.lowercased() == "cn" && clockRate == 8_000 && channels == 1 }
}

/// The formats that both sides declare, matched by what they stand for and not by their numbers.
private struct FormatPairs {
    let ours, theirs: [RTPMap]

    func first(where isWanted: (RTPMap) -> Bool) -> NegotiatedFormat? { all(where: isWanted).first }

    /// One for each that the other side declares, in its order.
    func all(where isWanted: (RTPMap) -> Bool) -> [NegotiatedFormat] {
        var taken: [RTPMap] = []
        return theirs.filter(isWanted).compactMap { their in
            guard let our = ours.first(where: their.isSameEncoding),
                !taken.contains(where: their.isSameEncoding)
            else { return nil }
            taken.append(their)
            // Their number means what they say unless we gave it to something else.
            let isOurs = ours.contains { $0.payloadType == their.payloadType }
            return NegotiatedFormat(
                clockRate: their.clockRate, payloadTypeToSend: their.payloadType,
                payloadTypesToAccept: isOurs ? [our.payloadType] : [our.payloadType, their.payloadType])
        }
    }
}

extension MediaDescription {
    /// The MKI on the crypto line that was agreed on.
    fileprivate func masterKeyIdentifier(of security: NegotiatedMedia.Security) -> MasterKeyIdentifier? {
        guard case .encrypted(let tag, _, _) = security else { return nil }
        return cryptoLines.usable.first { $0.tag == tag }?.masterKeyIdentifier
    }
}
