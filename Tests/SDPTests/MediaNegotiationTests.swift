import SDP
import Synchronization
import Testing

@Suite("One offer and answer after the other, RFC 3264 §8")
struct MediaNegotiationTests {
    /// A caller and a callee whose keys all differ.
    private static func pair() -> (caller: MediaNegotiation, callee: MediaNegotiation) {
        let octet = Counter()
        func make(_ port: UInt16) -> MediaNegotiation {
            let keys = [octet.key(.aes128GCM), octet.key(.aes128CounterMode80)]
            return MediaNegotiation(capabilities(port: port, security: .required(keys))) { octet.key($0) }
        }
        return (make(4000), make(5000))
    }

    private static func parsed(_ description: SessionDescription) throws -> SessionDescription {
        try SessionDescription(parsing: description.serialized())
    }

    /// One exchange; the media as the offerer and as the answerer see it.
    @discardableResult
    private static func exchange(
        from offerer: inout MediaNegotiation, to answerer: inout MediaNegotiation, renewingKeys: Bool = false
    ) throws -> (offerer: NegotiatedMedia, answerer: NegotiatedMedia) {
        let offer = try parsed(offerer.makeOffer(renewingKeys: renewingKeys))
        let (answer, media) = try answerer.makeAnswer(to: offer)
        return (try offerer.accept(answer: try parsed(answer)), media)
    }

    // HOLD-02
    @Test func aHeldCallIsNeverAnsweredAsIfItWerentHeld() throws {
        var (caller, callee) = Self.pair()
        try Self.exchange(from: &caller, to: &callee)
        caller.isHeld = true
        let offer = caller.makeOffer()
        #expect(offer.media[0].direction == .sendonly)
        let (answer, media) = try callee.makeAnswer(to: offer)
        #expect(answer.media[0].direction == .recvonly)
        #expect(media.isHeldByRemote)
        #expect(media.direction == .recvonly)
        let held = try caller.accept(answer: answer)
        #expect(held.direction == .sendonly)
        #expect(!held.isHeldByRemote)
    }

    @Test func aCallHeldByBothIsInactiveAndGoesOnWhenBothHaveResumed() throws {
        var (caller, callee) = Self.pair()
        try Self.exchange(from: &caller, to: &callee)
        caller.isHeld = true
        try Self.exchange(from: &caller, to: &callee)
        callee.isHeld = true
        var media = try Self.exchange(from: &callee, to: &caller)
        #expect(media.offerer.direction == .inactive)
        #expect(media.answerer.direction == .inactive)
        #expect(media.offerer.isHeldByRemote && media.answerer.isHeldByRemote)

        // The first to resume offers all it wants, and learns that the other still holds (RFC 6337 §5.3).
        caller.isHeld = false
        #expect(caller.makeOffer().media[0].direction == .sendrecv)
        media = try Self.exchange(from: &caller, to: &callee)
        #expect(media.offerer.direction == .recvonly)
        #expect(media.offerer.isHeldByRemote)
        #expect(!media.answerer.isHeldByRemote)
        callee.isHeld = false
        media = try Self.exchange(from: &callee, to: &caller)
        #expect(media.offerer.direction == .sendrecv)
        #expect(!media.answerer.isHeldByRemote)
    }

    // HOLD-09
    @Test func aRefreshSaysTheSameUnderTheSameVersion() throws {
        var (caller, callee) = Self.pair()
        try Self.exchange(from: &caller, to: &callee)
        caller.isHeld = true
        let held = caller.makeOffer()
        let (answer, before) = try callee.makeAnswer(to: held)
        _ = try caller.accept(answer: answer)

        let refresh = caller.makeOffer()
        #expect(refresh.serialized() == held.serialized())
        let (again, after) = try callee.makeAnswer(to: refresh)
        #expect(again.serialized() == answer.serialized())
        #expect(after == before)
        // And from the other side, which says that it would still take what isn't held.
        _ = try caller.accept(answer: again)
        let counter = callee.makeOffer()
        let (reply, _) = try caller.makeAnswer(to: counter)
        #expect(reply.media[0].direction == .sendonly)
        #expect(try callee.accept(answer: reply) == before)
    }

