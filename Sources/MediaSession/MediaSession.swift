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
    /// Samples of the longest packet that we send: 60 ms.
    static var maximumPacketSamples: Int { 2_880 }
    /// The longest datagram that is sent or looked at, in octets.
    package static var maximumDatagramLength: Int { 1_500 }

    var ssrc: SSRC
    var sending: MediaParameters.Payload
    var receiving: PayloadTable
    var sendsAudio: Bool
    var receivesAudio: Bool
    var usesRTCP: Bool
    var packetSamples: Int
    /// Wall-clock nanoseconds since 1970 at the monotonic origin: what NTP timestamps are made from.
    let wallClockOffset: Int64
    let start: MonotonicInstant

    // Digits.
    var outgoingDigits: OutgoingDigits
    var incomingDigits: IncomingDigits

    // Comfort noise.
    var outgoingNoise: OutgoingComfortNoise?
    /// What our pauses are told under; `nil` to send them as they are.
    var noiseType: PayloadType?
    var incomingNoise: IncomingComfortNoise

    // Out.
    var encoder: AudioEncoder
    var captured: FixedBuffer<Int16>
    var adaptation: LossAdaptation
    var capturedCount = 0
    /// Since anything was sent on the port of the audio.
    var silentSamples = 0
    var nextSequenceNumber: SequenceNumber
    var nextTimestamp: UInt32
    /// Of the last packet made, and when its first sample was captured.
    var lastCapture: (timestamp: UInt32, time: MonotonicInstant)?
    var isTalkSpurtStart = true
    /// Whether the last packet made was one that needn't be sent.
    var isPausing = false
    var muteFade: MuteFade
    var holdFade: MuteFade
    var sentMeter = LevelMeter()
    var payload: FixedBuffer<UInt8>
    var packet: FixedBuffer<UInt8>
    var outgoing = DatagramQueue()
    /// Reports, where they don't go with the media.
    var outgoingReports = DatagramQueue()
    var outbound: SRTPSender?

    // In.
    var inbound: SRTPReceiver?
    var decoders: DecoderBank
    var jitterBuffer: JitterBuffer
    var playout = PlayoutQueue()
    var source: RemoteSource?
    var candidate: (ssrc: SSRC, packets: Int)?
    var receivedFormat: AudioFormat?
    var receivedMeter = LevelMeter()
    package internal(set) var remoteAddress: TransportAddress?
    var rejectedAddress: TransportAddress?
    var latch: AddressLatch
    var watchdog: MediaWatchdog
    /// Where reports go that have a port of their own; `nil` if they go with the media, or not at all.
    package internal(set) var remoteRTCPAddress: TransportAddress?
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
        let packetSamples = try parameters.checkedPacketSamples()
        let encoder = try parameters.makeEncoder()
        let decoders = try parameters.makeDecoders()
        let outgoingNoise = try parameters.makeOutgoingNoise()
        let incomingNoise = try parameters.makeIncomingNoise()
        let ssrc = SSRC(rawValue: UInt32.random(in: 1...UInt32.max, using: &random))
        let outbound = try parameters.security?.makeSender(for: ssrc)
        let inbound = try parameters.security?.makeReceiver()

        self.packetSamples = packetSamples
        self.encoder = encoder
        self.decoders = decoders
        self.outgoingNoise = outgoingNoise
        self.incomingNoise = incomingNoise
        noiseType = parameters.noiseType
        self.outbound = outbound
        self.inbound = inbound
        self.ssrc = ssrc
        // Below 2^15, so that a receiver that misses the first packets can't guess the rollover counter wrong
        // (RFC 3711 §3.3.1, RFC 4568 §6.1).
        nextSequenceNumber = SequenceNumber(rawValue: UInt16.random(in: 0..<1 << 15, using: &random))
        nextTimestamp = UInt32.random(in: 0...UInt32.max, using: &random)
        self.random = SplitMix64(seed: UInt64.random(in: 0...UInt64.max, using: &random))

        muteFade = MuteFade(isMuted: parameters.startsMuted)
        holdFade = MuteFade(isMuted: parameters.startsOnHold)
        adaptation = LossAdaptation(parameters.opus)
        sending = parameters.sending
        receiving = PayloadTable(parameters)
        outgoingDigits = OutgoingDigits(DigitSending(parameters), from: now)
        incomingDigits = IncomingDigits(listens: parameters.receivingEvents.isEmpty)
        sendsAudio = parameters.sendsAudio
        receivesAudio = parameters.receivesAudio
        usesRTCP = parameters.usesRTCP
        remoteRTCPAddress = parameters.separateRTCPAddress
        latch = AddressLatch(signalled: parameters.remoteAddress, at: now)
        watchdog = MediaWatchdog(
            timeout: parameters.timeout, isWatching: parameters.receivesAudio && !parameters.startsOnHold,
            at: now)
        remoteAddress = parameters.remoteAddress
        wallClockOffset = wallClock - now.nanoseconds
        start = now

        captured = FixedBuffer(repeating: 0, count: Self.maximumPacketSamples)
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

    /// The SSRC of what we send (RFC 3550 §8).
    package var localSource: UInt32 { ssrc.rawValue }

    // MARK: Controls

    package var isMuted: Bool { muteFade.isMuted }

    /// Fades the input out or in over 5 ms.
    package mutating func setMuted(_ isMuted: Bool) { muteFade.setMuted(isMuted) }

    package var isOnHold: Bool { holdFade.isMuted }

    /// Holds: silence goes out, so that the path stays open, and nothing is played.
    package mutating func setOnHold(_ isOnHold: Bool, at now: MonotonicInstant) {
        guard isOnHold != self.isOnHold else { return }
        holdFade.setMuted(isOnHold)
        // What waited is old when the hold ends.
        jitterBuffer.flush()
        playout.removeAll()
        watchdog.setWatching(receivesAudio && !isOnHold, at: now)
    }

    // MARK: Time

    /// When ``handleDeadline(at:)`` is due.
    package var deadline: MonotonicInstant {
        var deadline = transmission.deadline
        if let due = watchdog.deadline { deadline = min(deadline, due) }
        if let due = incomingDigits.deadline { deadline = min(deadline, due) }
        return deadline
    }

    /// Sends the report that is due, and notices when nothing comes any more.
    package mutating func handleDeadline(at now: MonotonicInstant) {
        sendDueReport(at: now)
        incomingDigits.handleDeadline(at: now)
        pendingEvents.formUnion(watchdog.handleDeadline(at: now))
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
    var usesRTCP: Bool { usesRTCPMultiplexing || remoteRTCPAddress != nil }

    /// Where reports go that don't go with the media.
    var separateRTCPAddress: TransportAddress? { usesRTCPMultiplexing ? nil : remoteRTCPAddress }

    func makeEncoder() throws(MediaSessionError) -> AudioEncoder {
        do throws(CodecError) { return try AudioEncoder(sending.format, opus: opus) } catch {
            throw .codec(error)
        }
    }

    /// What our pauses are told under, if the format needs it.
    var noiseType: PayloadType? { sending.format == .opus ? nil : sendingComfortNoise }

    func makeOutgoingNoise() throws(MediaSessionError) -> OutgoingComfortNoise? {
        guard noiseType != nil else { return nil }
        do throws(CodecError) { return try OutgoingComfortNoise() } catch { throw .codec(error) }
    }

    fileprivate func makeIncomingNoise() throws(MediaSessionError) -> IncomingComfortNoise {
        do throws(CodecError) { return try IncomingComfortNoise() } catch { throw .codec(error) }
    }

    /// An encoder for what is sent, unless that is `format`.
    func makeEncoder(unlessFor format: AudioFormat) throws(MediaSessionError) -> AudioEncoder? {
        guard sending.format != format else { return nil }
        return try makeEncoder()
    }

    /// Decoders of the formats that may come, but for those of `known`.
    func makeDecoders(except known: Set<AudioFormat> = []) throws(MediaSessionError) -> DecoderBank {
        do throws(CodecError) {
            return try DecoderBank(receiving.map(\.format).filter { !known.contains($0) })
        } catch { throw .codec(error) }
    }

    func checkedPacketSamples() throws(MediaSessionError) -> Int {
        guard [10, 20, 40, 60].contains(packetMilliseconds) else {
            throw .unsupportedPacketDuration(packetMilliseconds)
        }
        return packetMilliseconds * 48
    }
}

extension MediaParameters.Security {
    fileprivate func makeSender(for ssrc: SSRC) throws(MediaSessionError) -> SRTPSender {
        do throws(SRTPError) {
            return SRTPSender(try SRTPContext(local, direction: .outbound, sources: [ssrc.rawValue]))
        } catch { throw .encryption(error) }
    }

    fileprivate func makeReceiver() throws(MediaSessionError) -> SRTPReceiver {
        do throws(SRTPError) {
            return SRTPReceiver(try SRTPContext(remote, direction: .inbound))
        } catch { throw .encryption(error) }
    }
}

/// The source that is heard.
struct RemoteSource: BitwiseCopyable {
    var ssrc: SSRC
    var statistics: ReceptionStatistics
    /// Of the newest audio packet.
    var newestTime: (timestamp: UInt32, arrival: MonotonicInstant)?
    var playing = PlayingRecord()
}
