internal import AudioCodecs
internal import AudioProcessing
internal import JitterBuffer
internal import MediaTime
internal import QualityModel
internal import RTP

/// The blocks of an extended report that are there to be sent.
struct ExtendedBlocks {
    var referenceTime: NTPTimestamp?
    var delay: ReceiverDelay?
    var summary: StatisticsSummary?
    var metrics: VoIPMetrics?

    private var length: Int {
        var length = 0
        if referenceTime != nil { length += RTCPExtendedReport.receiverReferenceTimeLength }
        if delay != nil { length += RTCPExtendedReport.receiverDelayLength }
        if summary != nil { length += StatisticsSummary.length }
        if metrics != nil { length += VoIPMetrics.length }
        return length
    }

    /// Appends the packet, if it has a block.
    func serialize(sender: SSRC, into datagram: inout OutputSpan<UInt8>) {
        let length = length
        guard length > 0 else { return }
        RTCPExtendedReport.serializeHeader(sender: sender, blocksLength: length, into: &datagram)
        if let referenceTime {
            RTCPExtendedReport.serialize(receiverReferenceTime: referenceTime, into: &datagram)
        }
        if let delay { RTCPExtendedReport.serialize(delay, into: &datagram) }
        summary?.serialize(into: &datagram)
        metrics?.serialize(into: &datagram)
    }
}

extension MediaSession {
    /// What there is to say beyond a report block (RFC 3611): our clock as a receiver, the answer to the other side's, how
    /// packets came since the last report, and how they sounded since the beginning.
    mutating func makeExtendedBlocks(at now: MonotonicInstant) -> ExtendedBlocks {
        var blocks = ExtendedBlocks()
        guard reports.isExtended else { return blocks }
        if let last = reports.lastReferenceTime {
            blocks.delay = ReceiverDelay(
                ssrc: last.ssrc, lastReceiverReport: last.middle32,
                delaySinceLastReceiverReport: ReportBlock.units(of: last.arrival.duration(to: now)))
        }
        guard source != nil else { return blocks }
        blocks.referenceTime = ntpTimestamp(at: now)
        blocks.summary = source?.statistics.makeSummary()
        blocks.metrics = makeVoIPMetrics(at: now)
        return blocks
    }

    private func makeVoIPMetrics(at now: MonotonicInstant) -> VoIPMetrics? {
        guard let source, source.statistics.expected > 0 else { return nil }
        let expected = Double(source.statistics.expected)
        var metrics = VoIPMetrics(ssrc: source.ssrc)
        metrics.lossRate = Self.share(Double(source.statistics.cumulativeLost) / expected)
        metrics.discardRate = Self.share(Double(source.playing.discarded) / expected)
        metrics.bursts = source.playing.bursts.metrics(packetMilliseconds: packetMilliseconds)
        metrics.roundTripDelay = Self.milliseconds(roundTrip ?? .zero)
        metrics.endSystemDelay = Self.milliseconds(endSystemDelay(at: now))
        // 0 dBov is 6.15 dBm0 (ITU-T G.100.1).
        metrics.signalLevel = receivedMeter.level.map { Int8(max($0 + 6.15, -127)) }
        // Concealment by the codec, enhanced, and a buffer that adapts (§4.7.6).
        metrics.configuration = 0b1011_0000
        let target = Self.milliseconds(jitterBuffer.targetDelay)
        metrics.bufferNominal = target
        metrics.bufferMaximum = max(target, Self.milliseconds(jitterBuffer.currentDelay(at: now) ?? .zero))
        metrics.bufferAbsoluteMaximum = Self.milliseconds(
            JitterBuffer.Configuration(clockRate: 48_000).maximumDelay)
        rate(&metrics, source)
        return metrics
    }

    private func rate(_ metrics: inout VoIPMetrics, _ source: RemoteSource) {
        guard let share = jitterBuffer.statistics.concealedShare else { return }
        let received = Int(source.statistics.received)
        let ratio = source.playing.bursts.burstRatio(lossFraction: share)
        let heard = QualityEstimate(
            of: equipment, packetsReceived: received, lossFraction: share, burstRatio: ratio,
            mouthToEarDelay: .zero)
        let conversed = QualityEstimate(
            of: equipment, packetsReceived: received, lossFraction: share, burstRatio: ratio,
            mouthToEarDelay: mouthToEarDelay)
        metrics.listeningOpinion = heard.map { UInt8($0.meanOpinionScore * 10) }
        metrics.conversationalOpinion = conversed.map { UInt8($0.meanOpinionScore * 10) }
        // The block's scale is narrow band's, to which wide band's is mapped as its opinions are (ITU-T G.107.1).
        metrics.rating = conversed.map { UInt8($0.model == .wideband ? $0.rating / 1.29 : $0.rating) }
    }

    // MARK: Figures of ours

    var equipment: EquipmentImpairment {
        switch receivedFormat {
        case .opus: .opus
        case .g722: .g722
        case .pcmu, .pcma, nil: .g711
        }
    }

    private var packetMilliseconds: Int { packetSamples / 48 }

    /// The packet that has to be filled, and the buffer.
    private func endSystemDelay(at now: MonotonicInstant) -> Duration {
        .milliseconds(packetMilliseconds) + (jitterBuffer.currentDelay(at: now) ?? .zero)
    }

    /// From the other side's mouth to our ear.
    var mouthToEarDelay: Duration {
        (roundTrip ?? .zero) / 2 + (jitterBuffer.meanDelay ?? .zero) + .milliseconds(packetMilliseconds)
    }

    private static func share(_ fraction: Double) -> UInt8 { UInt8(min(max(fraction * 256, 0), 255)) }

    private static func milliseconds(_ duration: Duration) -> UInt16 {
        UInt16(clamping: duration.wholeNanoseconds / 1_000_000)
    }
}