    @Test func aChangeRaisesTheVersionByOneAndNothingElseDoes() throws {
        var (caller, callee) = Self.pair()
        #expect(caller.makeOffer().origin?.sessionVersion == 1)
        try Self.exchange(from: &caller, to: &callee)
        #expect(caller.makeOffer().origin?.sessionVersion == 1)
        caller.isHeld = true
        #expect(caller.makeOffer().origin?.sessionVersion == 2)
        #expect(caller.makeOffer().origin?.sessionVersion == 2)
        #expect(caller.makeOffer(renewingKeys: true).origin?.sessionVersion == 3)
    }

    // SRTP-07
    @Test func aRepeatedDescriptionKeepsBothKeys() throws {
        var (caller, callee) = Self.pair()
        let first = try Self.exchange(from: &caller, to: &callee)
        let again = try Self.exchange(from: &caller, to: &callee)
        #expect(again.offerer.security == first.offerer.security)
        let reversed = try Self.exchange(from: &callee, to: &caller)
        #expect(reversed.offerer.security == first.answerer.security)
        #expect(reversed.answerer.security == first.offerer.security)
    }

    // SRTP-11
    @Test func anAnswerWithAnotherKeyLeavesOursAsOffered() throws {
        var (caller, callee) = Self.pair()
        let first = try Self.exchange(from: &caller, to: &callee)
        // An INVITE without an offer: we offer in the 200, and the ACK answers with whatever it likes.
        let offer = try Self.parsed(caller.makeOffer())
        #expect(offer.media[0].cryptoLines == caller.makeOffer().media[0].cryptoLines)
        var stranger = MediaNegotiation(
            capabilities(port: 5004, security: .required([masterKey(200, .aes128GCM)]))
        ) { masterKey(201, $0) }
        let (answer, _) = try stranger.makeAnswer(to: offer)
        let media = try caller.accept(answer: answer)
        guard case .encrypted(_, let local, let remote) = media.security,
            case .encrypted(_, let localBefore, let remoteBefore) = first.offerer.security
        else {
            Issue.record("not encrypted")
            return
        }
        #expect(local == localBefore)
        #expect(remote != remoteBefore)
    }

    // SRTP-12
    @Test func noLaterDescriptionIsWeakerThanTheFirst() throws {
        var (caller, callee) = Self.pair()
        try Self.exchange(from: &caller, to: &callee)
        #expect(callee.makeOffer().media[0].profile == "RTP/SAVP")
        #expect(!callee.makeOffer().media[0].cryptoLines.usable.isEmpty)
        callee.withdrawOffer()
        let before = callee.agreed
        let plain = try description("audio 4000 RTP/AVP 0")
        #expect(throws: NegotiationError.encryptionRequired) { try callee.makeAnswer(to: plain) }
        #expect(callee.agreed == before)

        _ = caller.makeOffer()
        #expect(throws: NegotiationError.encryptionRequired) { try caller.accept(answer: plain) }
        #expect(caller.isOffering)
        try Self.exchange(from: &caller, to: &callee)
    }

    @Test func renewedKeysReplaceThoseOfOneSideOnly() throws {
        var (caller, callee) = Self.pair()
        let first = try Self.exchange(from: &caller, to: &callee)
        let second = try Self.exchange(from: &caller, to: &callee, renewingKeys: true)
        guard case .encrypted(let firstTag, let firstLocal, let firstRemote) = first.offerer.security,
            case .encrypted(let tag, let local, let remote) = second.offerer.security
        else {
            Issue.record("not encrypted")
            return
        }
        #expect(local != firstLocal)
        #expect(local.suite == firstLocal.suite)
        #expect(remote == firstRemote)
        #expect(tag != firstTag)
    }

