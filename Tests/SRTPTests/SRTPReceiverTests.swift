import AllocationCounter
import MediaTime
import SRTP
import Testing

@Suite("Receiving SRTP, RFC 3711 §3.3")
struct SRTPReceiverTests {
    static let ssrc: UInt32 = 0x1234_ABCD

    private func makeSender(_ key: SRTPKey, at sequenceNumber: Int, under counter: Int) throws -> SRTPSender {
        var sender = try SRTPSender(key)
        try sender.advance(to: sequenceNumber, under: counter)
        return sender
    }

    // SRTP-01
    @Test(arguments: [CryptoSuite.aeadAES256GCM, .aes128HMACSHA1_80])
    func aCallOf25MinutesIsHeardAcrossItsWraps(suite: CryptoSuite) throws {
        var sender = try SRTPSender(makeKey(suite))
        var receiver = try SRTPReceiver(makeKey(suite))
        for number in 60_000..<135_000 {
            _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: number & 0xFFFF)))
        }
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 2)
        #expect(receiver.diagnosis.lastGoodIndex == 134_999)
        #expect(receiver.diagnosis.failuresAfterSuccess == 0)
    }

    // SRTP-02
    @Test(arguments: CryptoSuite.allCases, [2, 300, 20_000])
    func aWrapThatIsLostIsNoticedAllTheSame(suite: CryptoSuite, lost: Int) throws {
        var sender = try SRTPSender(makeKey(suite))
        var receiver = try SRTPReceiver(makeKey(suite))
        let last = 65_535 - lost / 2
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: last)))
        let clear = makePacket(sequenceNumber: (last + lost) & 0xFFFF)
        #expect(try receiver.unprotected(sender.protected(clear)) == clear)
        #expect(receiver.diagnosis.recoveries == 0)
    }

    // SRTP-07
    @Test(arguments: CryptoSuite.allCases)
    func theSameKeyAgainResetsNothing(suite: CryptoSuite) throws {
        var sender = try makeSender(makeKey(suite), at: 100, under: 2)
        var receiver = try SRTPReceiver(makeKey(suite))
        let first = try sender.protected(makePacket(sequenceNumber: 100))
        _ = try receiver.unprotected(first)
        let isChanged = try receiver.changeKey(to: makeKey(suite))
        #expect(!isChanged)
        #expect(throws: SRTPError.replay) { try receiver.unprotected(first) }
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 101)))
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 2)
    }

    // SRTP-07
    @Test(arguments: CryptoSuite.allCases, [[], [ssrc]])
    func aNewKeyIsTakenWithTheRolloverCounterKept(suite: CryptoSuite, known: [UInt32]) throws {
        var sender = try makeSender(makeKey(suite), at: 100, under: 11)
        var receiver = try SRTPReceiver(makeKey(suite))
        // 11 is beyond what is tried blindly.
        #expect(throws: SRTPError.authentication) {
            try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 100)))
        }
        sender = try makeSender(makeKey(suite), at: 100, under: 7)
        receiver = try SRTPReceiver(makeKey(suite))
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 100)))
        for index in stride(from: 7 << 16 | 20_000, to: 12 << 16 | 20_400, by: 22_000) {
            let clear = makePacket(sequenceNumber: index & 0xFFFF)
            _ = try receiver.unprotected(sender.protected(clear))
        }
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 12)
        try sender.changeKey(to: makeKey(suite, mask: 9))
        try receiver.changeKey(to: makeKey(suite, mask: 9), sources: known)
        let clear = makePacket(sequenceNumber: 20_481)
        #expect(try receiver.unprotected(sender.protected(clear)) == clear)
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 12)
    }

    // SRTP-07
    @Test(arguments: CryptoSuite.allCases, [[], [ssrc]])
    func aNewKeyIsTakenWithTheRolloverCounterReset(suite: CryptoSuite, known: [UInt32]) throws {
        var sender = try makeSender(makeKey(suite), at: 100, under: 3)
        var receiver = try SRTPReceiver(makeKey(suite))
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 100)))
        // What resets its counter is another sender altogether.
        var reset = try SRTPSender(makeKey(suite, mask: 9))
        try receiver.changeKey(to: makeKey(suite, mask: 9), sources: known)
        for number in 101..<110 {
            let clear = makePacket(sequenceNumber: number)
            #expect(try receiver.unprotected(reset.protected(clear)) == clear)
        }
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 0)
        #expect(receiver.searched == (known.isEmpty ? [3, 0] : [0]))
    }

    // SRTP-08
    @Test(arguments: CryptoSuite.allCases, [0, 1, 2, 3, 4, 5, 6, 7])
    func eachCounterThatASearchNamesIsReallyTried(suite: CryptoSuite, counter: Int) throws {
        var sender = try makeSender(makeKey(suite), at: 9_000, under: counter)
        var receiver = try SRTPReceiver(makeKey(suite))
        let clear = makePacket(sequenceNumber: 9_000)
        #expect(try receiver.unprotected(sender.protected(clear)) == clear)
        #expect(receiver.rolloverCounter(of: Self.ssrc) == UInt32(counter))
        #expect(receiver.searched == (counter == 0 ? [] : Array(1...UInt32(counter))))
        #expect(receiver.diagnosis.recoveries == (counter == 0 ? 0 : 1))
        // And from there on there's nothing to search.
        let next = makePacket(sequenceNumber: 9_001)
        #expect(try receiver.unprotected(sender.protected(next)) == next)
        #expect(receiver.diagnosis.recoveries == (counter == 0 ? 0 : 1))
    }

    // SRTP-08
    @Test(arguments: CryptoSuite.allCases, [1, 2, 3, 4])
    func aPauseOfWholeWrapsIsFoundAgainAhead(suite: CryptoSuite, wraps: Int) throws {
        var sender = try makeSender(makeKey(suite), at: 9_000, under: 1)
        var receiver = try SRTPReceiver(makeKey(suite))
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 9_000)))
        var later = try makeSender(makeKey(suite), at: 9_500, under: 1 + wraps)
        let clear = makePacket(sequenceNumber: 9_500)
        #expect(try receiver.unprotected(later.protected(clear)) == clear)
        #expect(receiver.searched == Array(2...UInt32(1 + wraps)))
        #expect(receiver.diagnosis.lastCause == .lostCount)
    }

    // SRTP-08
    @Test func aForwardStepOfMoreThanHalfAWrapIsFound() throws {
        var sender = try SRTPSender(makeKey())
        var receiver = try SRTPReceiver(makeKey())
        try sender.advance(to: 100, under: 1)
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 100)))
        _ = try sender.protected(makePacket(sequenceNumber: 30_000))
        let clear = makePacket(sequenceNumber: 60_000)
        // The nearest index is 5636 packets back, below the window.
        #expect(try receiver.unprotected(sender.protected(clear)) == clear)
        #expect(receiver.searched == [1])
    }

    // SRTP-08
    @Test func noCounterIsTriedTwiceForOnePacketAndNoneBehind() throws {
        var sender = try makeSender(makeKey(), at: 100, under: 3)
        var receiver = try SRTPReceiver(makeKey())
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 100)))
        var stranger = try SRTPSender(makeKey(mask: 1))
        let forged = try stranger.protected(makePacket(sequenceNumber: 101))
        #expect(throws: SRTPError.authentication) { try receiver.unprotected(forged) }
        #expect(receiver.searched == [4, 5, 6, 7])
        try receiver.changeKey(to: makeKey(mask: 2))
        #expect(throws: SRTPError.authentication) { try receiver.unprotected(forged) }
        #expect(receiver.searched == [3, 0, 4, 2, 1, 5, 6, 7])
    }

    // SRTP-16
    @Test func aRolloverCounterThatGoesBackUnderOneKeyIsReplay() throws {
        var earlier = try SRTPSender(makeKey())
        let old = try earlier.protected(makePacket(sequenceNumber: 5_000))
        var sender = try makeSender(makeKey(), at: 100, under: 2)
        var receiver = try SRTPReceiver(makeKey())
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 100)))
        for _ in 0..<100 { #expect(throws: SRTPError.authentication) { try receiver.unprotected(old) } }
        #expect(receiver.rolloverCounter(of: Self.ssrc) == 2)
    }

    @Test(arguments: CryptoSuite.allCases, CryptoSuite.allCases)
    func packetsUnderTheOldKeyAreTakenForTenSeconds(old: CryptoSuite, new: CryptoSuite) throws {
        var early = try makeSender(makeKey(old), at: 100, under: 1)
        var receiver = try SRTPReceiver(makeKey(old))
        _ = try receiver.unprotected(early.protected(makePacket(sequenceNumber: 100)), at: seconds(0))
        try receiver.changeKey(to: makeKey(new, mask: 7), sources: [Self.ssrc], at: seconds(20))
        var late = try makeSender(makeKey(new, mask: 7), at: 110, under: 1)
        for number in 101..<105 {
            let clear = makePacket(sequenceNumber: number)
            #expect(try receiver.unprotected(early.protected(clear), at: seconds(20)) == clear)
            let following = makePacket(sequenceNumber: number + 10)
            #expect(try receiver.unprotected(late.protected(following), at: seconds(29.9)) == following)
        }
        let report = try early.protectedRTCP(makeReport())
        #expect(try receiver.unprotectedRTCP(report, at: seconds(29)) == makeReport())
        #expect(throws: SRTPError.replay) { try receiver.unprotectedRTCP(report, at: seconds(29)) }
        let tooLate = try early.protected(makePacket(sequenceNumber: 106))
        // The tag of one suite may be too short for another.
        #expect(throws: SRTPError.self) { try receiver.unprotected(tooLate, at: seconds(30)) }
        let lateReport = try early.protectedRTCP(makeReport())
        #expect(throws: SRTPError.self) { try receiver.unprotectedRTCP(lateReport, at: seconds(30)) }
    }

    @Test func anOldKeyIsHandedBackOnceWhenItsTimeIsOver() throws {
        var receiver = try SRTPReceiver(makeKey())
        try receiver.changeKey(to: makeKey(mask: 1), at: seconds(5))
        #expect(receiver.takeOldKey(at: seconds(14.9))?.key.isSameKey(as: makeKey()) == nil)
        #expect(receiver.takeOldKey(at: seconds(15))?.key.isSameKey(as: makeKey()) == true)
        #expect(receiver.takeOldKey(at: seconds(16))?.key.isSameKey(as: makeKey()) == nil)
    }

    @Test func aSecondChangeHandsBackTheKeyBeforeTheOldOne() throws {
        var receiver = try SRTPReceiver(makeKey())
        try receiver.changeKey(to: makeKey(mask: 1))
        var next: SRTPContext? = try SRTPContext(makeKey(mask: 2), direction: .inbound)
        let isChanged = receiver.changeKey(to: &next, at: seconds(1))
        #expect(isChanged)
        #expect(next?.key.isSameKey(as: makeKey()) == true)
    }

    @Test(arguments: CryptoSuite.allCases)
    func aFloodOfForgedPacketsIsSearchedForFourTimesASecond(suite: CryptoSuite) throws {
        var sender = try SRTPSender(makeKey(suite))
        var receiver = try SRTPReceiver(makeKey(suite))
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 1)))
        let forged = makePacket(sequenceNumber: 900) + [UInt8](repeating: 7, count: 40)
        for number in 0..<10_000 {
            let now = seconds(10 + Double(number) / 1_000)
            #expect(throws: SRTPError.authentication) { try receiver.unprotected(forged, at: now) }
        }
        let searches = 10_000 - receiver.diagnosis.searchesLeftOut
        #expect(searches >= 40 && searches <= 44)
        #expect(receiver.diagnosis.failuresAfterSuccess == 10_000)
    }

    @Test(arguments: CryptoSuite.allCases)
    func aFloodOfNewSourcesMakesNoStreams(suite: CryptoSuite) throws {
        var receiver = try SRTPReceiver(makeKey(suite))
        for ssrc in 1...2_000 as ClosedRange<UInt32> {
            let forged = makePacket(sequenceNumber: 1, ssrc: ssrc) + [UInt8](repeating: 7, count: 40)
            #expect(throws: SRTPError.authentication) {
                try receiver.unprotected(forged, at: seconds(Double(ssrc)))
            }
            #expect(throws: SRTPError.self) {
                try receiver.unprotectedRTCP(forged, at: seconds(Double(ssrc)))
            }
            #expect(receiver.rolloverCounter(of: ssrc) == nil)
        }
        #expect(receiver.diagnosis.searchesLeftOut == 0)
    }

    @Test func moreSourcesThanAreKeptAreRefusedThoughTheyHaveTheKey() throws {
        let count = UInt32(SRTPReceiver.maximumSources)
        var receiver = try SRTPReceiver(makeKey())
        func packet(_ number: Int, _ ssrc: UInt32) throws -> [UInt8] {
            var sender = try SRTPSender(makeKey())
            return try sender.protected(makePacket(sequenceNumber: number, ssrc: ssrc))
        }
        for ssrc in 1...count { _ = try receiver.unprotected(packet(1, ssrc)) }
        #expect(throws: SRTPError.tooManySources) { try receiver.unprotected(packet(1, count + 1)) }
        #expect(throws: SRTPError.tooManySources) {
            var sender = try SRTPSender(makeKey())
            _ = try receiver.unprotectedRTCP(sender.protectedRTCP(makeReport(ssrc: count + 1)))
        }
        for ssrc in 1...count { _ = try receiver.unprotected(packet(2, ssrc)) }
        #expect(throws: SRTPError.replay) { try receiver.unprotected(packet(1, 1)) }
    }

    // SRTP-17
    @Test func aWrongKeyIsToldFromALostCountAndFromDamage() throws {
        var sender = try SRTPSender(makeKey())
        var receiver = try SRTPReceiver(makeKey(mask: 1))
        for number in 0..<20 {
            let wire = try sender.protected(makePacket(sequenceNumber: number))
            #expect(throws: SRTPError.authentication) { try receiver.unprotected(wire) }
        }
        #expect(receiver.diagnosis.failuresBeforeFirstSuccess == 20)
        #expect(receiver.diagnosis.failuresAfterSuccess == 0)
        #expect(receiver.diagnosis.lastCause == .wrongKey)
        #expect(receiver.diagnosis.lastGoodIndex == nil && receiver.diagnosis.lastGap == nil)

        try receiver.changeKey(to: makeKey(), at: seconds(1))
        _ = try receiver.unprotected(sender.protected(makePacket(sequenceNumber: 20)), at: seconds(2))
        var damaged = try sender.protected(makePacket(sequenceNumber: 23))
        damaged[14] ^= 1
        #expect(throws: SRTPError.authentication) { try receiver.unprotected(damaged, at: seconds(3)) }
        #expect(receiver.diagnosis.failuresBeforeFirstSuccess == 20)
        #expect(receiver.diagnosis.failuresAfterSuccess == 1)
        #expect(receiver.diagnosis.lastCause == .damagedOrForged)
        #expect(receiver.diagnosis.lastGoodIndex == 20)
        #expect(receiver.diagnosis.lastGap == 3)

        var later = try makeSender(makeKey(), at: 100, under: 2)
        _ = try receiver.unprotected(later.protected(makePacket(sequenceNumber: 100)), at: seconds(9))
        #expect(receiver.diagnosis.lastCause == .lostCount)
        #expect(receiver.diagnosis.lastGoodIndex == 2 << 16 | 100)
    }

    @Test(.enabled(if: allocation_counting_is_available()), arguments: CryptoSuite.allCases)
    func openingAndChangingKeysDoNotAllocateForASourceThatIsKnown(suite: CryptoSuite) throws {
        var sender = try makeSender(makeKey(suite), at: 100, under: 1)
        var receiver = try SRTPReceiver(makeKey(suite))
        let first = try sender.protected(makePacket(sequenceNumber: 100))
        let second = try sender.protected(makePacket(sequenceNumber: 101))
        try sender.changeKey(to: makeKey(suite, mask: 1))
        let third = try sender.protected(makePacket(sequenceNumber: 102))
        _ = try receiver.unprotected(first)
        var next: SRTPContext? = try SRTPContext(
            makeKey(suite, mask: 1), direction: .inbound, sources: [Self.ssrc])
        var packets = [second.map { $0 }, third.map { $0 }]
        var length = 0
        let recoveries = receiver.diagnosis.recoveries
        let before = (allocation_count(), lock_count())
        receiver.changeKey(to: &next, at: seconds(1))
        for index in 0..<2 {
            length = packets[index].count
            var span = packets[index].mutableSpan
            try receiver.unprotectRTP(&span, length: &length, at: seconds(1))
        }
        let spent = (allocation_count() - before.0, lock_count() - before.1)
        #expect(spent == (0, 0))
        #expect(receiver.diagnosis.recoveries == recoveries)
    }
}
