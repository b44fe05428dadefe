package import AudioCodecs
internal import AudioProcessing
internal import JitterBuffer
package import MediaTime
internal import QualityModel
package import RTP
package import SRTP

/// Why a session can't be made from its parameters.
package enum MediaSessionError: Error, Hashable, Sendable {
    case codec(CodecError)
    case encryption(SRTPError)
    /// Milliseconds in a packet that no codec here has.
    case unsupportedPacketDuration(Int)
}

/// One call's audio: frames and datagrams in, frames and datagrams out, with time as an argument.
///
/// Whoever owns it calls ``capture(_:at:)`` and ``playOut(_:at:)`` with 10 ms of 48 kHz at the device's pace,
/// ``receive(_:from:at:)`` with each datagram, and ``handleDeadline(at:)`` when ``deadline`` has come; after each of
/// these, ``takeDatagram(into:)`` until it gives none. Where RTCP has a port of its own, ``receiveReport(_:from:at:)`` and
/// ``takeReport(into:)`` are for that.
///
/// Real-time safe after `init`: no allocation, lock or reference count.
package struct MediaSession: ~Copyable {
    /// Samples in a frame: 10 ms at 48 kHz.
    package static var frameSamples: Int { 480 }
    /// The longest datagram that is sent or looked at, in octets.
    package static var maximumDatagramLength: Int { 1_500 }

    var ssrc: SSRC
    let sending: MediaParameters.Payload
    let receiving: PayloadTable
    let sendsAudio: Bool
    let receivesAudio: Bool
    let usesRTCP: Bool
    let timeout: Duration
    let packetSamples: Int
    /// Wall-clock nanoseconds since 1970 at the monotonic origin: what NTP timestamps are made from.
    let wallClockOffset: Int64
    let start: MonotonicInstant

    // Out.
    var encoder: AudioEncoder
    var captured: FixedBuffer<Int16>
    var adaptation: LossAdaptation
    var capturedCount = 0
    var nextSequenceNumber: SequenceNumber
    var nextTimestamp: UInt32
    /// Of the last packet made, and when its first sample was captured.
    var lastCapture: (timestamp: UInt32, time: MonotonicInstant)?
    var isTalkSpurtStart = true
    var muteFade: MuteFade
    var holdFade: MuteFade
    var sentMeter = LevelMeter()
    var payload: FixedBuffer<UInt8>
    var packet: FixedBuffer<UInt8>
    var outgoing = DatagramQueue()
    /// Reports, where they don't go with the media.
    var outgoingReports = DatagramQueue()
    var outbound: SRTPContext?

    // In.
    var inbound: SRTPContext?
    var decoders: DecoderBank
    var jitterBuffer: JitterBuffer
    var playout = PlayoutQueue()
    var source: RemoteSource?
    var candidate: (ssrc: SSRC, packets: Int)?
    var receivedFormat: AudioFormat?
    var receivedMeter = LevelMeter()
    package internal(set) var remoteAddress: TransportAddress?
    /// Where reports go that have a port of their own; `nil` if they go with the media, or not at all.
    package internal(set) var remoteRTCPAddress: TransportAddress?
    var lastAuthentic: MonotonicInstant?
    var hasTimedOut = false
    var pendingEvents: MediaEvents = []
    var drops = DropCounts()

    // Reports.
    var canonicalName: FixedBuffer<UInt8>
    var random: SplitMix64
    var transmission: RTCPTransmission
    var reports: ReportState
    var roundTrip: Duration?
    var packetsSent = 0
    var octetsSent = 0
    var octetsReceived = 0
    var hasLeft = false

    /// - Parameters:
    ///   - parameters: What signalling agreed on.
    ///   - now: The time from which the session counts.
    ///   - wallClock: Nanoseconds since 1970 at `now`.
    ///   - random: Where SSRC, first sequence number and timestamp come from: the system's, except in tests.
    /// - Throws: ``MediaSessionError``; the parameters can't be met.
    package init(
        _ parameters: MediaParameters, at now: MonotonicInstant, wallClock: Int64,
        random: inout some RandomNumberGenerator
    ) throws(MediaSessionError) {
        guard [10, 20, 40, 60].contains(parameters.packetMilliseconds) else {
            throw .unsupportedPacketDuration(parameters.packetMilliseconds)
        }
        let encoder = try parameters.makeEncoder()
        let decoders = try parameters.makeDecoders()
        let outbound = try parameters.security?.makeContext(.outbound)
        let inbound = try parameters.security?.makeContext(.inbound)

        self.encoder = encoder
        self.decoders = decoders
        self.outbound = outbound
        self.inbound = inbound
        ssrc = SSRC(rawValue: UInt32.random(in: 1...UInt32.max, using: &random))
        // Below 2^15, so that a receiver that misses the first packets can't guess the rollover counter wrong
        // (RFC 3711 §3.3.1, RFC 4568 §6.1).
        nextSequenceNumber = SequenceNumber(rawValue: UInt16.random(in: 0..<1 << 15, using: &random))
        nextTimestamp = UInt32.random(in: 0...UInt32.max, using: &random)
        self.random = SplitMix64(seed: UInt64.random(in: 0...UInt64.max, using: &random))

        muteFade = MuteFade(isMuted: parameters.startsMuted)
        holdFade = MuteFade(isMuted: parameters.startsOnHold)
        adaptation = LossAdaptation(parameters.opus)
        sending = parameters.sending
        receiving = PayloadTable(parameters.receiving)
        sendsAudio = parameters.sendsAudio
        receivesAudio = parameters.receivesAudio
        usesRTCP = parameters.usesRTCPMultiplexing || parameters.remoteRTCPAddress != nil
        remoteRTCPAddress = parameters.usesRTCPMultiplexing ? nil : parameters.remoteRTCPAddress
        timeout = parameters.timeout
        packetSamples = parameters.packetMilliseconds * 48
        remoteAddress = parameters.remoteAddress
        wallClockOffset = wallClock - now.nanoseconds
        start = now

        captured = FixedBuffer(repeating: 0, count: packetSamples)
        payload = FixedBuffer(repeating: 0, count: 1_275)
        packet = FixedBuffer(repeating: 0, count: Self.maximumDatagramLength)
        jitterBuffer = JitterBuffer(.init(clockRate: parameters.receiving.first?.format.clockRate ?? 48_000))
        let name = Array(parameters.canonicalName.utf8.prefix(255))
        canonicalName = FixedBuffer(repeating: 0, count: max(1, name.count))
        for (index, octet) in name.enumerated() { canonicalName[index] = octet }
        reports = ReportState(isExtended: parameters.usesExtendedReports)
        transmission = RTCPTransmission(
            sessionBandwidth: parameters.bandwidth, at: now, random: &self.random)
    }

    // MARK: Controls

    package var isMuted: Bool { muteFade.isMuted }

    /// Fades the input out or in over 5 ms.
    package mutating func setMuted(_ isMuted: Bool) { muteFade.setMuted(isMuted) }

    package var isOnHold: Bool { holdFade.isMuted }

    /// Holds: silence goes out, so that the path stays open, and nothing is played.
    package mutating func setOnHold(_ isOnHold: Bool) {
        guard isOnHold != self.isOnHold else { return }
        holdFade.setMuted(isOnHold)
        // What waited is old when the hold ends.
        jitterBuffer.flush()
        playout.removeAll()
    }

    // MARK: Time

    /// When ``handleDeadline(at:)`` is due.
    package var deadline: MonotonicInstant {
        guard receivesAudio, !isOnHold, !hasTimedOut else { return transmission.deadline }
        return min(transmission.deadline, (lastAuthentic ?? start).advanced(by: timeout))
    }

    /// Sends the report that is due, and notices when nothing comes any more.
    package mutating func handleDeadline(at now: MonotonicInstant) {
        sendDueReport(at: now)
        guard receivesAudio, !isOnHold, !hasTimedOut else { return }
        if now >= (lastAuthentic ?? start).advanced(by: timeout) {
            hasTimedOut = true
            pendingEvents.insert(.timedOut)
        }
    }

    /// Says goodbye (RFC 3550 §6.6).
    ///
    /// Nothing is sent after that.
    package mutating func leave(at now: MonotonicInstant) {
        guard !hasLeft else { return }
        sendGoodbye(at: now)
        hasLeft = true
    }

    /// What happened since the last call.
    package mutating func takeEvents() -> MediaEvents {
        let events = pendingEvents
        pendingEvents = []
        return events
    }

    /// Moves the next datagram to send to `memory`.
    ///
    /// - Parameter memory: Room for ``maximumDatagramLength``.
    /// - Returns: Its length, or `nil` if there's none to send, or nowhere to send it yet.
    package mutating func takeDatagram(into memory: inout MutableSpan<UInt8>) -> Int? {
        guard remoteAddress != nil else {
            outgoing.removeAll()
            return nil
        }
        return outgoing.take(into: &memory)
    }

    /// As ``takeDatagram(into:)``, of the reports that go to ``remoteRTCPAddress``, from the RTCP port.
    package mutating func takeReport(into memory: inout MutableSpan<UInt8>) -> Int? {
        outgoingReports.take(into: &memory)
    }
}

