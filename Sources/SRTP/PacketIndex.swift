/// The index of an SRTP packet: rollover counter, then sequence number, 48 bits (RFC 3711 §3.3.1).
struct PacketIndex: BitwiseCopyable, Comparable {
    var rawValue: UInt64

    init(rolloverCounter: UInt32, sequenceNumber: UInt16) {
        rawValue = UInt64(rolloverCounter) << 16 | UInt64(sequenceNumber)
    }

    /// The index nearest to `last` with that sequence number (RFC 3711 appendix A), as libsrtp2 guesses it.
    init(nearestTo last: PacketIndex, sequenceNumber: UInt16) {
        let half: UInt16 = 1 << 15
        var counter = last.rolloverCounter
        if last.sequenceNumber < half {
            // At counter 0 nothing lies before.
            if sequenceNumber > last.sequenceNumber + half, counter > 0 { counter -= 1 }
        } else if last.sequenceNumber - half > sequenceNumber {
            counter &+= 1
        }
        self.init(rolloverCounter: counter, sequenceNumber: sequenceNumber)
    }

    var rolloverCounter: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
    var sequenceNumber: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What the header of an RTP packet says about its place.
struct PacketPlace: BitwiseCopyable {
    var source: UInt32
    var sequenceNumber: UInt16

    /// - Parameter packet: At least 12 octets.
    init(of packet: Span<UInt8>) {
        source = UInt32(bigEndian: packet, at: 8)
        sequenceNumber = UInt16(packet[2]) << 8 | UInt16(packet[3])
    }
}

extension UInt32 {
    /// Four octets of `packet`, which it has.
    init(bigEndian packet: Span<UInt8>, at offset: Int) {
        self =
            UInt32(packet[offset]) << 24 | UInt32(packet[offset + 1]) << 16 | UInt32(packet[offset + 2]) << 8
            | UInt32(packet[offset + 3])
    }
}
