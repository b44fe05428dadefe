import AudioCodecs
import FuzzSupport
import MediaSession
import MediaTime
import RTP
import SRTP

/// A session, and in place of the other side whatever an input says, in virtual time.
struct FuzzedCall: ~Copyable {
    static let payloads = [(111, AudioFormat.opus), (0, .pcmu), (8, .pcma), (9, .g722)].map {
        MediaParameters.Payload(type: PayloadType(rawValue: $0.0), format: $0.1)
    }
    private static let peer = TransportAddress(address: 0x7F00_0001, port: 4_000)
    private static let reportPeer = TransportAddress(address: 0x7F00_0001, port: 4_001)
    private static let stranger = TransportAddress(address: 0x0A00_0001, port: 9)
    /// What an encoder made, for inputs to begin from.
    private static let recorded = Recording.opusPayloads()

    private var session: MediaSession
    private var parameters: MediaParameters
    /// The other side's, so that what an input says gets past the check of the tag.
    private var sender: SRTPContext?
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var header = RTPHeader(
        payloadType: PayloadType(rawValue: 111), sequenceNumber: SequenceNumber(rawValue: 65_530),
        timestamp: 0xFFFF_F000, ssrc: SSRC(rawValue: 0x1234_ABCD))
    private var ownSSRC = SSRC(rawValue: 0)

    init(sending: MediaParameters.Payload, suite: CryptoSuite?, hasReportPort: Bool) throws {
        var parameters = MediaParameters(
            sending: sending, receiving: Self.payloads, canonicalName: "fuzzed")
        parameters.remoteAddress = Self.peer
        parameters.receivingEvents = [.init(type: PayloadType(rawValue: 101), clockRate: 48_000)]
        if sending.format == .opus { parameters.sendingEvents = parameters.receivingEvents[0] }
        parameters.sendingComfortNoise = Self.comfortNoise(for: sending)
        if hasReportPort {
            parameters.usesRTCPMultiplexing = false
            parameters.remoteRTCPAddress = Self.reportPeer
        }
        if let suite {
            parameters.security = Self.security(suite, local: 1, remote: 2)
        }
        self.parameters = parameters
        sender = try parameters.security.map { try SRTPContext($0.remote, direction: .outbound) }
        var random = SplitMix64(seed: 1)
        session = try MediaSession(
            parameters, at: now, wallClock: 1_700_000_000_000_000_000, random: &random)
    }

    /// What pauses are told under: Opus has a way of its own.
    private static func comfortNoise(for sending: MediaParameters.Payload) -> PayloadType? {
        sending.format == .opus ? nil : PayloadType(rawValue: 13)
    }

