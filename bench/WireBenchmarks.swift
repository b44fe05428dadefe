import CFloor
import MediaTime
import RTP
import SRTP
import TestSupport

/// Packets of one length, so many octets apart.
private struct Packets {
    static let stride = 320
    static let count = 4_096
    /// Octets of each.
    var length: Int
    var octets: [UInt8]

    /// 100 octets of RTP each: with a header of 12 octets only, or a quarter each with CSRCs, an extension, or padding.
    static func plain(mixed: Bool = false) -> Packets {
        var octets = [UInt8](repeating: 0, count: stride * count)
        var random = SplitMix64(seed: 1)
        for number in 0..<count {
            let start = number * stride
            for index in 0..<100 { octets[start + index] = UInt8(truncatingIfNeeded: random.next()) }
            let shape = mixed ? number & 3 : 0
            octets[start] = 0x80 | (shape == 1 ? 2 : 0) | (shape == 2 ? 0x10 : 0) | (shape == 3 ? 0x20 : 0)
            octets[start + 1] &= 0x7F
            octets[start + 2] = UInt8(number >> 8)
            octets[start + 3] = UInt8(number & 0xFF)
            for (index, octet) in [0x12, 0x34, 0xAB, 0xCD].enumerated() {
                octets[start + 8 + index] = UInt8(octet)
            }
            if shape == 2 { octets.replaceSubrange(start + 12..<start + 16, with: [0xBE, 0xDE, 0, 2]) }
            if shape == 3 { octets[start + 99] = 4 }
        }
        return Packets(length: 100, octets: octets)
    }

    func protected(under key: SRTPKey) throws -> Packets {
        var context = try SRTPContext(key, direction: .outbound)
        var octets = self.octets
        var protectedLength = length
        var span = octets.mutableSpan
        for number in 0..<Self.count {
            var packet = span._mutatingExtracting(number * Self.stride..<(number + 1) * Self.stride)
            protectedLength = length
            try context.protectRTP(&packet, length: &protectedLength)
        }
        return Packets(length: protectedLength, octets: octets)
    }
}

/// The time of ours over theirs, each at its best.
private func ratioFigure(
    name: String, limit: Double, what: String, rounds: Int, packets: Int,
    ours: () throws -> Duration, theirs: () throws -> Duration
) rethrows -> Figure {
    var times: [(ours: Double, theirs: Double)] = []
    // In turn, so that a machine that slows down slows both; the first for nothing, so that caches are warm.
    for round in 0...rounds {
        let pair = (try ours().inMilliseconds, try theirs().inMilliseconds)
        if round > 0 { times.append(pair) }
    }
    // The best round of each: what disturbs one on a shared machine only ever adds.
    let best = (ours: times.map(\.ours).min() ?? .nan, theirs: times.map(\.theirs).min() ?? .nan)
    let each = 1_000_000 / Double(packets)
    func nanoseconds(_ time: Double) -> Double { (time * each * 10).rounded() / 10 }
    return Figure(
        name: name, value: best.ours / best.theirs, unit: "times C", limit: limit,
        remark: """
            \(what): \(nanoseconds(best.ours)) ns a packet, C \(nanoseconds(best.theirs)) ns; best of \(rounds) rounds
            """)
}

private struct Unequal: Error, CustomStringConvertible { let description: String }

/// Reading RTP headers and opening SRTP, against C.
func measureWire() throws -> [Figure] {
    var figures = [try measureParsing(mixed: false), try measureParsing(mixed: true)]
    for suite in [CryptoSuite.aeadAES256GCM, .aes128HMACSHA1_80] {
        figures.append(try measureUnprotecting(suite))
    }
    return figures
}

private func measureParsing(mixed: Bool) throws -> Figure {
    let packets = Packets.plain(mixed: mixed)
    let clock = ContinuousClock()
    var sums: (ours: UInt64, theirs: UInt64) = (0, 0)
    let figure = ratioFigure(
        name: "rtp.parse.\(mixed ? "mixed" : "plain").time-over-c", limit: 1.2,
        what: "headers of 100-octet RTP packets\(mixed ? ", most with CSRCs, extension or padding" : "")",
        rounds: 601,
        packets: Packets.count,
        ours: {
            clock.measure { sums.ours &+= sumOfHeaders(packets.octets.span) }
        },
        theirs: {
            clock.measure {
                sums.theirs &+= cfloor_parse(packets.octets, Packets.stride, packets.length, Packets.count)
            }
        })
    guard sums.ours == sums.theirs else { throw Unequal(description: "the parsers read other things") }
    return figure
}

@inline(never)
private func sumOfHeaders(_ octets: Span<UInt8>) -> UInt64 {
    var sum: UInt64 = 0
    for number in 0..<Packets.count {
        let start = number * Packets.stride
        guard let packet = try? RTPPacket(parsing: octets.extracting(start..<start + 100)) else { continue }
        let header = packet.header
        sum &+= (header.marker ? 1 : 0) &+ UInt64(header.payloadType.rawValue)
        sum &+= UInt64(header.sequenceNumber.rawValue) &+ UInt64(header.timestamp)
        sum &+= UInt64(header.ssrc.rawValue) &+ UInt64(truncatingIfNeeded: packet.csrcCount)
        sum &+=
            UInt64(packet.extensionProfile ?? 0)
            &+ UInt64(
                truncatingIfNeeded: packet.payloadRange.upperBound &- packet.payloadRange.lowerBound)
    }
    return sum
}

private func measureUnprotecting(_ suite: CryptoSuite) throws -> Figure {
    let octets = (0..<suite.keyAndSaltLength).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    let key = SRTPKey(suite: suite, keyAndSalt: octets)
    let packets = try Packets.plain().protected(under: key)
    let clock = ContinuousClock()
    func unequal() -> Unequal { Unequal(description: "a packet under \(suite) could not be opened") }
    return try ratioFigure(
        name: "srtp.unprotect.\(suite == .aeadAES256GCM ? "gcm" : "cm").time-over-c", limit: 1.05,
        what: "SRTP of 100-octet packets, \(suite.rawValue)", rounds: 201, packets: Packets.count,
        ours: {
            var receiver = SRTPReceiver(try SRTPContext(key, direction: .inbound))
            var copy = packets.octets
            var span = copy.mutableSpan
            let start = clock.now
            let opened = unprotect(&span, length: packets.length, with: &receiver)
            let elapsed = start.duration(to: clock.now)
            guard opened == Packets.count else { throw unequal() }
            return elapsed
        },
        theirs: {
            guard let session = cfloor_srtp_open(suite == .aeadAES256GCM ? 1 : 0, octets) else {
                throw unequal()
            }
            defer { cfloor_srtp_close(session) }
            var copy = packets.octets
            let start = clock.now
            let opened = cfloor_srtp_unprotect(
                session, &copy, Packets.stride, packets.length, Packets.count)
            let elapsed = start.duration(to: clock.now)
            guard opened == Packets.count else { throw unequal() }
            return elapsed
        })
}

@inline(never)
private func unprotect(
    _ span: inout MutableSpan<UInt8>, length: Int, with receiver: inout SRTPReceiver
) -> Int {
    let now = MonotonicInstant(nanoseconds: 0)
    var opened = 0
    for number in 0..<Packets.count {
        let start = number * Packets.stride
        var packet = span._mutatingExtracting(start..<start + Packets.stride)
        var octets = length
        do throws(SRTPError) {
            try receiver.unprotectRTP(&packet, length: &octets, at: now)
            opened += 1
        } catch { continue }
    }
    return opened
}
