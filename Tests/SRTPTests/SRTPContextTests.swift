import AllocationCounter
import SRTP
import Testing

/// Octets 00, 01, 02 …: the key and salt of the vectors.
private func countingKey(for suite: CryptoSuite) -> [UInt8] { (0..<suite.keyAndSaltLength).map { UInt8($0) } }

private func octets(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.utf8.count, by: 2).compactMap { offset in
        let start = hex.index(hex.startIndex, offsetBy: offset)
        return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
    }
}

extension SRTPContext {
    fileprivate mutating func protected(_ packet: [UInt8]) throws -> [UInt8] {
        var memory = packet + [UInt8](repeating: 0, count: Self.maximumExpansion)
        var length = packet.count
        var span = memory.mutableSpan
        try protectRTP(&span, length: &length)
        return Array(memory.prefix(length))
    }

    fileprivate mutating func unprotected(_ packet: [UInt8]) throws(SRTPError) -> [UInt8] {
        var memory = packet
        var length = packet.count
        var span = memory.mutableSpan
        try unprotectRTP(&span, length: &length)
        return Array(memory.prefix(length))
    }

    fileprivate mutating func unprotectedRTCP(_ packet: [UInt8]) throws(SRTPError) -> [UInt8] {
        var memory = packet
        var length = packet.count
        var span = memory.mutableSpan
        try unprotectRTCP(&span, length: &length)
        return Array(memory.prefix(length))
    }
}

@Suite("SRTP, RFC 3711 and RFC 7714")
struct SRTPContextTests {
    /// AES_CM_128_HMAC_SHA1_80 under the counting key; sequence numbers 65533…65535, 0…2.
    static let acrossTheWrap = [
        "8000fffd000000a01234abcd189a1f81688451332212063cce75",
        "8000fffe000001401234abcd998b9a39622adba3a9f5cd5a0f0c",
        "8000ffff000001e01234abcd9d9bcd1933146cc2c58126d056b7",
        "80000000000002801234abcdd62d122d7580238cadc9460d6335",
        "80000001000003201234abcdfef0f0f90282cbd784d2197849d0",
        "80000002000003c01234abcd6e8409a1e09fa33e052b881281e7",
    ]
    static let receiverReport = "80c900011234abcd8000000174855b611a90efa614c4"

    func inbound(_ suite: CryptoSuite) throws -> SRTPContext {
        try SRTPContext(SRTPKey(suite: suite, keyAndSalt: countingKey(for: suite)), direction: .inbound)
    }

    func outbound(_ suite: CryptoSuite) throws -> SRTPContext {
        try SRTPContext(SRTPKey(suite: suite, keyAndSalt: countingKey(for: suite)), direction: .outbound)
    }

    @Test func opensPacketsOfAnotherImplementationAcrossTheSequenceWrap() throws {
        var context = try inbound(.aes128HMACSHA1_80)
        for vector in Self.acrossTheWrap {
            #expect(try context.unprotected(octets(vector)).suffix(4) == [0xD5, 0x55, 0xD5, 0x55])
        }
    }

    @Test func opensPacketsWhenTheWrapItselfWasLost() throws {
        var context = try inbound(.aes128HMACSHA1_80)
        _ = try context.unprotected(octets(Self.acrossTheWrap[0]))
        #expect(try context.unprotected(octets(Self.acrossTheWrap[5])).suffix(4) == [0xD5, 0x55, 0xD5, 0x55])
    }

    @Test func makesThePacketsThatAnotherImplementationMade() throws {
        var context = try outbound(.aes128HMACSHA1_80)
        for vector in Self.acrossTheWrap {
            let protected = octets(vector)
            let clear = protected.prefix(12) + [0xD5, 0x55, 0xD5, 0x55]
            #expect(try context.protected(Array(clear)) == protected)
        }
    }

    @Test func opensARTCPPacketOfAnotherImplementation() throws {
        var context = try inbound(.aes128HMACSHA1_80)
        let clear = try context.unprotectedRTCP(octets(Self.receiverReport))
        #expect(clear == octets("80c900011234abcd"))
    }

    @Test(arguments: CryptoSuite.allCases)
    func whatOneSideProtectsTheOtherOpens(suite: CryptoSuite) throws {
        var sender = try outbound(suite)
        var receiver = try inbound(suite)
        for sequenceNumber in 0..<300 {
            let clear = makePacket(sequenceNumber: sequenceNumber)
            let protected = try sender.protected(clear)
            #expect(protected[12..<20] != clear[12..<20])
            #expect(try receiver.unprotected(protected) == clear)
        }
    }

