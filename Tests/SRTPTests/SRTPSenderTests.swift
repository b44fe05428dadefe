import AllocationCounter
import SRTP
import Testing

@Suite("Sending SRTP, RFC 3711 §3.3 and §9")
struct SRTPSenderTests {
    static let ssrc: UInt32 = 0x1234_ABCD

    // SRTP-10
    @Test(arguments: CryptoSuite.allCases)
    func noIndexIsUsedTwiceUnderOneKey(suite: CryptoSuite) throws {
        var sender = try SRTPSender(makeKey(suite))
        try sender.advance(to: 700, under: 1)
        _ = try sender.protected(makePacket(sequenceNumber: 700))
        for old in [700, 699, 0, 65_535, 60_000, 700 + 32_769] {
            #expect(throws: SRTPError.indexReused) { try sender.protected(makePacket(sequenceNumber: old)) }
        }
        #expect(throws: Never.self) { try sender.protected(makePacket(sequenceNumber: 701)) }
    }

    // SRTP-10
    @Test func aStreamThatStartsAgainAtZeroAfterAHoldIsRefused() throws {
        var sender = try SRTPSender(makeKey())
        for cycle in 0..<3 {
            for step in 0..<50 { _ = try sender.protected(makePacket(sequenceNumber: cycle * 50 + step)) }
            #expect(throws: SRTPError.indexReused) { try sender.protected(makePacket(sequenceNumber: 0)) }
            // The same key comes again with each re-INVITE.
            let isChanged = try sender.changeKey(to: makeKey())
            #expect(!isChanged)
            #expect(throws: SRTPError.indexReused) { try sender.protected(makePacket(sequenceNumber: 0)) }
        }
    }

    // SRTP-10
    @Test func aFailureDoesNotGiveAnIndexFree() throws {
        var sender = try SRTPSender(makeKey())
        var memory = makePacket(sequenceNumber: 5)
        var length = memory.count
        var thrown: SRTPError?
        do throws(SRTPError) {
            var span = memory.mutableSpan
            try sender.protectRTP(&span, length: &length)
        } catch { thrown = error }
        #expect(thrown == .noRoom)
        #expect(throws: SRTPError.indexReused) { try sender.protected(makePacket(sequenceNumber: 5)) }
    }

    // SRTP-07
    @Test(arguments: CryptoSuite.allCases, [[], [ssrc]])
    func theRolloverCounterGoesOnUnderANewKey(suite: CryptoSuite, known: [UInt32]) throws {
        var sender = try SRTPSender(makeKey(suite))
        try sender.advance(to: 500, under: 3)
        let other = makeKey(suite, mask: 0x5A)
        let isChanged = try sender.changeKey(to: other, sources: known)
        #expect(isChanged)
        for sequenceNumber in [500, 501, 30_000, 60_000, 20] {
            let clear = makePacket(sequenceNumber: sequenceNumber)
            let wire = try sender.protected(clear)
            // One that has seen nothing finds the packet under counter 3, or 4 after the wrap, and nowhere else.
            var receiver = try SRTPReceiver(other)
            #expect(try receiver.unprotected(wire) == clear)
            #expect(receiver.rolloverCounter(of: Self.ssrc) == (sequenceNumber == 20 ? 4 : 3))
        }
    }

    @Test func theRolloverCounterGoesOnThoughTheChangeFallsOnTheWrap() throws {
        var sender = try SRTPSender(makeKey())
        _ = try sender.protected(makePacket(sequenceNumber: 32_700))
        _ = try sender.protected(makePacket(sequenceNumber: 65_535))
        try sender.changeKey(to: makeKey(mask: 1))
        var receiver = try SRTPReceiver(makeKey(mask: 1))
        let clear = makePacket(sequenceNumber: 0)
        #expect(try receiver.unprotected(sender.protected(clear)) == clear)
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 1)
    }

    @Test func aKeyThatWasLeftIsNotTakenAgain() throws {
        var sender = try SRTPSender(makeKey())
        try sender.changeKey(to: makeKey(mask: 1))
        #expect(throws: SRTPError.keyReused) { try sender.changeKey(to: makeKey()) }
        // It goes on under the one it has.
        var receiver = try SRTPReceiver(makeKey(mask: 1))
        let clear = makePacket(sequenceNumber: 1)
        #expect(try receiver.unprotected(sender.protected(clear)) == clear)
    }

    @Test func aLifetimeEndsAfterThatManyPacketsAndAnnouncesItself() throws {
        var sender = try SRTPSender(makeKey(lifetime: 16))
        for number in 0..<16 {
            #expect(sender.remainingRTPPackets == UInt64(16 - number))
            let isAnnounced = sender.isKeyAboutToExpire
            #expect(isAnnounced == (number >= 14))
            _ = try sender.protected(makePacket(sequenceNumber: number))
        }
        #expect(throws: SRTPError.keyExpired) { try sender.protected(makePacket(sequenceNumber: 16)) }
        // RTCP is counted apart (RFC 3711 §9.2).
        for _ in 0..<16 { _ = try sender.protectedRTCP(makeReport()) }
        #expect(throws: SRTPError.keyExpired) { try sender.protectedRTCP(makeReport()) }

        try sender.changeKey(to: makeKey(mask: 1, lifetime: 1))
        _ = try sender.protected(makePacket(sequenceNumber: 16))
        #expect(throws: SRTPError.keyExpired) { try sender.protected(makePacket(sequenceNumber: 17)) }
    }

    @Test(arguments: [nil, 1 << 48, UInt64.max])
    func noLifetimeIsAboveThatOfRFC3711(lifetime: UInt64?) throws {
        let sender = try SRTPSender(makeKey(lifetime: lifetime))
        #expect(sender.remainingRTPPackets == 1 << 48)
        #expect(sender.remainingRTCPPackets == 1 << 31)
    }

    @Test func moreSourcesThanAreKeptAreRefused() throws {
        var sender = try SRTPSender(makeKey())
        for ssrc in 1...UInt32(SRTPSender.maximumSources) {
            _ = try sender.protected(makePacket(sequenceNumber: 1, ssrc: ssrc))
        }
        #expect(throws: SRTPError.tooManySources) {
            try sender.protected(makePacket(sequenceNumber: 1, ssrc: 99))
        }
        #expect(throws: SRTPError.indexReused) {
            try sender.protected(makePacket(sequenceNumber: 1, ssrc: 1))
        }
    }

    @Test(.enabled(if: allocation_counting_is_available()), arguments: CryptoSuite.allCases)
    func aChangeOfKeysDoesNotAllocateOnThePathOfPackets(suite: CryptoSuite) throws {
        var sender = try SRTPSender(makeKey(suite), sources: [Self.ssrc])
        try sender.advance(to: 500, under: 1)
        // The first change in the process makes what the runtime needs once.
        var first = try SRTPContext(makeKey(suite, mask: 2), direction: .outbound, sources: [Self.ssrc])
        try sender.changeKey(to: &first)
        var next = try SRTPContext(makeKey(suite, mask: 3), direction: .outbound, sources: [Self.ssrc])
        var memory =
            makePacket(sequenceNumber: 500) + [UInt8](repeating: 0, count: SRTPContext.maximumExpansion)
        var span = memory.mutableSpan
        var length = 20
        let before = allocation_count()
        try sender.changeKey(to: &next)
        try sender.protectRTP(&span, length: &length)
        let spent = allocation_count() - before
        #expect(spent == 0)
    }
}
