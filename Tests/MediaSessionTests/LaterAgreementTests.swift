import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

private let tone = (0..<480).map { Int16(($0 % 48) * 600 - 14_100) }

private func isLoud(_ samples: ArraySlice<Int16>) -> Bool {
    stride(from: samples.startIndex, to: samples.endIndex - 959, by: 960).allSatisfy { start in
        samples[start..<(start + 960)].contains { abs(Int($0)) > 2_000 }
    }
}

@Suite("What a later offer and answer change in a call")
struct LaterAgreementTests {
    private static func payload(_ type: UInt8, _ format: AudioFormat) -> MediaParameters.Payload {
        .init(type: PayloadType(rawValue: type), format: format)
    }

    private static func pair(_ format: AudioFormat = .opus) throws -> MediaPair {
        try MediaPair(
            format,
            links: [
                SimulatedLink(seed: 1, delay: .milliseconds(40)),
                SimulatedLink(seed: 2, delay: .milliseconds(40)),
            ])
    }

    // SDP-15, SDP-14
    @Test func numbersChangeInMidCallAndPacketsOnTheirWayAreStillHeard() throws {
        var pair = try Self.pair()
        pair.run(for: .seconds(2)) { _, _ in tone }
        // Under way at this moment: two packets as 111.
        try pair.agreeAnew { parameters, _ in
            parameters.sending = Self.payload(96, .opus)
            parameters.receiving = [Self.payload(96, .opus)]
        }
        pair.run(for: .seconds(2)) { _, _ in tone }
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.drops[.unknownPayloadType] == 0)
        #expect(statistics.packetsLost == 0)
        #expect(statistics.jitterBuffer.ticksConcealed == 0)
        #expect(isLoud(pair.heardByRight.suffix(3 * 48_000)))
    }

    // RTP-16
    @Test(
        arguments: [
            (.opus, .pcmu), (.pcmu, .pcma), (.pcma, .opus), (.pcmu, .g722), (.g722, .opus),
        ] as [(AudioFormat, AudioFormat)])
    func theCodecChangesInMidCallAndTheStreamGoesOn(from: AudioFormat, to: AudioFormat) throws {
        var pair = try Self.pair(from)
        pair.keepsDatagrams = true
        pair.run(for: .seconds(2)) { _, _ in tone }
        let before = pair.sent.last { $0[1] & 0x7F < 64 || $0[1] & 0x7F > 95 }
        let type = MediaPair.payloadType(of: to)
        try pair.agreeAnew { parameters, _ in
            parameters.sending = Self.payload(type, to)
            parameters.receiving = [Self.payload(type, to)]
        }
        let sent = pair.sent.count
        pair.run(for: .seconds(2)) { _, _ in tone }
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.receivedFormat == to)
        #expect(statistics.drops[.unknownPayloadType] == 0)
        #expect(statistics.packetsLost == 0)
        #expect(isLoud(pair.heardByRight.suffix(48_000)))
        // The same source, the next number, and a marker where the sound begins anew.
        let last = try #require(before)
        let first = try #require(pair.sent[sent...].first { $0[1] & 0x7F == type })
        #expect(Array(first[8..<12]) == Array(last[8..<12]))
        #expect(UInt16(first[2]) << 8 | UInt16(first[3]) == (UInt16(last[2]) << 8 | UInt16(last[3])) &+ 1)
        #expect(first[1] & 0x80 != 0)
    }

    @Test(arguments: [(20, 60), (60, 20), (60, 10), (40, 20), (10, 40)])
    func packetsBecomeLongerOrShorterWithNoSampleLost(from: Int, to: Int) throws {
        var pair = try MediaPair(
            .pcmu,
            links: [SimulatedLink(seed: 1, delay: .milliseconds(20)), SimulatedLink(seed: 2, delay: .zero)]
        ) { parameters, _ in parameters.packetMilliseconds = from }
        // Ends in the middle of the longer packets.
        pair.run(for: .milliseconds(1_050)) { _, _ in tone }
        try pair.agreeAnew { parameters, _ in parameters.packetMilliseconds = to }
        pair.run(for: .milliseconds(1_950)) { _, _ in tone }
        let statistics = pair.right.statistics(at: pair.now)
        let octets = pair.left.statistics(at: pair.now).octetsSent
        #expect(octets > 8 * (3_000 - 60) && octets <= 8 * 3_000)
        #expect(statistics.packetsLost == 0)
        #expect(statistics.jitterBuffer.restarts == 0)
        #expect(statistics.jitterBuffer.ticksConcealed <= 8 * 60)
        #expect(isLoud(pair.heardByRight.suffix(48_000)))
    }

    @Test func theAddressIsFollowedAndOneThatWasLearntIsKeptIfSignallingRepeatsItself() throws {
        var pair = try Self.pair()
        pair.run(for: .seconds(1)) { _, _ in tone }
        #expect(pair.left.remoteAddress == MediaPair.addresses[1])
        let moved = TransportAddress(address: 0x7F00_0001, port: 7_000)
        try pair.agreeAnew { parameters, side in
            if side == 0 { parameters.remoteAddress = moved }
        }
        #expect(pair.left.remoteAddress == moved)
        // The next authentic packet tells better.
        pair.run(for: .milliseconds(100)) { _, _ in tone }
        #expect(pair.left.remoteAddress == MediaPair.addresses[1])
        try pair.agreeAnew { _, _ in }
        #expect(pair.left.remoteAddress == MediaPair.addresses[1])
    }

    // SDP-18
    @Test func aStreamHeldByNoAddressFlowsAgainAtTheSameAddress() throws {
        var pair = try MediaPair(
            .pcmu, suite: nil,
            links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)])
        pair.run(for: .seconds(1)) { _, _ in tone }
        let real = pair.left.remoteAddress
        try pair.agreeAnew { parameters, side in
            guard side == 0 else { return }
            parameters.remoteAddress = nil
            parameters.sendsAudio = false
        }
        let before = pair.right.statistics(at: pair.now).packetsReceived
        pair.run(for: .seconds(2)) { _, _ in tone }
        #expect(pair.right.statistics(at: pair.now).packetsReceived - before <= 1)
        try pair.agreeAnew { parameters, side in
            guard side == 0 else { return }
            parameters.remoteAddress = real
            parameters.sendsAudio = true
        }
        pair.run(for: .seconds(2)) { _, _ in tone }
        #expect(pair.left.remoteAddress == real)
        #expect(pair.right.statistics(at: pair.now).packetsReceived - before >= 99)
        #expect(isLoud(pair.heardByRight.suffix(48_000)))
    }

    // SRTP-07: a key that stays, a key that changes with the other side's, and none is lost on the way
    @Test(arguments: [CryptoSuite.aeadAES256GCM, .aes128HMACSHA1_80])
    func keysChangeInMidCallAndNoPacketIsLost(suite: CryptoSuite) throws {
        var pair = try MediaPair(
            .opus, suite: suite,
            links: [
                SimulatedLink(seed: 1, delay: .milliseconds(40), jitter: .milliseconds(30)),
                SimulatedLink(seed: 2, delay: .milliseconds(40)),
            ])
        pair.run(for: .seconds(2)) { _, _ in tone }
        for round in UInt8(1)...4 {
            try pair.agreeAnew { parameters, side in
                let keys = (0..<2).map { side in
                    SRTPKey(
                        suite: suite,
                        keyAndSalt: (0..<suite.keyAndSaltLength).map {
                            UInt8(truncatingIfNeeded: $0 * 5 + side * 77) ^ (round / 2 * 16)
                        })
                }
                parameters.security = .init(local: keys[side], remote: keys[1 - side])
            }
            pair.run(for: .seconds(2)) { _, _ in tone }
        }
        for statistics in [pair.left.statistics(at: pair.now), pair.right.statistics(at: pair.now)] {
            #expect(statistics.packetsLost <= 0)
            #expect(statistics.drops[.authentication] == 0)
            #expect(statistics.drops[.wrongKey] == 0)
            #expect(statistics.packetsReceived >= 495)
        }
        #expect(isLoud(pair.heardByRight.suffix(4 * 48_000)))
    }

    // HOLD-14
    @Test func oneStreamGoesOutThroughHoldsAndItIsSilentInThem() throws {
        var pair = try MediaPair(
            .pcmu, suite: nil,
            links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)])
        pair.keepsDatagrams = true
        for isOnHold in [true, false, true, false] {
            pair.left.setOnHold(isOnHold, at: pair.now)
            pair.run(for: .seconds(1)) { _, _ in tone }
        }
        let packets = pair.sent.filter { $0.count > 12 && !(192...223).contains($0[1]) }
        #expect(packets.count == 200)
        #expect(Set(packets.map { Array($0[8..<12]) }).count == 1)
        for index in packets.indices.dropFirst() {
            let step = zip(packets[index - 1][4..<8], packets[index][4..<8]).reduce(0) {
                $0 << 8 + Int($1.1) - Int($1.0)
            }
            #expect(step & 0xFFFF_FFFF == 160)
        }
        for index in 101..<149 { #expect(packets[index][12...].allSatisfy { $0 == 0xFF || $0 == 0x7F }) }
    }
}
