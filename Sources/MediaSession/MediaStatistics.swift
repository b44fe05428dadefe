package import AudioCodecs
package import JitterBuffer
package import MediaTime
package import RTP

/// What a session has sent and heard, as of ``time``.
package struct MediaStatistics: BitwiseCopyable, Sendable {
    package var time: MonotonicInstant
    package var start: MonotonicInstant
    package var receivedFormat: AudioFormat?
    package var sentFormat: AudioFormat

    package var packetsSent = 0
    package var octetsSent = 0
    package var packetsReceived = 0
    package var octetsReceived = 0
    package var packetsExpected = 0
    package var packetsLost = 0
    package var packetsReordered = 0
    package var drops = DropCounts()
    /// Where we send.
    package var remoteAddress: TransportAddress?
    /// Where the last datagram came from that was let in neither by its address nor by its key.
    package var rejectedAddress: TransportAddress?

    /// RFC 3550 §6.4.1, of what we receive.
    package var jitterMilliseconds: Double?
    package var roundTrip: Duration?
    /// What the other side last reported of us, in short and at length.
    package var remoteReport: ReportBlock?
    package var remoteMetrics: VoIPMetrics?
    package var remoteSummary: StatisticsSummary?
    /// Compounds of RTCP that came and were read, and the packets in them that nothing was done about.
    package var reportsReceived = 0
    package var ignoredRTCPPackets = 0

    /// How the last interval between two reports of ours sounded, about 5 s; ``packetsLost`` is of the whole call.
    package var recentQuality: RecentQuality?

    /// What the Opus encoder aims at now, bit/s, and the loss that it protects against.
    package var opusBitrate = 0
    package var expectedLossPercentage = 0

    package var jitterBuffer: JitterBufferStatistics
    package var bufferDelay: Duration?
    package var meanBufferDelay: Duration?
    package var targetDelay: Duration

    /// dBov, of what was not silent.
    package var sentLevel: Double?
    package var receivedLevel: Double?
}
