import MediaTime
import SRTP

/// Octets 00, 01, 02 …, each changed by `mask`: the key and salt of the vectors, and others.
func makeKey(
    _ suite: CryptoSuite = .aeadAES256GCM, mask: UInt8 = 0, identifier: [UInt8] = [], lifetime: UInt64? = nil
) -> SRTPKey {
    SRTPKey(
        suite: suite, keyAndSalt: (0..<suite.keyAndSaltLength).map { UInt8($0) ^ mask },
        masterKeyIdentifier: identifier, lifetime: lifetime)
}

func makePacket(sequenceNumber: Int, ssrc: UInt32 = 0x1234_ABCD) -> [UInt8] {
    [0x80, 111, UInt8(sequenceNumber >> 8 & 0xFF), UInt8(sequenceNumber & 0xFF), 0, 0, 0, 0]
        + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) } + [1, 2, 3, 4, 5, 6, 7, 8]
}

/// A receiver report of no one.
func makeReport(ssrc: UInt32 = 0x1234_ABCD) -> [UInt8] {
    [0x80, 201, 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * $0)) }
}

func seconds(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
}

extension SRTPSender {
    init(_ key: SRTPKey, sources: [UInt32] = []) throws(SRTPError) {
        self.init(try SRTPContext(key, direction: .outbound, sources: sources))
    }

    mutating func protected(_ packet: [UInt8]) throws(SRTPError) -> [UInt8] {
        var memory = packet + [UInt8](repeating: 0, count: SRTPContext.maximumExpansion)
        var length = packet.count
        var span = memory.mutableSpan
        try protectRTP(&span, length: &length)
        return Array(memory.prefix(length))
    }

    mutating func protectedRTCP(_ packet: [UInt8]) throws(SRTPError) -> [UInt8] {
        var memory = packet + [UInt8](repeating: 0, count: SRTPContext.maximumExpansion)
        var length = packet.count
        var span = memory.mutableSpan
        try protectRTCP(&span, length: &length)
        return Array(memory.prefix(length))
    }

    /// Sends packets until the next one has this sequence number under this rollover counter.
    mutating func advance(to sequenceNumber: Int, under counter: Int, ssrc: UInt32 = 0x1234_ABCD) throws {
        // Steps of less than 2^15 are wraps as good as any.
        for index in stride(from: 0, to: counter << 16 | sequenceNumber, by: 32_000) {
            _ = try protected(makePacket(sequenceNumber: index & 0xFFFF, ssrc: ssrc))
        }
    }

    @discardableResult
    mutating func changeKey(to key: SRTPKey, sources: [UInt32] = []) throws(SRTPError) -> Bool {
        var next = try SRTPContext(key, direction: .outbound, sources: sources)
        return try changeKey(to: &next)
    }
}

extension SRTPReceiver {
    init(_ key: SRTPKey, sources: [UInt32] = []) throws(SRTPError) {
        self.init(try SRTPContext(key, direction: .inbound, sources: sources))
    }

    mutating func unprotected(
        _ packet: [UInt8], at now: MonotonicInstant = seconds(0)
    ) throws(SRTPError) -> [UInt8] {
        var memory = packet
        var length = packet.count
        var span = memory.mutableSpan
        try unprotectRTP(&span, length: &length, at: now)
        return Array(memory.prefix(length))
    }

    mutating func unprotectedRTCP(
        _ packet: [UInt8], at now: MonotonicInstant = seconds(0)
    ) throws(SRTPError) -> [UInt8] {
        var memory = packet
        var length = packet.count
        var span = memory.mutableSpan
        try unprotectRTCP(&span, length: &length, at: now)
        return Array(memory.prefix(length))
    }

    @discardableResult
    mutating func changeKey(
        to key: SRTPKey, sources: [UInt32] = [], at now: MonotonicInstant = seconds(0)
    ) throws(SRTPError) -> Bool {
        var next: SRTPContext? = try SRTPContext(key, direction: .inbound, sources: sources)
        return changeKey(to: &next, at: now)
    }

    /// What the last search tried.
    var searched: [UInt32] {
        let search = diagnosis.lastSearch
        return (0..<search.count).map { search[$0] }
    }
}
