/// A received packet as the jitter buffer sees it; its payload travels beside it.
package struct BufferedPacket: BitwiseCopyable, Hashable, Sendable {
    /// As in the RTP header.
    package var sequenceNumber: UInt16
    /// As in the RTP header, in ticks of the RTP clock.
    package var timestamp: UInt32
    /// How long the payload plays, in ticks of the RTP clock; 0 or less for a packet of padding only, which takes its
    /// number and makes no sound (RFC 3550 §5.1).
    package var durationTicks: Int
    /// What decodes the payload; the buffer only keeps it.
    package var payloadType: UInt8
    /// Whether the sender pauses after this packet (Opus DTX, comfort noise), so that nothing is missing then.
    package var startsPause: Bool

    package init(
        sequenceNumber: UInt16, timestamp: UInt32, durationTicks: Int, payloadType: UInt8,
        startsPause: Bool = false
    ) {
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.durationTicks = durationTicks
        self.payloadType = payloadType
        self.startsPause = startsPause
    }
}