    private static func security(
        _ suite: CryptoSuite, local: UInt8, remote: UInt8
    ) -> MediaParameters.Security {
        func key(_ seed: UInt8) -> SRTPKey {
            let octets = (0..<suite.keyAndSaltLength).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ seed }
            return SRTPKey(suite: suite, keyAndSalt: octets)
        }
        return .init(local: key(local), remote: key(remote))
    }

    // MARK: In

    /// Octets that nobody authenticated, with SRTP; without, of the other side or of a stranger.
    mutating func receiveFromAnyone(_ octets: [UInt8], isStranger: Bool) {
        guard sender != nil || isStranger else { return receive(octets, at: now) }
        let before = session.statistics(at: now)
        receive(octets, from: Self.stranger, at: now)
        let after = session.statistics(at: now)
        precondition(before.packetsReceived == after.packetsReceived, "a stranger's packet isn't received")
        precondition(before.octetsReceived == after.octetsReceived, "… nor are its octets counted")
        let address = session.remoteAddress
        precondition(address == Self.peer, "a stranger doesn't turn the call aside")
        let dropped = DatagramDropReason.allCases.reduce(0) { $0 + after.drops[$1] - before.drops[$1] }
        precondition(dropped == 1, "what is dropped is counted once")
    }

    /// Octets of the other side's, under its key.
    mutating func receiveAuthentic(_ octets: [UInt8], early: UInt8) {
        guard let datagram = protected(octets) else { return }
        receive(datagram, at: now.advanced(by: .milliseconds(-Int(early))))
    }

    /// An audio packet that goes on where the last one ended, or nearly so.
    mutating func receiveAudio(_ input: inout FuzzInput) {
        let shape = input.octet()
        let steps = shape & 1 == 0 ? 1 : Int(Int8(bitPattern: input.octet()))
        header.sequenceNumber.rawValue &+= UInt16(truncatingIfNeeded: steps)
        header.timestamp &+= UInt32(truncatingIfNeeded: steps * 960)
        if shape & 2 != 0 { header.timestamp = input.uint32() }
        if shape & 4 != 0 { header.payloadType.rawValue = [111, 0, 8, 9, 13, 101][input.number(below: 6)] }
        if shape & 8 != 0 { header.ssrc.rawValue ^= 1 }
        header.marker = shape & 16 != 0
        var payload = Self.recorded[input.number(below: Self.recorded.count)]
        if shape & 32 != 0 { payload = input.piece() }
        if shape & 64 != 0, !payload.isEmpty { payload[input.number(below: payload.count)] ^= input.octet() }
        let packet = [UInt8](capacity: RTPHeader.length + payload.count) { output in
            header.serialize(into: &output)
            for octet in payload { output.append(octet) }
        }
        receiveAuthentic(packet, early: 0)
    }

    /// A report on what we sent.
    mutating func receiveReport(_ input: inout FuzzInput) {
        let block = ReportBlock(
            ssrc: ownSSRC, fractionLost: input.octet(), cumulativeLost: Int32(bitPattern: input.uint32()),
            extendedHighestSequenceNumber: input.uint32(), jitter: input.uint32(),
            lastSenderReport: input.uint32(), delaySinceLastSenderReport: input.uint32())
        let info = SenderInfo(
            ntpTimestamp: NTPTimestamp(rawValue: UInt64(input.uint32()) << 16), rtpTimestamp: input.uint32(),
            packetCount: input.uint32(), octetCount: input.uint32())
        let packet = [UInt8](capacity: 64) { output in
            RTCPReport.serialize(
                sender: header.ssrc, senderInfo: info, reportBlocks: [block].span, into: &output)
        }
        receiveAuthentic(packet, early: 0)
    }

    /// A telephone event, nearer to the ones before than chance would have it.
    mutating func receiveEvent(_ input: inout FuzzInput) {
        let shape = input.octet()
        var event = header
        event.payloadType.rawValue = 101
        event.marker = shape & 1 != 0
        if shape & 2 != 0 { header.timestamp &+= 960 }
        header.sequenceNumber.rawValue &+= UInt16(shape >> 4)
        event.sequenceNumber = header.sequenceNumber
        let payload = [shape & 4 != 0 ? input.octet() : 5, input.octet(), input.octet(), input.octet()]
        let packet = [UInt8](capacity: RTPHeader.length + payload.count) { output in
            event.serialize(into: &output)
            for octet in payload { output.append(octet) }
        }
        receiveAuthentic(packet, early: 0)
    }

    private mutating func receive(
        _ octets: [UInt8], from address: TransportAddress = peer, at arrival: MonotonicInstant
    ) {
        var datagram = octets
        let isReport = !parameters.usesRTCPMultiplexing && DatagramKind(of: octets.span) == .rtcp
        var span = datagram.mutableSpan
        guard isReport else { return session.receive(&span, from: address, at: arrival) }
        session.receiveReport(&span, from: address == Self.peer ? Self.reportPeer : address, at: arrival)
    }

    /// `octets` under the other side's key, or `nil` if they can't be.
    private mutating func protected(_ octets: [UInt8]) -> [UInt8]? {
        guard sender != nil else { return octets }
        var memory = octets + [UInt8](repeating: 0, count: SRTPContext.maximumExpansion)
        var length = octets.count
        var span = memory.mutableSpan
        do throws(SRTPError) {
            if DatagramKind(of: octets.span) == .rtcp {
                try sender?.protectRTCP(&span, length: &length)
            } else {
                try sender?.protectRTP(&span, length: &length)
            }
        } catch { return nil }
        return Array(memory.prefix(length))
    }

    // MARK: Out

    mutating func play(frames: Int) {
        var frame = [Int16](repeating: 0, count: MediaSession.frameSamples)
        for _ in 0..<frames {
            var span = frame.mutableSpan
            session.playOut(&span, at: now)
            pass(.milliseconds(10))
        }
    }

    mutating func capture(frames: Int, isPause: Bool) {
        for _ in 0..<frames {
            var frame = isPause ? Recording.pause : Recording.frame
            var span = frame.mutableSpan
            session.applyMute(to: &span)
            session.capture(span.span, at: now)
            pass(.milliseconds(10))
        }
    }

    mutating func wait(milliseconds: Int) {
        pass(.milliseconds(milliseconds))
    }

    mutating func control(_ choice: UInt8) {
        switch choice % 8 {
        case 0: session.setOnHold(true, at: now)
        case 1: session.setOnHold(false, at: now)
        case 2: session.setMuted(true)
        case 3: session.setMuted(false)
        case 4: observe(session.takeEvents())
        case 5: observe(session.send(DTMFDigit(eventCode: choice >> 4).map { .digit($0) } ?? .pause))
        case 6: while let digit = session.takeDigit() { observe(digit) }
        default: checkStatistics()
        }
    }

    /// What a later offer and answer may change.
    mutating func update(_ input: inout FuzzInput) {
        let shape = input.octet()
        var new = parameters
        new.sending = Self.payloads[Int(shape & 3)]
        new.sendingComfortNoise = shape & 128 != 0 ? nil : Self.comfortNoise(for: new.sending)
        new.sendsAudio = shape & 4 == 0
        new.receivesAudio = shape & 8 == 0
        new.packetMilliseconds = [10, 20, 40, 60][Int(shape >> 4) & 3]
        if let suite = new.security?.local.suite, shape & 64 != 0 {
            let seed = input.octet()
            new.security = Self.security(suite, local: seed, remote: ~seed)
        }
        do {
            var update = try MediaUpdate(from: parameters, to: new, source: session.localSource)
            session.apply(&update, at: now)
            if shape & 128 != 0, let key = new.security?.remote {
                sender = try SRTPContext(key, direction: .outbound)
            }
        } catch { preconditionFailure("the parameters can be met: \(error)") }
        parameters = new
    }

    mutating func finish() {
        checkStatistics()
        session.leave(at: now)
        sendAll()
        play(frames: 2)
    }

    private mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        if now >= session.deadline {
            session.handleDeadline(at: now)
            let next = session.deadline
            precondition(next > now, "a deadline that was met moves on")
        }
        sendAll()
    }

    private mutating func sendAll() {
        var memory = [UInt8](repeating: 0, count: MediaSession.maximumDatagramLength)
        var span = memory.mutableSpan
        while let length = session.takeDatagram(into: &span) {
            checkSent(span.span.extracting(0..<length), mayBeReport: parameters.usesRTCPMultiplexing)
        }
        while let length = session.takeReport(into: &span) {
            let kind = DatagramKind(of: span.span.extracting(0..<length))
            precondition(kind == .rtcp, "what is sent from the port of reports is RTCP")
        }
    }

    private mutating func checkSent(_ datagram: Span<UInt8>, mayBeReport: Bool) {
        let lengths = 8...MediaSession.maximumDatagramLength
        precondition(lengths.contains(datagram.count), "what is sent has a header")
        switch DatagramKind(of: datagram) {
        case .rtp: ownSSRC = Self.ssrc(in: datagram, at: 8)
        case .rtcp:
            precondition(mayBeReport, "reports have their own port")
            ownSSRC = Self.ssrc(in: datagram, at: 4)
        case .stun, .dtls, .zrtp, .turnChannel, .unknown, .empty:
            preconditionFailure("what is sent is RTP or RTCP")
        }
    }

    private static func ssrc(in datagram: Span<UInt8>, at offset: Int) -> SSRC {
        var word: UInt32 = 0
        for index in offset..<(offset + 4) { word = word << 8 | UInt32(datagram[index]) }
        return SSRC(rawValue: word)
    }

    private func checkStatistics() {
        let statistics = session.statistics(at: now)
        precondition(statistics.packetsLost <= statistics.packetsExpected, "what is lost was expected")
        if let jitter = statistics.jitterMilliseconds {
            precondition(jitter >= 0 && jitter <= 1_000, "what is above a second is no jitter")
        }
        if let roundTrip = statistics.roundTrip {
            precondition(roundTrip >= .zero && roundTrip < .seconds(60), "a round trip is below a minute")
        }
        precondition(statistics.targetDelay >= .zero, "a delay isn't negative")
        observe(statistics)
    }
}