    @Test func aKeyThatWasLeftForAnotherSuiteIsNeverUsedAgain() throws {
        var (caller, callee) = Self.pair()
        try Self.exchange(from: &caller, to: &callee)
        var used: [MasterKey] = []
        // The other side takes another of our lines each time, as a server with several nodes may.
        for round in 0..<6 {
            var offer = try Self.parsed(caller.makeOffer())
            let kept = offer.media[0].cryptoLines.usable[round % 2]
            offer.media[0].attributes.removeAll {
                $0.name == "crypto" && $0.value?.hasPrefix("\(kept.tag) ") != true
            }
            let (answer, _) = try callee.makeAnswer(to: offer)
            let media = try caller.accept(answer: answer)
            guard case .encrypted(_, let local, _) = media.security else { continue }
            #expect(used.last == local || !used.contains(local))
            used.append(local)
        }
        #expect(Set(used).count >= 5)
    }

    @Test func offersThatCrossChangeNothingUntilOneIsWithdrawn() throws {
        var (caller, callee) = Self.pair()
        try Self.exchange(from: &caller, to: &callee)
        let before = caller.agreed
        let crossing = callee.makeOffer()
        _ = caller.makeOffer()
        #expect(throws: NegotiationError.offerPending) { try caller.makeAnswer(to: crossing) }
        #expect(caller.agreed == before)
        caller.withdrawOffer()
        let (answer, _) = try caller.makeAnswer(to: crossing)
        _ = try callee.accept(answer: answer)
        #expect(throws: NegotiationError.unexpectedAnswer) { try callee.accept(answer: answer) }
    }

    // SDP-15
    @Test func numbersThatTheOtherSideChangesAreFollowed() throws {
        var ours = MediaNegotiation(capabilities()) { _ in masterKey(0) }
        let first = try description("audio 5000 RTP/AVP 111", "rtpmap:111 opus/48000/2")
        #expect(try ours.makeAnswer(to: first).media.codec.format.payloadTypeToSend == 111)
        let second = try description("audio 5000 RTP/AVP 96", "rtpmap:96 opus/48000/2")
        let (answer, media) = try ours.makeAnswer(to: second)
        #expect(answer.media[0].formats == ["96"])
        #expect(media.codec.format.payloadTypeToSend == 96)
        #expect(media.codec.format.payloadTypesToAccept == [96])
        // Ours is then the number that we said last.
        #expect(ours.makeOffer().media[0].formats == ["96"])
    }

    // SDP-18
    @Test(arguments: ["IN IP4 0.0.0.0", "IN IP6 ::"])
    func anAddressThatComesBackIsSentToAgain(nowhere: String) throws {
        var ours = MediaNegotiation(capabilities()) { _ in masterKey(0) }
        let real = try description("audio 5000 RTP/AVP 0")
        #expect(try ours.makeAnswer(to: real).media.remoteAddress?.host == "192.0.2.7")
        let held = try ours.makeAnswer(to: description("audio 5000 RTP/AVP 0", connection: nowhere)).media
        #expect(held.remoteAddress == nil)
        #expect(held.isHeldByRemote)
        #expect(!held.direction.sends)
        let back = try ours.makeAnswer(to: real).media
        #expect(back.remoteAddress?.host == "192.0.2.7")
        #expect(back.direction == .sendrecv)
        let moved = try ours.makeAnswer(to: description("audio 5002 RTP/AVP 0")).media
        #expect(moved.remotePort == 5002)
    }

    @Test func sectionsThatWereTurnedOffStayInTheirPlaces() throws {
        var ours = MediaNegotiation(capabilities()) { _ in masterKey(0) }
        let offer = try SessionDescription(
            parsing: sdp(
                "v=0", "c=IN IP4 192.0.2.7", "m=video 6000 RTP/AVP 31", "m=audio 5000 RTP/AVP 0",
                "m=image 7000 udptl t38"))
        _ = try ours.makeAnswer(to: offer)
        ours.isHeld = true
        let held = ours.makeOffer()
        #expect(held.media.map(\.kind) == ["video", "audio", "image"])
        #expect(held.media.map(\.port) == [0, 4000, 0])
        #expect(held.media[1].direction == .sendonly)
    }
}

/// Makes a new key each time.
private final class Counter: Sendable {
    private let next = Mutex<UInt8>(1)

    func key(_ suite: CryptoSuite) -> MasterKey {
        next.withLock { next in
            defer { next += 1 }
            return masterKey(next, suite)
        }
    }
}
