internal import AudioCodecs
internal import AudioProcessing
internal import JitterBuffer
package import MediaTime
package import RTP
internal import SRTP

extension MediaSession {
    /// Takes a datagram that came in on the session's port, and decrypts it where it stands.
    ///
    /// Whatever it holds: it is used, or dropped and counted by its reason. Before SRTP has authenticated it, nothing
    /// but a counter changes.
    ///
    /// - Parameters:
    ///   - datagram: All of it, at most ``maximumDatagramLength`` octets.
    ///   - address: Where it came from.
    ///   - arrival: The kernel's time of arrival where known.
    package mutating func receive(
        _ datagram: inout MutableSpan<UInt8>, from address: TransportAddress, at arrival: MonotonicInstant
    ) {
        guard datagram.count <= Self.maximumDatagramLength else { return drops.count(.oversized) }
        switch DatagramKind(of: datagram.span) {
        case .rtp: receiveRTP(&datagram, from: address, at: arrival)
        case .rtcp: receiveRTCP(&datagram, from: address, isOnMediaPort: true, at: arrival)
        case .empty: drops.count(.keepAlive)
        case .stun, .dtls, .zrtp, .turnChannel, .unknown: drops.count(.notRTP)
        }
    }

    private mutating func receiveRTP(
        _ datagram: inout MutableSpan<UInt8>, from address: TransportAddress, at arrival: MonotonicInstant
    ) {
        var length = datagram.count
        do throws(SRTPError) {
            if inbound == nil {
                guard latch.admits(address, remote: remoteAddress, at: arrival) else {
                    return reject(address, .unknownSource)
                }
            } else {
                try inbound?.unprotectRTP(&datagram, length: &length, at: arrival)
            }
        } catch { return reject(address, reason(for: error)) }

        let octets = datagram.span.extracting(0..<length)
        do throws(RTPParseError) {
            let packet = try RTPPacket(parsing: octets)
            take(packet, payload: octets.extracting(packet.payloadRange), from: address, at: arrival)
        } catch { drops.count(.init(error)) }
    }

    /// Drops a datagram that wasn't let in.
    mutating func reject(_ address: TransportAddress, _ reason: DatagramDropReason) {
        rejectedAddress = address
        drops.count(reason)
    }

    /// Tells a key that never fitted from packets that stopped to fit.
    func reason(for error: SRTPError) -> DatagramDropReason {
        let reason = DatagramDropReason(error)
        return reason == .authentication && !watchdog.hasHeard ? .wrongKey : reason
    }

    private mutating func take(
        _ packet: RTPPacket, payload: Span<UInt8>, from address: TransportAddress,
        at arrival: MonotonicInstant
    ) {
        let header = packet.header
        guard header.ssrc != ssrc else { return collide(from: address, at: arrival) }
        switch receiving[header.payloadType] {
        case .audio(let format):
            takeAudio(packet, payload: payload, format: format, from: address, at: arrival)
        case .telephoneEvent(let clockRate):
            takeEvent(packet, payload: payload, clockRate: clockRate, from: address, at: arrival)
        case .comfortNoise: takeNoise(packet, payload: payload, from: address, at: arrival)
        case nil: drops.count(.unknownPayloadType)
        }
    }

    private mutating func takeAudio(
        _ packet: RTPPacket, payload: Span<UInt8>, format: AudioFormat, from address: TransportAddress,
        at arrival: MonotonicInstant
    ) {
        let header = packet.header
        // Padding only, as of a probe: it has its number, and no sound (RFC 3550 §5.1).
        let isSoundless = payload.isEmpty && packet.paddingLength > 0
        guard let samples = isSoundless ? 0 : format.samples(in: payload) else {
            return drops.count(.malformedPayload)
        }
        guard isHeard(header.ssrc, clockRate: format.clockRate) else { return drops.count(.unknownSource) }
        noteAuthentic(from: address, isSound: true, at: arrival)
        octetsReceived += payload.count
        let duration = samples * format.clockRate / 48_000
        transmission.heard(header.ssrc, isMedia: true, at: arrival)
        _ = source?.statistics.receive(
            sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, arrival: arrival,
            marker: header.marker)
        source?.newestTime = (header.timestamp, arrival)
        incomingDigits.receiveAudio(header)
        guard receivesAudio, !isOnHold else { return drops.count(.notReceiving) }

        if format != receivedFormat {
            if receivedFormat?.clockRate != format.clockRate { changeClockRate(to: format.clockRate) }
            receivedFormat = format
        }
        buffer(
            BufferedPacket(
                sequenceNumber: header.sequenceNumber.rawValue, timestamp: header.timestamp,
                durationTicks: duration, payloadType: header.payloadType.rawValue,
                startsPause: format == .opus && payload.count <= 2 && !isSoundless),
            payload, at: arrival)
    }

