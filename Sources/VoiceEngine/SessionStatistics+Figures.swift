internal import AudioCodecs
internal import JitterBuffer
internal import MediaSession
internal import MediaTime
internal import QualityModel
internal import RTP

extension SessionStatistics {
    init(_ figures: SessionFigures, cryptoSuite: String?) {
        let media = figures.media
        self.init()
        self.cryptoSuite = cryptoSuite
        duration = media.start.duration(to: media.time)
        codec = (media.receivedFormat ?? media.sentFormat).encodingName
        packetsSent = media.packetsSent - figures.refusedDatagrams
        octetsSent = media.octetsSent
        packetsReceived = media.packetsReceived
        octetsReceived = media.octetsReceived
        packetsLost = media.packetsLost
        packetsLate = media.jitterBuffer.packetsLate
        packetsDuplicated = media.jitterBuffer.packetsDuplicated
        packetsReordered = media.packetsReordered
        remoteAddress = media.remoteAddress?.description
        rejectedAddress = media.rejectedAddress?.description
        for reason in DatagramDropReason.allCases where media.drops[reason] > 0 {
            droppedDatagrams["\(reason)"] = media.drops[reason]
        }
        jitterMilliseconds = media.jitterMilliseconds
        roundTripMilliseconds = media.roundTrip?.inMilliseconds
        if let report = media.remoteReport {
            remoteFractionLost = Double(report.fractionLost) / 256
            remoteJitterMilliseconds = Double(report.jitter) * 1_000 / Double(media.sentFormat.clockRate)
        }
        jitterBufferDelayMilliseconds = media.bufferDelay?.inMilliseconds
        meanJitterBufferDelayMilliseconds = media.meanBufferDelay?.inMilliseconds
        jitterBufferTargetMilliseconds = media.packetsReceived > 0 ? media.targetDelay.inMilliseconds : nil
        concealedShare = media.jitterBuffer.concealedShare
        packetsRecovered = media.jitterBuffer.packetsRecovered
        sentLevel = media.sentLevel
        receivedLevel = media.receivedLevel
        lateWakeUps = figures.lateWakeUps
        hasRealTimePriority = figures.hasRealTimePriority
        rate(media)
    }

    /// What ``SessionEvent/oneWay(_:)`` says.
    var oneWayHint: String {
        let awaited =
            "no sound has come for 3 s; it is awaited from \(remoteAddress ?? "anywhere, by its key")"
        guard let rejectedAddress else { return awaited }
        let reasons = droppedDatagrams.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return
            "\(awaited), and what came from \(rejectedAddress) was not let in: \(reasons.joined(separator: ", "))"
    }

    private mutating func rate(_ media: MediaStatistics) {
        guard let format = media.receivedFormat, let concealedShare else { return }
        // Half the round trip, the buffer, and the packet that had to be filled first.
        let delay = (media.roundTrip ?? .zero) / 2 + (media.meanBufferDelay ?? .zero) + .milliseconds(20)
        let estimate = QualityEstimate(
            of: format.equipment, packetsReceived: media.packetsReceived,
            lossFraction: concealedShare, mouthToEarDelay: delay)
        rating = estimate?.rating
        meanOpinionScore = estimate?.meanOpinionScore
        qualityModel = estimate?.model.rawValue
    }
}

extension AudioFormat {
    fileprivate var equipment: EquipmentImpairment {
        switch self {
        case .opus: .opus
        case .g722: .g722
        case .pcmu, .pcma: .g711
        }
    }
}
