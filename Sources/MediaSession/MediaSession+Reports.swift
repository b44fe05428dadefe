internal import AudioCodecs
internal import AudioProcessing
internal import JitterBuffer
package import MediaTime
package import RTP
internal import SRTP

extension MediaSession {
    // MARK: Out

    /// Sends a compound of SR or RR, SDES with CNAME, and perhaps BYE (RFC 3550 §6.1).
    mutating func sendReport(at now: MonotonicInstant, goodbye: Bool) {
        guard usesRTCP, !hasLeft else { return }
        let block = makeReportBlock(at: now)
        let info = makeSenderInfo(at: now)
        let blocks: InlineArray<1, ReportBlock> = [block ?? ReportBlock.none]
        let reported = block == nil ? 0 : 1
        let ssrc = ssrc
        var length = Self.write(into: &packet, name: canonicalName) { output, name in
            RTCPReport.serialize(
                sender: ssrc, senderInfo: info, reportBlocks: blocks.span.extracting(0..<reported),
                into: &output)
            RTCPSourceDescription.serialize(canonicalName: name, of: ssrc, into: &output)
            if goodbye {
                let noReason = InlineArray<0, UInt8> { _ in 0 }
                RTCPGoodbye.serialize(source: ssrc, reason: noReason.span, into: &output)
            }
        }
        guard Self.protectRTCP(&packet, length: &length, with: &outbound) else { return }
        if remoteRTCPAddress == nil {
            outgoing.append(packet, length: length)
        } else {
            outgoingReports.append(packet, length: length)
        }
    }

    private static func write(
        into packet: inout FixedBuffer<UInt8>, name: borrowing FixedBuffer<UInt8>,
        _ body: (inout OutputSpan<UInt8>, Span<UInt8>) -> Void
    ) -> Int {
        packet.write { output in body(&output, name.span) }
    }

    private mutating func makeReportBlock(at now: MonotonicInstant) -> ReportBlock? {
        source?.statistics.makeReportBlock(
            lastSenderReport: lastSenderReport?.middle32 ?? 0,
            delay: lastSenderReport?.arrival.duration(to: now) ?? .zero)
    }

    private func makeSenderInfo(at now: MonotonicInstant) -> SenderInfo? {
        guard packetsSent > 0, let lastCapture else { return nil }
        let elapsed = lastCapture.time.duration(to: now).wholeNanoseconds
        let ticks = elapsed * Int64(sending.format.clockRate) / 1_000_000_000
        return SenderInfo(
            ntpTimestamp: ntpTimestamp(at: now),
            rtpTimestamp: lastCapture.timestamp &+ UInt32(truncatingIfNeeded: ticks),
            packetCount: UInt32(truncatingIfNeeded: packetsSent),
            octetCount: UInt32(truncatingIfNeeded: octetsSent))
    }

    private func ntpTimestamp(at now: MonotonicInstant) -> NTPTimestamp {
        NTPTimestamp(nanosecondsSince1970: wallClockOffset + now.nanoseconds)
    }

    // MARK: In

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
                guard isAdmitted else {
                    return reject(address, .unknownSource)
                }
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
            while let packet = compound.next(in: octets) { take(packet, in: octets, at: arrival) }
        } catch { drops.count(.malformedRTCP) }
    }

    private mutating func take(_ packet: RTCPPacket, in octets: Span<UInt8>, at arrival: MonotonicInstant) {
        switch packet {
        case .report(let report):
            if let info = report.senderInfo, report.sender == source?.ssrc {
                lastSenderReport = (info.ntpTimestamp.middle32, arrival)
            }
            for index in 0..<report.reportBlockCount {
                let block = report.reportBlock(at: index, in: octets)
                guard block.ssrc == ssrc else { continue }
                remoteReport = block
                if adaptation.reported(fractionLost: block.fractionLost) {
                    try? encoder.set(adaptation.current)
                }
                let now = ntpTimestamp(at: arrival).middle32
                roundTrip = NTPTimestamp.roundTrip(of: block, arrivedAt: now) ?? roundTrip
            }
        case .goodbye(let goodbye):
            for index in 0..<goodbye.sourceCount where goodbye.source(at: index, in: octets) == source?.ssrc {
                pendingEvents.insert(.remoteLeft)
            }
        case .sourceDescription, .other:
            break
        }
    }

    // MARK: Figures

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
            statistics.jitterMilliseconds = source.statistics.jitterMilliseconds
        }
        statistics.roundTrip = roundTrip
        statistics.remoteReport = remoteReport
        statistics.opusBitrate = adaptation.current.bitrate
        statistics.expectedLossPercentage = adaptation.current.expectedLossPercentage
        statistics.bufferDelay = jitterBuffer.currentDelay(at: now)
        statistics.meanBufferDelay = jitterBuffer.meanDelay
        statistics.sentLevel = sentMeter.level
        statistics.receivedLevel = receivedMeter.level
        return statistics
    }
}

extension ReportBlock {
    /// Stands where no block is reported.
    fileprivate static var none: Self {
        Self(
            ssrc: SSRC(rawValue: 0), fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0,
            jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
    }
}
