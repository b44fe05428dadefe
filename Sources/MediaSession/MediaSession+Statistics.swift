internal import AudioCodecs
internal import AudioProcessing
internal import JitterBuffer
package import MediaTime
internal import RTP

extension MediaSession {
    /// All figures, as of `now`.
    package func statistics(at now: MonotonicInstant) -> MediaStatistics {
        var statistics = MediaStatistics(
            time: now, start: start, receivedFormat: receivedFormat, sentFormat: sending.format,
            jitterBuffer: jitterBuffer.statistics, targetDelay: jitterBuffer.targetDelay)
        statistics.packetsSent = packetsSent
        statistics.octetsSent = octetsSent
        statistics.octetsReceived = octetsReceived
        statistics.drops = drops
        statistics.remoteAddress = remoteAddress
        statistics.rejectedAddress = rejectedAddress
        if let source {
            statistics.packetsReceived = Int(source.statistics.received)
            statistics.packetsExpected = Int(source.statistics.expected)
            statistics.packetsLost = Int(source.statistics.cumulativeLost)
            statistics.packetsReordered = Int(source.statistics.reordered)
            statistics.recentQuality = source.playing.recent
            statistics.jitterMilliseconds = source.statistics.jitterMilliseconds
        }
        statistics.roundTrip = roundTrip
        statistics.remoteReport = reports.remoteReport
        statistics.remoteMetrics = reports.remoteMetrics
        statistics.remoteSummary = reports.remoteSummary
        statistics.reportsReceived = reports.received
        statistics.ignoredRTCPPackets = reports.ignoredPackets
        statistics.opusBitrate = adaptation.current.bitrate
        statistics.expectedLossPercentage = adaptation.current.expectedLossPercentage
        statistics.bufferDelay = jitterBuffer.currentDelay(at: now)
        statistics.meanBufferDelay = jitterBuffer.meanDelay
        statistics.sentLevel = sentMeter.level
        statistics.receivedLevel = receivedMeter.level
        return statistics
    }
}
