internal import MediaTime
internal import RTP

/// What a session knows from the other side's reports, and keeps for its own.
struct ReportState: BitwiseCopyable {
    /// Whether ours have extended ones with them.
    let isExtended: Bool
    /// The source's last sender report: what our report blocks answer.
    var lastSenderReport: (middle32: UInt32, arrival: MonotonicInstant)?
    /// The last receiver's clock: what our extended reports answer.
    var lastReferenceTime: (ssrc: SSRC, middle32: UInt32, arrival: MonotonicInstant)?

    var remoteReport: ReportBlock?
    var remoteMetrics: VoIPMetrics?
    var remoteSummary: StatisticsSummary?
    var received = 0
    var ignoredPackets = 0

    var conflicts = ConflictingAddresses()
    /// Sent under identifiers that we gave up: a sender report counts one identifier's only.
    var sentBefore = (packets: 0, octets: 0)

    init(isExtended: Bool) { self.isExtended = isExtended }
}
