/// The offers and answers of one call, one after the other (RFC 3264 §8): who holds, and what must stay as it was.
///
/// A later offer repeats what we said last but for the direction and renewed keys: numbers of formats, ports, profile and
/// sections stay, and the version rises only when something has changed. What is refused changes nothing.
package struct MediaNegotiation: Sendable {
    private var capabilities: MediaCapabilities
    private let wantedDirection: MediaDirection
    private let makeKey: @Sendable (CryptoSuite) -> MasterKey
    private var pending: SessionDescription?
    /// Ours of the last exchange that succeeded, and the last that we made at all.
    private var settled: SessionDescription?
    private var lastMade: SessionDescription?

    /// What the last offer and its answer agreed on; `nil` before the first.
    package private(set) var agreed: NegotiatedMedia?
    /// Whether we hold: the next offer and the next answer say so.
    package var isHeld = false

    /// - Parameters:
    ///   - capabilities: What we can and want, with the first keys.
    ///   - makeKey: Makes a fresh key from the system's generator, each time another.
    package init(
        _ capabilities: MediaCapabilities, makeKey: @escaping @Sendable (CryptoSuite) -> MasterKey
    ) {
        self.capabilities = capabilities
        self.makeKey = makeKey
        wantedDirection = capabilities.direction
    }

    /// Whether an offer of ours waits for its answer.
    package var isOffering: Bool { pending != nil }

    /// Our offer: the first, or one that tells what has changed since.
    ///
    /// Asked again before the answer it is made anew, and the one before is forgotten.
    ///
    /// - Parameter renewingKeys: Whether to change our key, as before its lifetime is over (RFC 3711 §9.2).
    /// - Returns: What to send to the other side.
    package mutating func makeOffer(renewingKeys: Bool = false) -> SessionDescription {
        capabilities.direction = offeredDirection
        var offer = settled ?? capabilities.makeOffer()
        if let index = offer.audioIndex {
            offer.media[index].setDirection(offeredDirection)
            if renewingKeys { renewKeys(in: &offer.media[index], of: CryptoSuite.allCases) }
        }
        offer = numbered(offer)
        pending = offer
        return offer
    }

    /// Takes the answer to our offer.
    ///
    /// - Throws: ``NegotiationError``; the offer then still waits, and all is as before.
    package mutating func accept(answer: SessionDescription) throws(NegotiationError) -> NegotiatedMedia {
        guard let offer = pending else { throw .unexpectedAnswer }
        let media = try capabilities.negotiated(byOffering: offer, answer: answer)
        pending = nil
        settle(media, ours: offer)
        return media
    }

    /// Forgets our offer, which the other side refused or crossed with its own: all stays as agreed before.
    package mutating func withdrawOffer() { pending = nil }

    /// Our answer to the other side's offer.
    ///
    /// - Throws: ``NegotiationError``; refuse the offer then (SIP: 488, and 491 for ``NegotiationError/offerPending``).
    package mutating func makeAnswer(
        to offer: SessionDescription
    ) throws(NegotiationError) -> (answer: SessionDescription, media: NegotiatedMedia) {
        guard pending == nil else { throw .offerPending }
        var answering = capabilities
        answering.direction = isHeld ? wantedDirection.intersection(.sendonly) : wantedDirection
        let answer = numbered(try answering.makeAnswer(to: offer))
        let media = try answering.negotiated(byAnswering: offer, with: answer)
        settle(media, ours: answer)
        return (answer, media)
    }

    /// What RFC 6337 §5.3 has a holder offer: `inactive` to a holder, else `sendonly`.
    ///
    /// Not held, it is all that we want, whoever holds at the other side: its answer says that.
    private var offeredDirection: MediaDirection {
        guard isHeld else { return wantedDirection }
        return agreed?.isHeldByRemote == true ? .inactive : wantedDirection.intersection(.sendonly)
    }

    private mutating func settle(_ media: NegotiatedMedia, ours: SessionDescription) {
        var ours = ours
        if case .encrypted(_, let used, _) = agreed?.security,
            case .encrypted(_, let local, _) = media.security, used.suite != local.suite
        {
            // Taken up again it would begin at index 0 a second time, so a key that was left is never used again.
            if let index = ours.audioIndex { renewKeys(in: &ours.media[index], of: [used.suite]) }
            capabilities.replaceKey(with: makeKey(used.suite))
        }
        agreed = media
        settled = ours
    }

    /// Gives the section's lines of `suites` fresh keys under fresh tags (RFC 4568 §6.1).
    private mutating func renewKeys(in section: inout MediaDescription, of suites: [CryptoSuite]) {
        let lines = section.cryptoLines.usable
        var tag = lines.map(\.tag).max() ?? 0
        section.attributes.removeAll { $0.name == "crypto" }
        for var line in lines {
            if suites.contains(line.key.suite) {
                tag = tag % 999_999_999 + 1
                line.tag = tag
                line.key = makeKey(line.key.suite)
                capabilities.replaceKey(with: line.key)
            }
            section.attributes.append(SDPAttribute("crypto", line.value))
        }
    }

    /// Gives a description its version: that of the one before if they say the same (RFC 3264 §8).
    private mutating func numbered(_ description: SessionDescription) -> SessionDescription {
        var description = description
        if let lastMade {
            description.origin = lastMade.origin
            if description != lastMade { description.origin?.sessionVersion += 1 }
        }
        lastMade = description
        return description
    }
}

extension MediaCapabilities {
    /// Puts `key` in the place of the one of its suite.
    fileprivate mutating func replaceKey(with key: MasterKey) {
        guard case .required(let keys) = security else { return }
        security = .required(keys.map { $0.suite == key.suite ? key : $0 })
    }
}

extension SessionDescription {
    /// Where our audio is.
    fileprivate var audioIndex: Int? { media.firstIndex { $0.isAudio && $0.port != 0 } }
}

extension MediaDescription {
    fileprivate mutating func setDirection(_ direction: MediaDirection) {
        attributes.removeAll { MediaDirection(rawValue: $0.name) != nil }
        attributes.append(SDPAttribute(direction.rawValue))
    }
}
