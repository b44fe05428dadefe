import SRTP
import Testing

@Suite("Master key identifiers, RFC 3711 §3.1")
struct MasterKeyIdentifierTests {
    static let lengths = [1, 2, 4, 128]

    private func identifier(_ length: Int, ending last: UInt8 = 9) -> [UInt8] {
        [UInt8](repeating: 0, count: length - 1) + [last]
    }

    @Test(arguments: CryptoSuite.allCases, lengths)
    func aPacketCarriesItBetweenPayloadAndTag(suite: CryptoSuite, length: Int) throws {
        let mine = identifier(length)
        var plain = try SRTPSender(makeKey(suite))
        var sender = try SRTPSender(makeKey(suite, identifier: mine))
        var receiver = try SRTPReceiver(makeKey(suite, identifier: mine))
        for number in 1..<40 {
            let clear = makePacket(sequenceNumber: number)
            let wire = try sender.protected(clear)
            let without = try plain.protected(clear)
            // With GCM the tag belongs to what is encrypted, and the identifier is last (RFC 7714 §8.2).
            let tag = suite.isGCM ? 0 : suite.rawValue.hasSuffix("_32") ? 4 : 10
            #expect(wire == without.dropLast(tag) + mine + without.suffix(tag))
            #expect(try receiver.unprotected(wire) == clear)
        }
    }

    @Test(arguments: CryptoSuite.allCases, lengths)
    func aReportCarriesItBetweenIndexAndTag(suite: CryptoSuite, length: Int) throws {
        let mine = identifier(length)
        var plain = try SRTPSender(makeKey(suite))
        var sender = try SRTPSender(makeKey(suite, identifier: mine))
        var receiver = try SRTPReceiver(makeKey(suite, identifier: mine))
        for _ in 1..<40 {
            let wire = try sender.protectedRTCP(makeReport())
            let without = try plain.protectedRTCP(makeReport())
            let tag = suite.isGCM ? 0 : 10
            #expect(wire == without.dropLast(tag) + mine + without.suffix(tag))
            #expect(try receiver.unprotectedRTCP(wire) == makeReport())
        }
    }

    // SRTP-17
    @Test(arguments: CryptoSuite.allCases)
    func anotherIdentifierOrNoneIsRefusedAndNamedAsTheCause(suite: CryptoSuite) throws {
        var receiver = try SRTPReceiver(makeKey(suite, identifier: identifier(4)))
        var other = try SRTPSender(makeKey(suite, identifier: identifier(4, ending: 8)))
        var none = try SRTPSender(makeKey(suite))
        for wire in [
            try other.protected(makePacket(sequenceNumber: 1)),
            try none.protected(makePacket(sequenceNumber: 1)),
        ] {
            #expect(throws: SRTPError.masterKeyIdentifier) { try receiver.unprotected(wire) }
        }
        #expect(receiver.diagnosis.lastCause == .otherMasterKeyIdentifier)
        #expect(receiver.diagnosis.failuresBeforeFirstSuccess == 2)
    }

    @Test(arguments: CryptoSuite.allCases)
    func packetsChooseTheirKeyByItWhileKeysChange(suite: CryptoSuite) throws {
        let (old, new) = (makeKey(suite, identifier: [1]), makeKey(suite, mask: 3, identifier: [2]))
        var early = try SRTPSender(old)
        var late = try SRTPSender(new)
        var receiver = try SRTPReceiver(old)
        _ = try receiver.unprotected(early.protected(makePacket(sequenceNumber: 1)))
        try receiver.changeKey(to: new)
        for number in stride(from: 2, to: 20, by: 2) {
            _ = try receiver.unprotected(early.protected(makePacket(sequenceNumber: number)))
            _ = try receiver.unprotected(late.protected(makePacket(sequenceNumber: number + 1)))
        }
        #expect(receiver.diagnosis.failuresBeforeFirstSuccess + receiver.diagnosis.failuresAfterSuccess == 0)
    }

    @Test func aKeyIdentifierOfMoreThan128OctetsIsRefused() throws {
        let key = makeKey(identifier: [UInt8](repeating: 0, count: 129))
        #expect(throws: SRTPError.malformed) { _ = try SRTPContext(key, direction: .outbound) }
    }

    // SRTP-14
    @Test(arguments: CryptoSuite.allCases, lengths)
    func everyTruncationOfAPacketWithOneIsRefused(suite: CryptoSuite, length: Int) throws {
        let key = makeKey(suite, identifier: identifier(length))
        var sender = try SRTPSender(key)
        let wire = try sender.protected(makePacket(sequenceNumber: 7))
        let report = try sender.protectedRTCP(makeReport())
        var receiver = try SRTPReceiver(key)
        for length in 0..<wire.count {
            #expect(throws: SRTPError.self) { try receiver.unprotected(Array(wire.prefix(length))) }
        }
        for length in 0..<report.count {
            #expect(throws: SRTPError.self) { try receiver.unprotectedRTCP(Array(report.prefix(length))) }
        }
    }
}

extension CryptoSuite {
    fileprivate var isGCM: Bool { rawValue.hasPrefix("AEAD") }
}
