import AudioCodecs
import MediaSession
import MediaTime
import RTP

/// Payloads of a call that a session sent in the clear.
enum Recording {
    /// 10 ms of a sawtooth.
    static let frame = (0..<MediaSession.frameSamples).map { Int16($0 % 96 * 200 - 9_600) }
    /// 10 ms of a room where nobody speaks.
    static let pause = (0..<MediaSession.frameSamples).map { Int16($0 % 7 * 11 - 33) }

    static func opusPayloads() -> [[UInt8]] {
        let opus = FuzzedCall.payloads[0]
        var parameters = MediaParameters(sending: opus, receiving: [opus], canonicalName: "recorded")
        parameters.remoteAddress = TransportAddress(address: 0x7F00_0001, port: 4_000)
        var random = SplitMix64(seed: 2)
        var now = MonotonicInstant(nanoseconds: 0)
        guard var session = try? MediaSession(parameters, at: now, wallClock: 0, random: &random) else {
            preconditionFailure("the parameters can be met")
        }
        var memory = [UInt8](repeating: 0, count: MediaSession.maximumDatagramLength)
        var payloads: [[UInt8]] = []
        while payloads.count < 16 {
            session.capture(frame.span, at: now)
            now = now.advanced(by: .milliseconds(10))
            var span = memory.mutableSpan
            guard let length = session.takeDatagram(into: &span) else { continue }
            payloads.append(Array(memory[RTPHeader.length..<length]))
        }
        return payloads
    }
}
