internal import MediaTime
internal import RTP

/// Where our own identifier came from (RFC 3550 §8.2): the first time it is a collision, after that a loop.
struct ConflictingAddresses: BitwiseCopyable {
    private static var capacity: Int { 8 }
    /// Ten intervals of reports after its last packet, an address is forgotten.
    private static var memory: Duration { .seconds(50) }

    private var entries = InlineArray<8, (address: TransportAddress, last: MonotonicInstant)?>(repeating: nil)

    /// Takes note of a packet with our identifier from `address`.
    ///
    /// - Returns: Whether it is a collision: nothing was known of the address.
    mutating func note(_ address: TransportAddress, at now: MonotonicInstant) -> Bool {
        var oldest = 0
        for index in 0..<Self.capacity {
            guard let entry = entries[index] else {
                oldest = index
                continue
            }
            let isOver = entry.last.advanced(by: Self.memory) < now
            if entry.address == address {
                entries[index] = (address, now)
                return isOver
            }
            if let other = entries[oldest], entry.last < other.last { oldest = index }
        }
        entries[oldest] = (address, now)
        return true
    }
}

extension MediaSession {
    /// Drops a packet that bears our own identifier, and takes another when somebody else has the same (RFC 3550 §8.2).
    ///
    /// What comes from an address that did so before is ours, come back: then another identifier wouldn't help.
    mutating func collide(from address: TransportAddress, at now: MonotonicInstant) {
        drops.count(.ownSource)
        guard reports.conflicts.note(address, at: now) else { return }
        sendReport(at: now, goodbye: true)
        changeIdentifier()
    }

    /// Goes on as a new source.
    ///
    /// With SRTP it has a context of its own, which begins with a rollover counter of 0: so the numbers begin anew, below
    /// 2^15. libsrtp2 allocates that context with the first packet, once a collision.
    private mutating func changeIdentifier() {
        let old = ssrc
        repeat {
            ssrc = SSRC(rawValue: UInt32.random(in: 1...UInt32.max, using: &random))
        } while ssrc == old || ssrc == source?.ssrc
        nextSequenceNumber = SequenceNumber(rawValue: UInt16.random(in: 0..<1 << 15, using: &random))
        isTalkSpurtStart = true
        reports.sentBefore = (packetsSent, octetsSent)
    }
}
