internal import AudioCodecs
internal import AudioProcessing
package import MediaTime
internal import RTP
internal import SRTP

extension MediaSession {
    /// Replaces `frame` by silence while muted, with a fade on the way in and out.
    ///
    /// Apart from ``capture(_:at:)``, so that a message can be mixed in between that muting doesn't silence.
    package mutating func applyMute(to frame: inout MutableSpan<Int16>) {
        muteFade.apply(to: &frame)
    }

    /// Takes the next 10 ms to send.
    ///
    /// - Parameters:
    ///   - frame: ``frameSamples`` samples.
    ///   - now: When its first sample was captured.
    package mutating func capture(_ frame: Span<Int16>, at now: MonotonicInstant) {
        guard frame.count == Self.frameSamples else { return }
        let offset = capturedCount
        captured.replace(at: offset, with: frame)
        let range = offset..<(offset + Self.frameSamples)
        Self.fade(&captured, range, with: &holdFade)
        if sendsAudio { Self.process(&captured, range, with: &outgoingDigits, at: now) }
        Self.measure(captured, range, with: &sentMeter)
        if noiseType != nil {
            Self.listen(captured, range, with: &outgoingNoise, isSpeech: outgoingDigits.isActive)
        }
        if offset == 0 { lastCapture = (nextTimestamp, now) }
        capturedCount += Self.frameSamples
        keepAlive()
        while capturedCount >= packetSamples {
            sendPacket()
            capturedCount -= packetSamples
            guard capturedCount > 0 else { continue }
            // Only after packets have become shorter: the rest of a longer one.
            captured.moveToFront(packetSamples..<(packetSamples + capturedCount))
            lastCapture = (
                nextTimestamp,
                now.advanced(by: .microseconds(-(capturedCount - Self.frameSamples) * 1_000 / 48))
            )
        }
    }

    /// Sends an empty datagram every 15 s in which no sound goes out, so that NATs keep the path open for what
    /// comes (RFC 6263 §4.1).
    private mutating func keepAlive() {
        silentSamples += Self.frameSamples
        guard silentSamples >= Self.keepAliveSamples, !hasLeft else { return }
        silentSamples = 0
        outgoing.append(packet, length: 0)
    }

    private static var keepAliveSamples: Int { 15 * 48_000 }

    private static func fade(
        _ samples: inout FixedBuffer<Int16>, _ range: Range<Int>, with fade: inout MuteFade
    ) {
        var frame = samples.mutableSpan(range)
        fade.apply(to: &frame)
    }

    private static func process(
        _ samples: inout FixedBuffer<Int16>, _ range: Range<Int>, with digits: inout OutgoingDigits,
        at now: MonotonicInstant
    ) {
        var frame = samples.mutableSpan(range)
        digits.process(&frame, at: now)
    }

    private static func listen(
        _ samples: borrowing FixedBuffer<Int16>, _ range: Range<Int>,
        with noise: inout OutgoingComfortNoise?, isSpeech: Bool
    ) {
        noise?.listen(to: samples.span.extracting(range), isSpeech: isSpeech)
    }

    private static func measure(
        _ samples: borrowing FixedBuffer<Int16>, _ range: Range<Int>, with meter: inout LevelMeter
    ) {
        meter.add(samples.span.extracting(range))
    }

    private mutating func sendPacket() {
        let timestamp = nextTimestamp
        nextTimestamp &+= UInt32(truncatingIfNeeded: packetSamples * sending.format.clockRate / 48_000)
        guard sendsAudio, !hasLeft else { return }
        if sendPause(timestamp: timestamp) { return }
        let encoded = Self.encode(captured, count: packetSamples, with: &encoder, into: &payload)
        // In place of what was encoded: the codec goes on with the silence, or it would finish what was said before the digit
        // after it.
        guard !sendEvent(timestamp: timestamp), let length = encoded else { return }
        // Opus' discontinuous transmission: one or two octets say that nothing need be sent (RFC 7587 §3.1.3). The first
        // such packet is sent all the same, so that the receiver knows the pause from a loss.
        let isPause = sending.format == .opus && length <= 2
        defer { isPausing = isPause }
        if isPause, isPausing { return }
        let header = RTPHeader(
            marker: isTalkSpurtStart, payloadType: sending.type, sequenceNumber: nextSequenceNumber,
            timestamp: timestamp, ssrc: ssrc)
        isTalkSpurtStart = isPause
        let packetLength = Self.assemble(header, payload, length: length, into: &packet)
        sendRTP(length: packetLength, payloadLength: length)
    }

    /// Tells of a pause in place of sending it, if it is one and we do so.
    ///
    /// The codec stands still meanwhile, as the one at the other side does.
    private mutating func sendPause(timestamp: UInt32) -> Bool {
        guard let noiseType, let decision = outgoingNoise?.decide(samples: packetSamples) else {
            return false
        }
        switch decision {
        case .speech: return false
        case .nothing: break
        case .noise(let noise):
            // The first octets of the pause are no beginning of talk (RFC 3389 §4).
            let header = RTPHeader(
                marker: false, payloadType: noiseType, sequenceNumber: nextSequenceNumber,
                timestamp: timestamp, ssrc: ssrc)
            let length = packet.write { output in
                header.serialize(into: &output)
                noise.serialize(into: &output)
            }
            sendRTP(length: length, payloadLength: 1 + noise.order)
        }
        isTalkSpurtStart = true
        return true
    }

    /// Protects and sends the packet that `packet` holds, under ``nextSequenceNumber``.
    mutating func sendRTP(length: Int, payloadLength: Int) {
        nextSequenceNumber = nextSequenceNumber.next
        var length = length
        guard Self.protectRTP(&packet, length: &length, with: &outbound) else { return }
        packetsSent += 1
        silentSamples = 0
        octetsSent += payloadLength
        if let lastCapture { transmission.sentMedia(at: lastCapture.time) }
        outgoing.append(packet, length: length)
    }

    private static func assemble(
        _ header: RTPHeader, _ payload: borrowing FixedBuffer<UInt8>, length: Int,
        into packet: inout FixedBuffer<UInt8>
    ) -> Int {
        let headerLength = packet.write { output in header.serialize(into: &output) }
        packet.replace(at: headerLength, with: payload.span.extracting(0..<length))
        return headerLength + length
    }

    private static func encode(
        _ samples: borrowing FixedBuffer<Int16>, count: Int, with encoder: inout AudioEncoder,
        into payload: inout FixedBuffer<UInt8>
    ) -> Int? {
        var room = payload.mutableSpan
        return try? encoder.encode(samples.span.extracting(0..<count), into: &room)
    }

    private static func protectRTP(
        _ packet: inout FixedBuffer<UInt8>, length: inout Int, with sender: inout SRTPSender?
    ) -> Bool {
        guard sender != nil else { return true }
        var span = packet.mutableSpan
        do throws(SRTPError) {
            try sender?.protectRTP(&span, length: &length)
            return true
        } catch { return false }
    }

    /// As ``protectRTP(_:length:with:)``, for reports.
    static func protectRTCP(
        _ packet: inout FixedBuffer<UInt8>, length: inout Int, with sender: inout SRTPSender?
    ) -> Bool {
        guard sender != nil else { return true }
        var span = packet.mutableSpan
        do throws(SRTPError) {
            try sender?.protectRTCP(&span, length: &length)
            return true
        } catch { return false }
    }
}
