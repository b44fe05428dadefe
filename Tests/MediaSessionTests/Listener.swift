import AudioCodecs
import MediaSession
import MediaTime
import RTP
import TestSupport

/// A session that receives plain G.711 from a scripted sender, in virtual time.
struct Listener: ~Copyable {
    static let sender = TransportAddress(address: 0x7F00_0001, port: 6_000)

    var session: MediaSession
    private(set) var heard: [Int16] = []
    private(set) var now = MonotonicInstant(nanoseconds: 0)

    init(
        receiving formats: [(UInt8, AudioFormat)] = [(0, .pcmu)],
        adjust: (inout MediaParameters) -> Void = { _ in }
    ) throws {
        let payloads = formats.map {
            MediaParameters.Payload(type: PayloadType(rawValue: $0.0), format: $0.1)
        }
        var parameters = MediaParameters(sending: payloads[0], receiving: payloads, canonicalName: "listener")
        parameters.remoteAddress = Self.sender
        adjust(&parameters)
        var random = SplitMix64(seed: 1)
        session = try MediaSession(parameters, at: now, wallClock: 0, random: &random)
    }

    /// Takes a packet now.
    ///
    /// The payload is a loud tone of 1 kHz unless it is given.
    mutating func take(
        _ number: Int, timestamp: Int, ssrc: UInt32 = 7, type: UInt8 = 0, marker: Bool = false,
        payload: [UInt8] = Self.tone, from address: TransportAddress = Self.sender
    ) {
        let header = RTPHeader(
            marker: marker, payloadType: PayloadType(rawValue: type),
            sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: number)),
            timestamp: UInt32(truncatingIfNeeded: timestamp), ssrc: SSRC(rawValue: ssrc))
        var datagram = [UInt8](capacity: RTPHeader.length + payload.count) { output in
            header.serialize(into: &output)
            for octet in payload { output.append(octet) }
        }
        var span = datagram.mutableSpan
        session.receive(&span, from: address, at: now)
    }

    static let tone: [UInt8] = (0..<160).map { $0 % 8 < 4 ? 0x90 : 0x10 }

    /// Takes a datagram as it is.
    mutating func take(_ octets: [UInt8], from address: TransportAddress = Self.sender) {
        var datagram = octets
        var span = datagram.mutableSpan
        session.receive(&span, from: address, at: now)
    }

    /// Lets time pass with nothing coming, and what is due happen.
    mutating func wait(_ milliseconds: Int) {
        for _ in 0..<(milliseconds / 10) {
            play(10)
            if now >= session.deadline { session.handleDeadline(at: now) }
        }
    }

    /// Plays for `milliseconds`, a multiple of 10.
    mutating func play(_ milliseconds: Int) {
        for _ in 0..<(milliseconds / 10) {
            var frame = [Int16](repeating: 0, count: MediaSession.frameSamples)
            var samples = frame.mutableSpan
            session.playOut(&samples, at: now)
            heard += frame
            now = now.advanced(by: .milliseconds(10))
        }
    }

    /// Takes and plays packets 20 ms apart.
    mutating func run(_ packets: Range<Int>, timestamp: (Int) -> Int, ssrc: UInt32 = 7, type: UInt8 = 0) {
        for number in packets {
            take(number, timestamp: timestamp(number), ssrc: ssrc, type: type)
            play(20)
        }
    }

    var statistics: MediaStatistics { session.statistics(at: now) }

    /// Whether the last `milliseconds` were loud throughout, looked at in steps of 20 ms.
    func isLoud(last milliseconds: Int) -> Bool {
        let samples = Array(heard.suffix(milliseconds * 48))
        return stride(from: 0, to: samples.count - 959, by: 960).allSatisfy { start in
            samples[start..<(start + 960)].contains { abs(Int($0)) > 2_000 }
        }
    }
}
