/// How packets came in an interval (RFC 3611 §4.6).
///
/// The TTL figures of the block are neither written nor read.
package struct StatisticsSummary: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire, with the block's header.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 40 }
    }

    /// How far apart neighbours came, against how far apart they were sent, in units of the RTP clock.
    package struct Jitter: BitwiseCopyable, Hashable, Sendable {
        package var minimum: UInt32
        package var maximum: UInt32
        package var mean: UInt32
        /// The standard deviation.
        package var deviation: UInt32

        @_noLocks @_noAllocation
        package init(minimum: UInt32, maximum: UInt32, mean: UInt32, deviation: UInt32) {
            self.minimum = minimum
            self.maximum = maximum
            self.mean = mean
            self.deviation = deviation
        }
    }

    /// The source that the block is about.
    package var ssrc: SSRC
    /// The first packet of the interval, and the one after its last.
    package var begin, end: SequenceNumber
    /// `nil` if the reporter doesn't tell.
    package var lost: UInt32?
    package var duplicates: UInt32?
    package var jitter: Jitter?

    @_noLocks @_noAllocation
    package init(
        ssrc: SSRC, begin: SequenceNumber, end: SequenceNumber, lost: UInt32?, duplicates: UInt32?,
        jitter: Jitter?
    ) {
        self.ssrc = ssrc
        self.begin = begin
        self.end = end
        self.lost = lost
        self.duplicates = duplicates
        self.jitter = jitter
    }

    /// Reads the block whose header is at `offset`, and which the caller knows to be there.
    @_noLocks @_noAllocation
    init(at offset: Int, in datagram: borrowing Span<UInt8>) {
        let flags = datagram[offset + 1]
        ssrc = SSRC(rawValue: datagram.uint32(at: offset + 4))
        begin = SequenceNumber(rawValue: datagram.uint16(at: offset + 8))
        end = SequenceNumber(rawValue: datagram.uint16(at: offset + 10))
        lost = flags & 0x80 != 0 ? datagram.uint32(at: offset + 12) : nil
        duplicates = flags & 0x40 != 0 ? datagram.uint32(at: offset + 16) : nil
        jitter =
            flags & 0x20 == 0
            ? nil
            : Jitter(
                minimum: datagram.uint32(at: offset + 20), maximum: datagram.uint32(at: offset + 24),
                mean: datagram.uint32(at: offset + 28), deviation: datagram.uint32(at: offset + 32))
    }

    /// Appends the block.
    @_noLocks @_noAllocation
    package func serialize(into datagram: inout OutputSpan<UInt8>) {
        var flags: UInt8 = 0
        if case .some = lost { flags |= 0x80 }
        if case .some = duplicates { flags |= 0x40 }
        if case .some = jitter { flags |= 0x20 }
        datagram.append(
            blockHeader: ExtendedReportBlockType.statisticsSummary, flags: flags, words: 9)
        datagram.append(bigEndian: ssrc.rawValue)
        datagram.append(bigEndian: begin.rawValue)
        datagram.append(bigEndian: end.rawValue)
        datagram.append(bigEndian: lost ?? 0)
        datagram.append(bigEndian: duplicates ?? 0)
        datagram.append(bigEndian: jitter?.minimum ?? 0)
        datagram.append(bigEndian: jitter?.maximum ?? 0)
        datagram.append(bigEndian: jitter?.mean ?? 0)
        datagram.append(bigEndian: jitter?.deviation ?? 0)
        datagram.append(nulls: 4)
    }
}