    @Test(arguments: CryptoSuite.allCases)
    func anotherKeyIsRefusedAsUnauthentic(suite: CryptoSuite) throws {
        var sender = try outbound(suite)
        let otherKey = countingKey(for: suite).map { $0 ^ 0x5A }
        var receiver = try SRTPContext(SRTPKey(suite: suite, keyAndSalt: otherKey), direction: .inbound)
        let protected = try sender.protected(makePacket(sequenceNumber: 7))
        #expect(throws: SRTPError.authentication) { try receiver.unprotected(protected) }
    }

    @Test(arguments: CryptoSuite.allCases)
    func aRepeatedPacketIsRefusedAsReplay(suite: CryptoSuite) throws {
        var sender = try outbound(suite)
        var receiver = try inbound(suite)
        let protected = try sender.protected(makePacket(sequenceNumber: 7))
        _ = try receiver.unprotected(protected)
        for _ in 0..<1_000 {
            #expect(throws: SRTPError.replay) { try receiver.unprotected(protected) }
        }
    }

    @Test(arguments: CryptoSuite.allCases)
    func everyTruncationAndEveryExtensionIsRefused(suite: CryptoSuite) throws {
        var sender = try outbound(suite)
        let protected = try sender.protected(makePacket(sequenceNumber: 7))
        for length in 0..<protected.count {
            var receiver = try inbound(suite)
            #expect(throws: SRTPError.self) { try receiver.unprotected(Array(protected.prefix(length))) }
        }
        for extra in 1...8 {
            var receiver = try inbound(suite)
            let longer = protected + [UInt8](repeating: 0, count: extra)
            #expect(throws: SRTPError.authentication) { try receiver.unprotected(longer) }
        }
    }

    @Test(arguments: CryptoSuite.allCases)
    func everyFlippedBitIsRefused(suite: CryptoSuite) throws {
        var sender = try outbound(suite)
        let protected = try sender.protected(makePacket(sequenceNumber: 7))
        for bit in 0..<protected.count * 8 {
            var receiver = try inbound(suite)
            var damaged = protected
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SRTPError.self) { try receiver.unprotected(damaged) }
        }
    }

    @Test(arguments: CryptoSuite.allCases)
    func aKeyOfTheWrongLengthIsRefused(suite: CryptoSuite) {
        let short = [UInt8](repeating: 1, count: suite.keyAndSaltLength - 1)
        #expect(throws: SRTPError.malformed) {
            _ = try SRTPContext(SRTPKey(suite: suite, keyAndSalt: short), direction: .inbound)
        }
    }

    @Test func aPacketWithoutRoomForTheTagIsRefused() throws {
        var context = try outbound(.aeadAES256GCM)
        var memory = makePacket(sequenceNumber: 1)
        var length = memory.count
        var thrown: SRTPError?
        do throws(SRTPError) {
            var span = memory.mutableSpan
            try context.protectRTP(&span, length: &length)
        } catch { thrown = error }
        #expect(thrown == .noRoom)
    }

    @Test(.enabled(if: allocation_counting_is_available()), arguments: CryptoSuite.allCases)
    func protectingAndOpeningDoNotAllocateOrLock(suite: CryptoSuite) throws {
        var sender = try outbound(suite)
        var receiver = try inbound(suite)
        var memory =
            makePacket(sequenceNumber: 0) + [UInt8](repeating: 0, count: SRTPContext.maximumExpansion)
        let clear = memory
        var span = memory.mutableSpan
        var counts = (allocations: UInt64(0), locks: UInt64(0))
        for sequenceNumber in 0..<1_010 {
            if sequenceNumber == 10 { counts = (allocation_count(), lock_count()) }
            for index in 0..<20 { span[index] = clear[index] }
            span[2] = UInt8(sequenceNumber >> 8)
            span[3] = UInt8(sequenceNumber & 0xFF)
            var length = 20
            try sender.protectRTP(&span, length: &length)
            try receiver.unprotectRTP(&span, length: &length)
        }
        let spent = (allocation_count() - counts.allocations, lock_count() - counts.locks)
        #expect(spent == (0, 0))
    }
}