    /// Takes a telephone event, which has its number in the stream, and takes the place of sound.
    private mutating func takeEvent(
        _ packet: RTPPacket, payload: Span<UInt8>, clockRate: Int, from address: TransportAddress,
        at arrival: MonotonicInstant
    ) {
        let header = packet.header
        guard let event = try? TelephoneEvent(parsing: payload) else { return drops.count(.malformedPayload) }
        let audioRate = receivedFormat?.clockRate ?? clockRate
        guard isHeard(header.ssrc, clockRate: audioRate) else { return drops.count(.unknownSource) }
        noteAuthentic(from: address, isSound: true, at: arrival)
        octetsReceived += payload.count
        transmission.heard(header.ssrc, isMedia: true, at: arrival)
        // An event's timestamp stands still while time goes on: for reports and buffer it counts as sound would.
        let timestamp = source?.newestTime.map {
            $0.timestamp &+ Self.ticks(from: $0.arrival, to: arrival, audioRate)
        }
        _ = source?.statistics.receive(
            sequenceNumber: header.sequenceNumber, timestamp: timestamp ?? header.timestamp, arrival: arrival,
            marker: header.marker)
        guard receivesAudio, !isOnHold else { return drops.count(.notReceiving) }
        incomingDigits.receive(event, header, clockRate: clockRate, at: arrival)
        incomingNoise.forget()
        guard let timestamp else { return }
        buffer(
            BufferedPacket(
                sequenceNumber: header.sequenceNumber.rawValue, timestamp: timestamp, durationTicks: 0,
                payloadType: header.payloadType.rawValue, startsPause: true),
            payload, at: arrival)
    }

    /// Takes a packet that tells how a pause sounds, which it begins or goes on with.
    private mutating func takeNoise(
        _ packet: RTPPacket, payload: Span<UInt8>, from address: TransportAddress,
        at arrival: MonotonicInstant
    ) {
        let header = packet.header
        guard let noise = try? ComfortNoise(parsing: payload) else { return drops.count(.malformedPayload) }
        // Its timestamp is on the clock of the format that pauses; before there was any, of one that could.
        guard let format = receivedFormat ?? receiving.narrowFormat, format.clockRate == 8_000 else {
            return drops.count(.unknownPayloadType)
        }
        guard isHeard(header.ssrc, clockRate: format.clockRate) else { return drops.count(.unknownSource) }
        noteAuthentic(from: address, isSound: true, at: arrival)
        octetsReceived += payload.count
        transmission.heard(header.ssrc, isMedia: true, at: arrival)
        _ = source?.statistics.receive(
            sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, arrival: arrival,
            marker: header.marker)
        source?.newestTime = (header.timestamp, arrival)
        incomingDigits.receiveAudio(header)
        guard receivesAudio, !isOnHold else { return drops.count(.notReceiving) }
        if receivedFormat == nil {
            jitterBuffer.changeClockRate(to: format.clockRate)
            receivedFormat = format
        }
        incomingNoise.take(noise, header.sequenceNumber)
        buffer(
            BufferedPacket(
                sequenceNumber: header.sequenceNumber.rawValue, timestamp: header.timestamp, durationTicks: 0,
                payloadType: header.payloadType.rawValue, startsPause: true),
            payload, at: arrival)
    }

    private static func ticks(from: MonotonicInstant, to: MonotonicInstant, _ clockRate: Int) -> UInt32 {
        UInt32(
            truncatingIfNeeded: from.duration(to: to).wholeNanoseconds / 1_000 * Int64(clockRate) / 1_000_000)
    }

    private mutating func buffer(
        _ packet: BufferedPacket, _ payload: Span<UInt8>, at arrival: MonotonicInstant
    ) {
        switch jitterBuffer.insert(packet, payload: payload, at: arrival) {
        case .stray: drops.count(.stray)
        case .oversized: drops.count(.oversized)
        case .kept, .duplicate, .late, .restarted: break
        }
    }

    /// Whether the packet is of the source that is heard.
    ///
    /// A second one takes over when two packets in a row are its.
    private mutating func isHeard(_ ssrc: SSRC, clockRate: Int) -> Bool {
        if source?.ssrc == ssrc {
            candidate = nil
            return true
        }
        if source != nil {
            let packets = candidate?.ssrc == ssrc ? (candidate?.packets ?? 0) + 1 : 1
            candidate = (ssrc, packets)
            guard packets >= 2 else { return false }
            jitterBuffer.flush()
        }
        candidate = nil
        incomingNoise.forget()
        // What isn't authenticated is counted from its second packet in sequence on (RFC 3550 §A.1); heard it is at once.
        let probation = inbound == nil && source == nil ? 2 : 1
        source = RemoteSource(
            ssrc: ssrc,
            statistics: ReceptionStatistics(ssrc: ssrc, clockRate: clockRate, probation: probation))
        return true
    }

    /// Notes that the other side lives, and where its media come from, if the datagram tells that.
    mutating func noteAuthentic(from address: TransportAddress?, isSound: Bool, at now: MonotonicInstant) {
        pendingEvents.formUnion(watchdog.heard(isSound: isSound, at: now))
        guard let address else { return }
        if inbound != nil {
            // Symmetric RTP (RFC 4961): answer where authentic packets come from, whatever signalling named.
            remoteAddress = address
        } else if isSound {
            remoteAddress = address
            latch.close()
        }
    }

    private mutating func changeClockRate(to rate: Int) {
        jitterBuffer.changeClockRate(to: rate)
        source?.statistics.changeClockRate(to: rate)
    }
}

extension DatagramDropReason {
    init(_ error: SRTPError) {
        switch error {
        case .authentication, .masterKeyIdentifier, .keyExpired, .keyReused, .indexReused, .noRoom, .library:
            self = .authentication
        case .tooManySources: self = .unknownSource
        case .replay: self = .replay
        case .malformed: self = .truncated
        }
    }

    init(_ error: RTPParseError) {
        switch error {
        case .truncated: self = .truncated
        case .unsupportedVersion: self = .notRTP
        case .badPadding: self = .badPadding
        }
    }
}
