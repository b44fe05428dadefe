internal import AudioCodecs
package import MediaTime
package import RTP
internal import SRTP

extension MediaSession {
    /// Takes a datagram that came in on the port of RTCP, where it has one of its own.
    ///
    /// As ``receive(_:from:at:)``, but for reports only. Where the media come from, it never tells.
    package mutating func receiveReport(
        _ datagram: inout MutableSpan<UInt8>, from address: TransportAddress, at arrival: MonotonicInstant
    ) {
        guard datagram.count <= Self.maximumDatagramLength else { return drops.count(.oversized) }
        guard DatagramKind(of: datagram.span) == .rtcp else { return drops.count(.malformedRTCP) }
        receiveRTCP(&datagram, from: address, isOnMediaPort: false, at: arrival)
    }

    mutating func receiveRTCP(
        _ datagram: inout MutableSpan<UInt8>, from address: TransportAddress, isOnMediaPort: Bool,
        at arrival: MonotonicInstant
    ) {
        var length = datagram.count
        do throws(SRTPError) {
            if inbound == nil {
                let isAdmitted =
                    isOnMediaPort
                    ? latch.admits(address, remote: remoteAddress, at: arrival) : address == remoteRTCPAddress
                guard isAdmitted else { return reject(address, .unknownSource) }
            } else {
                try inbound?.unprotectRTCP(&datagram, length: &length, at: arrival)
            }
        } catch { return reject(address, reason(for: error)) }

        let octets = datagram.span.extracting(0..<length)
        do throws(RTCPParseError) {
            var compound = try RTCPCompound(validating: octets)
            noteAuthentic(from: remoteRTCPAddress == nil ? address : nil, isSound: false, at: arrival)
            // Symmetric RTCP (RFC 4961), as with the media.
            if inbound != nil, !isOnMediaPort { remoteRTCPAddress = address }
            reports.received += 1
            transmission.received(octets: datagram.count)
            while let packet = compound.next(in: octets) {
                take(packet, in: octets, from: address, at: arrival)
            }
        } catch { drops.count(.malformedRTCP) }
    }

    private mutating func take(
        _ packet: RTCPPacket, in octets: Span<UInt8>, from address: TransportAddress,
        at arrival: MonotonicInstant
    ) {
        switch packet {
        case .report(let report): take(report, in: octets, from: address, at: arrival)
        case .extendedReport(let report): take(report, in: octets, at: arrival)
        case .goodbye(let goodbye):
            for index in 0..<goodbye.sourceCount {
                let leaving = goodbye.source(at: index, in: octets)
                if leaving == source?.ssrc { pendingEvents.insert(.remoteLeft) }
                transmission.left(leaving, octets: octets.count, at: arrival)
            }
        case .sourceDescription: break
        case .application, .feedback, .other: reports.ignoredPackets += 1
        }
    }

    private mutating func take(
        _ report: RTCPReport, in octets: Span<UInt8>, from address: TransportAddress,
        at arrival: MonotonicInstant
    ) {
        guard report.sender != ssrc else { return collide(from: address, at: arrival) }
        transmission.heard(report.sender, isMedia: false, at: arrival)
        if let info = report.senderInfo, report.sender == source?.ssrc {
            reports.lastSenderReport = (info.ntpTimestamp.middle32, arrival)
        }
        for index in 0..<report.reportBlockCount {
            let block = report.reportBlock(at: index, in: octets)
            guard block.ssrc == ssrc else { continue }
            reports.remoteReport = block
            if adaptation.reported(fractionLost: block.fractionLost) {
                try? encoder.set(adaptation.current)
            }
            let now = ntpTimestamp(at: arrival).middle32
            roundTrip = NTPTimestamp.roundTrip(of: block, arrivedAt: now) ?? roundTrip
        }
    }

    private mutating func take(
        _ report: RTCPExtendedReport, in octets: Span<UInt8>, at arrival: MonotonicInstant
    ) {
        var report = report
        while let block = report.next(in: octets) {
            switch block {
            case .receiverReferenceTime(let time):
                reports.lastReferenceTime = (report.sender, time.middle32, arrival)
            case .receiverDelays(let delays):
                guard let delay = delays.delay(of: ssrc, in: octets) else { continue }
                let now = ntpTimestamp(at: arrival).middle32
                roundTrip = NTPTimestamp.roundTrip(of: delay, arrivedAt: now) ?? roundTrip
            case .statisticsSummary(let summary):
                if summary.ssrc == ssrc { reports.remoteSummary = summary }
            case .voIPMetrics(let metrics):
                if metrics.ssrc == ssrc { reports.remoteMetrics = metrics }
            case .other: continue
            }
        }
    }
}
