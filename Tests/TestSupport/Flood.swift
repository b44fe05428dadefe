package import MediaSession
package import MediaTime
import RTP

/// Hostile packets of ten kinds from three addresses, without an allocation of its own.
package struct Flood: ~Copyable {
    private static let stride = 1_600
    private var octets: FixedBuffer<UInt8>
    private var lengths: FixedBuffer<Int>
    private var datagram = FixedBuffer<UInt8>(repeating: 0, count: stride)
    private var random = SplitMix64(seed: 1)

    /// - Parameters:
    ///   - rtp: A packet as it was sent in a call.
    ///   - rtcp: One of RTCP.
    package init(rtp: [UInt8], rtcp: [UInt8]) {
        let kinds: [[UInt8]] = [
            rtp, rtcp, [UInt8](repeating: 0x80, count: 100), [0x80, 0xC8, 0, 6] + rtp.dropFirst(4),
            [0x80, 0x60] + rtp.dropFirst(2), [UInt8](repeating: 0xBF, count: 1_500), [0x80],
            [0x00, 0x01, 0, 0, 0x21, 0x12, 0xA4, 0x42], [0xA0] + rtp.dropFirst(),
            [0x90, 0x6F, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xBE, 0xDE, 0xFF, 0xFF],
        ]
        octets = FixedBuffer(repeating: 0, count: kinds.count * Self.stride)
        lengths = FixedBuffer(repeating: 0, count: kinds.count)
        for (index, kind) in kinds.enumerated() {
            octets.replace(at: index * Self.stride, with: kind.span)
            lengths[index] = kind.count
        }
    }

    /// Gives `session` so many packets at once.
    package mutating func pour(_ number: Int, into session: inout MediaSession, at now: MonotonicInstant) {
        var index = 0
        while index < number {
            let kind = index % lengths.count
            let length = lengths[kind]
            var offset = 0
            while offset < length {
                datagram[offset] = octets[kind * Self.stride + offset]
                offset += 1
            }
            // As it is, with another sequence number, or from another source.
            let octet = UInt8(truncatingIfNeeded: random.next())
            if index % 3 > 0 { datagram[index % 3 == 1 ? 3 : 9] = octet }
            let address = TransportAddress(address: 0x0A00_0001, port: UInt16(9 + index % 3))
            var packet = datagram.mutableSpan(0..<length)
            session.receive(&packet, from: address, at: now)
            index += 1
        }
    }
}
