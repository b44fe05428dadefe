extension MediaCapabilities {
    /// The answer to `offer` (RFC 3264 §6): the first audio section that we can take, every other turned off.
    ///
    /// An offer of nothing gets an answer of nothing.
    ///
    /// - Parameter offer: What the other side sent.
    /// - Returns: A description with as many sections as the offer, in its order.
    /// - Throws: ``NegotiationError``, the reason of the first audio section, if none can be taken.
    package func makeAnswer(to offer: SessionDescription) throws(NegotiationError) -> SessionDescription {
        var answer = SessionDescription(origin: origin, connection: address)
        var firstError: NegotiationError?
        var isTaken = false
        for section in offer.media {
            if !isTaken {
                do throws(NegotiationError) {
                    answer.media.append(try makeAnswer(to: section, of: offer))
                    isTaken = true
                    continue
                } catch {
                    if section.isAudio, firstError == nil { firstError = error }
                }
            }
            answer.media.append(
                MediaDescription(
                    kind: section.kind, port: 0, profile: section.profile, formats: section.formats))
        }
        guard isTaken || offer.media.isEmpty else { throw firstError ?? .noAudio }
        return answer
    }

    private func makeAnswer(
        to section: MediaDescription, of offer: SessionDescription
    ) throws(NegotiationError) -> MediaDescription {
        try checkProfile(of: section)
        guard section.port != 0 else { throw .rejected }
        guard let connection = offer.connection(of: section) else { throw .noAddress }
        let maps = commonMaps(in: section)
        guard maps.contains(where: { AudioEncoding($0) != nil }) else { throw .noCommonCodec }
        let line = try cryptoLine(for: section)
        return makeSection(
            profile: section.profile, maps: maps, crypto: line.map { [$0] } ?? [],
            multiplexesRTCP: section.hasRTCPMultiplexing,
            direction: answeredDirection(offer.direction(of: section), connection))
    }

    /// Passes audio over RTP that is as secure as we are.
    ///
    /// RTP/AVP with keys is encrypted too (RFC 8643 §4). RTP/SAVP under DTLS is another protocol, with no keys here.
    func checkProfile(of section: MediaDescription) throws(NegotiationError) {
        guard section.isAudio else { throw .noAudio }
        let isSecure =
            switch section.profile.uppercased() {
            case "RTP/SAVP", "RTP/SAVPF": true
            case "RTP/AVP", "RTP/AVPF": false
            default: throw NegotiationError.noAudio
            }
        let hasKeys = section.attributes.contains { $0.name == "crypto" }
        if requiresEncryption, !isSecure, !hasKeys { throw .encryptionRequired }
        if !requiresEncryption, isSecure { throw .encryptionUnavailable }
    }

    /// What the offer has and we have, under the offer's numbers and in its order.
    private func commonMaps(in section: MediaDescription) -> [RTPMap] {
        let maps = section.rtpMaps
        let audio = maps.filter { AudioEncoding($0).map(encodings.contains) ?? false }
        let clockRates = Set(audio.map(\.clockRate))
        let events = maps.filter {
            usesTelephoneEvents && $0.encodingName.lowercased() == "telephone-event" && $0.channels == 1
        }
        let matching = events.filter { clockRates.contains($0.clockRate) }
        let noise = maps.filter { usesComfortNoise && $0.isComfortNoise && clockRates.contains($0.clockRate) }
        return audio + (matching.isEmpty ? Array(events.prefix(1)) : matching) + noise
    }

    /// Our line for the first of the offer's that we have a key for, under its tag (RFC 4568 §5.1.2).
    private func cryptoLine(
        for section: MediaDescription
    ) throws(NegotiationError) -> CryptoAttribute? {
        guard requiresEncryption else { return nil }
        let lines = section.cryptoLines
        for line in lines.usable {
            guard let key = keys.first(where: { $0.suite == line.key.suite }) else { continue }
            return CryptoAttribute(tag: line.tag, key: key)
        }
        throw .noUsableCryptoLine(lines.allProblems)
    }

    /// Our direction in an answer (RFC 3264 §6.1).
    ///
    /// Who is at no address receives nothing (§8.4).
    private func answeredDirection(
        _ offered: MediaDirection, _ connection: ConnectionAddress
    ) -> MediaDirection {
        let offered = connection.isUnspecified ? offered.intersection(.sendonly) : offered
        return offered.reversed.intersection(direction)
    }
}
