import AllocationCounter
import AudioCodecs
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport

private let speech = (0..<480).map { Int16($0 % 240 * 60 - 7_200) }

/// Allocations of a running session, of a 20 ms frame sent and one received.
func measureAllocations() throws -> [Figure] {
    let address = TransportAddress(address: 0x7F00_0001, port: 9)
    let payload = MediaParameters.Payload(type: PayloadType(rawValue: 111), format: .opus)
    let key = [UInt8](repeating: 9, count: CryptoSuite.aeadAES256GCM.keyAndSaltLength)
    var parameters = MediaParameters(sending: payload, receiving: [payload], canonicalName: "bench")
    parameters.remoteAddress = address
    parameters.security = .init(
        local: SRTPKey(suite: .aeadAES256GCM, keyAndSalt: key),
        remote: SRTPKey(suite: .aeadAES256GCM, keyAndSalt: key))
    var random = SplitMix64(seed: 1)
    var now = MonotonicInstant(nanoseconds: 0)
    var sender = try MediaSession(parameters, at: now, wallClock: 0, random: &random)
    var receiver = try MediaSession(parameters, at: now, wallClock: 0, random: &random)
    var heard = [Int16](repeating: 0, count: MediaSession.frameSamples)
    var datagram = [UInt8](repeating: 0, count: MediaSession.maximumDatagramLength)
    var samples = heard.mutableSpan
    var octets = datagram.mutableSpan
    let frames = 10_000
    var before: UInt64 = 0
    for frame in 0..<(frames + 200) {
        if frame == 200 { before = allocation_count() }
        sender.capture(speech.span, at: now)
        if now >= sender.deadline { sender.handleDeadline(at: now) }
        while let length = sender.takeDatagram(into: &octets) {
            var packet = octets._mutatingExtracting(0..<length)
            receiver.receive(&packet, from: address, at: now)
        }
        receiver.playOut(&samples, at: now)
        now = now.advanced(by: .milliseconds(10))
    }
    let perFrame = Double(allocation_count() - before) / Double(frames / 2)
    return [
        Figure(
            name: "media.session.allocations", value: perFrame, unit: "per 20 ms frame", limit: 0,
            remark: "one frame encoded, protected, sent, received, opened, decoded and played; over 100 s")
    ]
}

/// What a hostile packet costs a running session, which drops it.
func measureFlood() throws -> [Figure] {
    let links = (1...2).map { SimulatedLink(seed: UInt64($0), delay: .milliseconds(20)) }
    var pair = try MediaPair(.opus, suite: .aeadAES256GCM, links: links)
    pair.keepsDatagrams = true
    pair.keepsAudio = false
    pair.run(for: .seconds(10)) { _, _ in speech }
    guard let rtp = pair.sent.last(where: { DatagramKind(of: $0.span) == .rtp }),
        let rtcp = pair.sent.last(where: { DatagramKind(of: $0.span) == .rtcp })
    else { preconditionFailure("a call sends both") }
    var flood = Flood(rtp: rtp, rtcp: rtcp)
    var now = pair.now
    flood.pour(1_000, into: &pair.right, at: now)
    let before = allocation_count()
    let seconds = 10
    let clock = ContinuousClock()
    let elapsed = clock.measure {
        for _ in 0..<seconds * 100 {
            flood.pour(1_000, into: &pair.right, at: now)
            now = now.advanced(by: .milliseconds(10))
        }
    }
    let packets = Double(seconds * 100_000)
    return [
        Figure(
            name: "media.session.flood.allocations", value: Double(allocation_count() - before) / packets,
            unit: "per hostile packet", limit: 0.001,
            remark: """
                100,000 packets a second of ten kinds under SRTP: \
                \((elapsed.inMilliseconds * 1_000_000 / packets).rounded()) ns each; what is allocated is for the four \
                searches a second for a lost rollover counter
                """)
    ]
}

/// How much faster than life a two-peer call runs in virtual time.
func measureVirtualTime() throws -> [Figure] {
    let links = (1...2).map {
        SimulatedLink(
            seed: UInt64($0), delay: .milliseconds(20), jitter: .milliseconds(40), lossPercentage: 5)
    }
    var pair = try MediaPair(.pcmu, links: links)
    pair.keepsAudio = false
    let clock = ContinuousClock()
    let start = clock.now
    pair.run(for: .seconds(600)) { _, _ in speech }
    let elapsed = start.duration(to: clock.now)
    let statistics = pair.right.statistics(at: pair.now)
    return [
        Figure(
            name: "media.pair.virtual-time", value: elapsed.inMilliseconds / 600_000, unit: "of real time",
            limit: 0.01,
            remark: """
                a ten-minute call of two, PCMU, 5 % loss, 40 ms jitter: \(Int(elapsed.inMilliseconds)) ms; \
                \(statistics.packetsReceived) packets received, \(statistics.packetsLost) lost
                """)
    ]
}
