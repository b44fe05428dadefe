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
        Self.fade(&captured, offset..<(offset + Self.frameSamples), with: &holdFade, into: &sentMeter)
        if offset == 0 { lastCapture = (nextTimestamp, now) }
        capturedCount += Self.frameSamples
        guard capturedCount == packetSamples else { return }
        capturedCount = 0
        sendPacket()
    }

    private static func fade(
        _ samples: inout FixedBuffer<Int16>, _ range: Range<Int>, with fade: inout MuteFade,
        into meter: inout LevelMeter
    ) {
        var frame = samples.mutableSpan(range)
        fade.apply(to: &frame)
        meter.add(frame.span)
    }

    private mutating func sendPacket() {
        let timestamp = nextTimestamp
        nextTimestamp &+= UInt32(truncatingIfNeeded: packetSamples * sending.format.clockRate / 48_000)
        guard sendsAudio, !hasLeft else { return }
        guard let length = Self.encode(captured, with: &encoder, into: &payload) else { return }
        // Opus' discontinuous transmission: one or two octets say that nothing need be sent (RFC 7587 §3.1.3).
        if sending.format == .opus, length <= 2 {
            isTalkSpurtStart = true
            return
        }
        let header = RTPHeader(
            marker: isTalkSpurtStart, payloadType: sending.type, sequenceNumber: nextSequenceNumber,
            timestamp: timestamp, ssrc: ssrc)
        isTalkSpurtStart = false
        nextSequenceNumber = nextSequenceNumber.next
        var packetLength = Self.assemble(header, payload, length: length, into: &packet)
        guard Self.protectRTP(&packet, length: &packetLength, with: &outbound) else { return }
        packetsSent += 1
        octetsSent += length
        if let lastCapture { transmission.sentMedia(at: lastCapture.time) }
        outgoing.append(packet, length: packetLength)
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
        _ samples: borrowing FixedBuffer<Int16>, with encoder: inout AudioEncoder,
        into payload: inout FixedBuffer<UInt8>
    ) -> Int? {
        var room = payload.mutableSpan
        return try? encoder.encode(samples.span, into: &room)
    }

    private static func protectRTP(
        _ packet: inout FixedBuffer<UInt8>, length: inout Int, with context: inout SRTPContext?
    ) -> Bool {
        guard context != nil else { return true }
        var span = packet.mutableSpan
        do throws(SRTPError) {
            try context?.protectRTP(&span, length: &length)
            return true
        } catch { return false }
    }

    /// As ``protectRTP(_:length:with:)``, for reports.
    static func protectRTCP(
        _ packet: inout FixedBuffer<UInt8>, length: inout Int, with context: inout SRTPContext?
    ) -> Bool {
        guard context != nil else { return true }
        var span = packet.mutableSpan
        do throws(SRTPError) {
            try context?.protectRTCP(&span, length: &length)
            return true
        } catch { return false }
    }
}
