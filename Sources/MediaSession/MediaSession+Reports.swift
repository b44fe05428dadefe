internal import AudioCodecs
internal import MediaTime
internal import RTP
internal import SRTP

extension MediaSession {
    /// Sends the report, if it is due (RFC 3550 §6.3.6), and ends the interval that it is about.
    mutating func sendDueReport(at now: MonotonicInstant) {
        guard transmission.isDue(at: now, random: &random) else { return }
        let (equipment, delay) = (equipment, mouthToEarDelay)
        source?.playing.endInterval(of: equipment, delay: delay)
        let octets = sendReport(at: now, goodbye: false)
        transmission.sentReport(octets: octets, at: now, random: &random)
    }

    /// Says goodbye, if that may be said at once (RFC 3550 §6.3.7).
    ///
    /// Among more than fifty it would have to wait, and the session doesn't: they miss us after a while.
    mutating func sendGoodbye(at now: MonotonicInstant) {
        let length = RTCPGoodbye.length(reasonLength: 0)
        guard transmission.leave(octets: length, at: now, random: &random) == .now else { return }
        sendReport(at: now, goodbye: true)
    }

    /// Sends a compound of SR or RR, SDES with CNAME, and perhaps an extended report and BYE (RFC 3550 §6.1).
    ///
    /// - Returns: Its octets on the wire, 0 if none was sent.
    @discardableResult
    mutating func sendReport(at now: MonotonicInstant, goodbye: Bool) -> Int {
        guard usesRTCP, !hasLeft else { return 0 }
        let block = makeReportBlock(at: now)
        let info = makeSenderInfo(at: now)
        let blocks: InlineArray<1, ReportBlock> = [block ?? ReportBlock.none]
        let reported = block == nil ? 0 : 1
        let extended = makeExtendedBlocks(at: now)
        let ssrc = ssrc
        var length = Self.write(into: &packet, name: canonicalName) { output, name in
            RTCPReport.serialize(
                sender: ssrc, senderInfo: info, reportBlocks: blocks.span.extracting(0..<reported),
                into: &output)
            RTCPSourceDescription.serialize(canonicalName: name, of: ssrc, into: &output)
            extended.serialize(sender: ssrc, into: &output)
            if goodbye {
                let noReason = InlineArray<0, UInt8> { _ in 0 }
                RTCPGoodbye.serialize(source: ssrc, reason: noReason.span, into: &output)
            }
        }
        guard Self.protectRTCP(&packet, length: &length, with: &outbound) else { return 0 }
        if remoteRTCPAddress == nil {
            silentSamples = 0
            outgoing.append(packet, length: length)
        } else {
            outgoingReports.append(packet, length: length)
        }
        return length
    }

    private static func write(
        into packet: inout FixedBuffer<UInt8>, name: borrowing FixedBuffer<UInt8>,
        _ body: (inout OutputSpan<UInt8>, Span<UInt8>) -> Void
    ) -> Int {
        packet.write { output in body(&output, name.span) }
    }

    private mutating func makeReportBlock(at now: MonotonicInstant) -> ReportBlock? {
        guard let source, source.statistics.expected > 0 else { return nil }
        let last = reports.lastSenderReport
        return self.source?.statistics.makeReportBlock(
            lastSenderReport: last?.middle32 ?? 0, delay: last?.arrival.duration(to: now) ?? .zero)
    }

    private func makeSenderInfo(at now: MonotonicInstant) -> SenderInfo? {
        guard transmission.isSender, let lastCapture else { return nil }
        let elapsed = lastCapture.time.duration(to: now).wholeNanoseconds
        let ticks = elapsed * Int64(sending.format.clockRate) / 1_000_000_000
        return SenderInfo(
            ntpTimestamp: ntpTimestamp(at: now),
            rtpTimestamp: lastCapture.timestamp &+ UInt32(truncatingIfNeeded: ticks),
            packetCount: UInt32(truncatingIfNeeded: packetsSent - reports.sentBefore.packets),
            octetCount: UInt32(truncatingIfNeeded: octetsSent - reports.sentBefore.octets))
    }

    func ntpTimestamp(at now: MonotonicInstant) -> NTPTimestamp {
        NTPTimestamp(nanosecondsSince1970: wallClockOffset + now.nanoseconds)
    }
}

extension MediaParameters {
    /// Of what one side sends, with the headers of RTP, UDP and IP, bit/s: what the reports' share is taken of.
    ///
    /// When one talks the other mostly listens, so it counts as the session's.
    var bandwidth: Int {
        let payload = sending.format == .opus ? opus.bitrate : 64_000
        return payload + 40 * 8 * 1_000 / packetMilliseconds
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
