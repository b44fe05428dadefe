internal import MediaTime

/// How one source is received, as an SR or RR tells it (RFC 3550 §6.4.1).
package struct ReportBlock: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 24 }
    }

    /// The source that the block is about.
    package var ssrc: SSRC
    /// Share lost since the report before, in 1/256.
    package var fractionLost: UInt8
    /// Packets lost since the beginning; negative with more duplicates than losses.
    ///
    /// On the wire it is clamped to 24 bits: `-2^23...2^23 - 1`.
    package var cumulativeLost: Int32
    /// Wraps counted in the upper 16 bits, the highest sequence number in the lower.
    package var extendedHighestSequenceNumber: UInt32
    /// Interarrival jitter in units of the RTP clock.
    package var jitter: UInt32
    /// ``NTPTimestamp/middle32`` of the last SR from the source, or 0 if none has come.
    package var lastSenderReport: UInt32
    /// Time since that SR came, in 1/65536 s.
    package var delaySinceLastSenderReport: UInt32

    @_noLocks @_noAllocation
    package init(
        ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequenceNumber: UInt32,
        jitter: UInt32, lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// Reads the 24 octets at `offset`, which the caller knows to be there.
    @_noLocks @_noAllocation
    init(at offset: Int, in datagram: borrowing Span<UInt8>) {
        let loss = datagram.uint32(at: offset + 4)
        self.init(
            ssrc: SSRC(rawValue: datagram.uint32(at: offset)), fractionLost: UInt8(loss >> 24),
            // The shift back from the top repeats the sign of 24 bits.
            cumulativeLost: Int32(bitPattern: loss << 8) >> 8,
            extendedHighestSequenceNumber: datagram.uint32(at: offset + 8),
            jitter: datagram.uint32(at: offset + 12), lastSenderReport: datagram.uint32(at: offset + 16),
            delaySinceLastSenderReport: datagram.uint32(at: offset + 20))
    }

    @_noLocks @_noAllocation
    func serialize(into datagram: inout OutputSpan<UInt8>) {
        let lost = min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)
        datagram.append(bigEndian: ssrc.rawValue)
        datagram.append(bigEndian: UInt32(fractionLost) << 24 | UInt32(bitPattern: lost) & 0xFF_FFFF)
        datagram.append(bigEndian: extendedHighestSequenceNumber)
        datagram.append(bigEndian: jitter)
        datagram.append(bigEndian: lastSenderReport)
        datagram.append(bigEndian: delaySinceLastSenderReport)
    }
}

extension ReportBlock {
    /// `delay` in 1/65536 s, as a report tells how long it was held: at most the 18 hours that 32 bits hold.
    package static func units(of delay: Duration) -> UInt32 {
        let nanoseconds = min(max(delay.wholeNanoseconds, 0), 65_535_000_000_000)
        return UInt32(nanoseconds << 16 / 1_000_000_000)
    }
}

/// What a sender report says about what its sender has sent (RFC 3550 §6.4.1).
package struct SenderInfo: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 20 }
    }

    /// The wall clock when the report was sent.
    package var ntpTimestamp: NTPTimestamp
    /// The same moment on the RTP clock.
    package var rtpTimestamp: UInt32
    /// Packets sent under this SSRC.
    package var packetCount: UInt32
    /// Payload octets sent under this SSRC, without headers and padding.
    package var octetCount: UInt32

    @_noLocks @_noAllocation
    package init(ntpTimestamp: NTPTimestamp, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32) {
        self.ntpTimestamp = ntpTimestamp
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
    }

    /// Reads the 20 octets at `offset`, which the caller knows to be there.
    @_noLocks @_noAllocation
    init(at offset: Int, in datagram: borrowing Span<UInt8>) {
        self.init(
            ntpTimestamp: NTPTimestamp(rawValue: datagram.uint64(at: offset)),
            rtpTimestamp: datagram.uint32(at: offset + 8), packetCount: datagram.uint32(at: offset + 12),
            octetCount: datagram.uint32(at: offset + 16))
    }

    @_noLocks @_noAllocation
    func serialize(into datagram: inout OutputSpan<UInt8>) {
        datagram.append(bigEndian: ntpTimestamp.rawValue)
        datagram.append(bigEndian: rtpTimestamp)
        datagram.append(bigEndian: packetCount)
        datagram.append(bigEndian: octetCount)
    }
}