extension MediaParameters {
    fileprivate func makeEncoder() throws(MediaSessionError) -> AudioEncoder {
        do throws(CodecError) { return try AudioEncoder(sending.format, opus: opus) } catch {
            throw .codec(error)
        }
    }

    fileprivate func makeDecoders() throws(MediaSessionError) -> DecoderBank {
        do throws(CodecError) { return try DecoderBank(receiving.map(\.format)) } catch {
            throw .codec(error)
        }
    }
}

extension MediaParameters.Security {
    fileprivate func makeContext(_ direction: SRTPContext.Direction) throws(MediaSessionError) -> SRTPContext
    {
        let key = direction == .outbound ? localKeyAndSalt : remoteKeyAndSalt
        do throws(SRTPError) {
            return try SRTPContext(suite: suite, keyAndSalt: key.span, direction: direction)
        } catch { throw .encryption(error) }
    }
}

/// The source that is heard.
struct RemoteSource: BitwiseCopyable {
    var ssrc: SSRC
    var statistics: ReceptionStatistics
    var playing = PlayingRecord()
}

/// What the payload types stand for: all 128 of them, looked up without a branch worth a test.
struct PayloadTable: BitwiseCopyable, Sendable {
    private var formats = InlineArray<128, AudioFormat?>(repeating: nil)

    init(_ payloads: [MediaParameters.Payload]) {
        for payload in payloads where payload.type.rawValue < 128 {
            formats[Int(payload.type.rawValue)] = payload.format
        }
    }

    subscript(type: PayloadType) -> AudioFormat? { formats[Int(type.rawValue & 0x7F)] }
}
