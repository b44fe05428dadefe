import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import TestSupport
import Testing

@Suite("Cases: streams that jump, repeat and stop")
struct StreamCaseTests {
    // RTP-12, of the same source and of a new one
    @Test(arguments: [UInt32(7), 8])
    func aSequenceThatJumpsFarBackIsHeardFromItsSecondPacketOn(ssrc: UInt32) throws {
        var listener = try Listener()
        listener.run(21_284..<21_295, timestamp: { $0 * 160 })
        listener.run(12_676..<12_701, timestamp: { 500_000 + $0 * 160 }, ssrc: ssrc)
        let isLoud = listener.isLoud(last: 400)
        #expect(isLoud)
        #expect(listener.statistics.packetsReceived >= 23)
    }

    // RTP-13
    @Test(arguments: [(1_500, 240_000), (1, 320_000), (3_000, 160)])
    func aStreamThatJumpsFarAheadIsHeardAgainAtOnce(sequenceJump: Int, timestampJump: Int) throws {
        var listener = try Listener()
        listener.run(100..<150, timestamp: { $0 * 160 })
        let first = 149 + sequenceJump
        listener.run(
            first..<(first + 50), timestamp: { 149 * 160 + timestampJump + ($0 - first) * 160 })
        let isLoud = listener.isLoud(last: 800)
        #expect(isLoud)
        #expect(listener.statistics.jitterBuffer.restarts == 1)
        #expect(listener.statistics.jitterBuffer.ticksConcealed < 8_000 / 5)
    }

    // RTP-18
    @Test func everyFirstOctetIsSortedAndNoneTraps() throws {
        var listener = try Listener()
        listener.run(0..<10, timestamp: { $0 * 160 })
        let before = listener.statistics
        for octet in UInt8.min...UInt8.max {
            for length in 0...3 {
                var datagram = [UInt8](repeating: octet, count: length)
                var span = datagram.mutableSpan
                listener.session.receive(&span, from: Listener.sender, at: listener.now)
            }
        }
        let after = listener.statistics
        #expect(after.packetsReceived == before.packetsReceived)
        let dropped = DatagramDropReason.allCases.reduce(0) { $0 + after.drops[$1] - before.drops[$1] }
        #expect(dropped == 256 * 4)
    }

    // RTP-20
    @Test func packetsOfOddSizesPlayAllTheirOctets() throws {
        var listener = try Listener()
        var timestamp = 0
        let sizes = [160, 80, 240, 320, 33, 160, 160, 480, 160, 160, 160, 160]
        for (number, size) in sizes.enumerated() {
            let payload = (0..<size).map { ($0 + timestamp) % 8 < 4 ? UInt8(0x90) : 0x10 }
            listener.take(number, timestamp: timestamp, payload: payload)
            timestamp += size
            // As its sender would: the next one when this one is over.
            while listener.now.nanoseconds < Int64(timestamp) * 125_000 - 9_999_999 { listener.play(10) }
        }
        listener.play(400)
        let played = listener.statistics.jitterBuffer.ticksPlayed
        #expect(played == Int64(sizes.reduce(0, +)))
    }

    // RTP-16
    @Test func packetsOfTheOldCodecAfterAChangeAreHeardOrDroppedAndTheCallGoesOn() throws {
        var listener = try Listener(receiving: [(8, .pcma), (0, .pcmu)])
        listener.run(0..<50, timestamp: { $0 * 160 }, type: 0)
        listener.run(50..<100, timestamp: { $0 * 160 }, type: 8)
        for number in 100..<105 { listener.take(number, timestamp: number * 160, type: 0) }
        listener.run(105..<130, timestamp: { $0 * 160 }, type: 8)
        let isLoud = listener.isLoud(last: 300)
        #expect(isLoud)
    }

    // JIT-01
    @Test(arguments: [true, false])
    func aSenderWhoseClockStandsStillInPausesAddsNoDelay(marker: Bool) throws {
        var listener = try Listener()
        var number = 0
        for _ in 0..<20 {
            for step in 0..<50 {
                listener.take(number, timestamp: number * 160, marker: marker && step == 0)
                listener.play(20)
                number += 1
            }
            listener.play(2_000)
        }
        let first = try #require(listener.statistics.meanBufferDelay)
        #expect(first < .milliseconds(80))
    }

    // JIT-02
    @Test(arguments: [800_000, -800_000])
    func aTimestampThatJumpsAfterAParkedSecondIsFollowedWithinHalfASecond(jump: Int) throws {
        var listener = try Listener()
        listener.run(1_000..<1_100, timestamp: { 10_000_000 + $0 * 160 })
        listener.play(1_000)
        listener.run(1_100..<1_150, timestamp: { 10_000_000 + $0 * 160 + jump })
        let isLoud = listener.isLoud(last: 500)
        #expect(isLoud)
        let delay = try #require(listener.statistics.bufferDelay)
        #expect(delay < .milliseconds(60))
        // RTCP-04: the jump is no jitter.
        #expect((listener.statistics.jitterMilliseconds ?? 0) < 20)
    }

    // JIT-03
    @Test func whatWaitedBeforeAHoldIsNotPlayedAfterIt() throws {
        var listener = try Listener()
        listener.run(0..<50, timestamp: { $0 * 160 })
        for number in 50..<60 { listener.take(number, timestamp: number * 160) }
        listener.session.setOnHold(true, at: listener.now)
        listener.play(10_000)
        listener.session.setOnHold(false, at: listener.now)
        listener.play(100)
        let heard = listener.heard
        #expect(heard.suffix(100 * 48).allSatisfy { $0 == 0 })
        listener.run(560..<600, timestamp: { $0 * 160 })
        let isLoud = listener.isLoud(last: 400)
        #expect(isLoud)
    }

    // JIT-06
    @Test func oneLossMakesOneConcealmentAndNoWait() throws {
        var listener = try Listener()
        for number in 1..<50 {
            if number != 20 { listener.take(number, timestamp: number * 160) }
            listener.play(20)
        }
        let statistics = listener.statistics
        #expect(statistics.jitterBuffer.packetsLost == 1)
        #expect(statistics.jitterBuffer.ticksConcealed + statistics.jitterBuffer.ticksRecovered == 160)
        #expect((statistics.bufferDelay ?? .seconds(9)) < .milliseconds(60))
        // Also the ear hears no gap: the pitch goes on.
        let isLoud = listener.isLoud(last: 800)
        #expect(isLoud)
    }

    // RTCP-10
    @Test func lossOfTheFirstMinuteIsNoLossOfNow() throws {
        var listener = try Listener()
        for number in 0..<3_000 {
            if number % 30 != 29 { listener.take(number, timestamp: number * 160) }
            listener.play(20)
        }
        listener.run(3_000..<6_000, timestamp: { $0 * 160 })
        let statistics = listener.statistics
        #expect(statistics.packetsLost == 100)
        #expect(statistics.jitterBuffer.packetsLost == 100)
    }
}

@Suite("Cases: what we send")
struct SendingCaseTests {
    private static let tone = (0..<480).map { Int16(($0 % 48) * 600 - 14_100) }

    // SRTP-10, HOLD-09
    @Test func overThreeHoldsTheIndexGrowsAndNoNumberIsUsedTwice() throws {
        var pair = try MediaPair(
            .pcmu, links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)])
        pair.keepsDatagrams = true
        for _ in 0..<3 {
            pair.run(for: .seconds(1)) { _, _ in Self.tone }
            pair.left.setOnHold(true, at: pair.now)
            pair.run(for: .seconds(1)) { _, _ in Self.tone }
            pair.left.setMuted(true)
            pair.left.setOnHold(false, at: pair.now)
            pair.run(for: .seconds(1)) { _, _ in Self.tone }
            pair.left.setMuted(false)
        }
        var numbers: [UInt16] = []
        var sources: Set<UInt32> = []
        var timestamps: [UInt32] = []
        for datagram in pair.sent where DatagramKind(of: datagram.span) == .rtp {
            let header = try RTPPacket(parsing: datagram.span).header
            numbers.append(header.sequenceNumber.rawValue)
            timestamps.append(header.timestamp)
            sources.insert(header.ssrc.rawValue)
        }
        #expect(sources.count == 1)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 &- $0 == 1 })
        #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $1 &- $0 == 160 })
        #expect(numbers.count == 450)
    }

    // HOLD-11
    @Test func mutingInMidFrameLeavesNoToneInAnyLaterPacket() throws {
        var pair = try MediaPair(
            .pcmu, suite: nil,
            links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)])
        pair.keepsDatagrams = true
        // Half a packet in: one of its two frames is captured.
        pair.run(for: .milliseconds(1_010)) { _, _ in Self.tone }
        let before = pair.sent.count
        pair.left.setMuted(true)
        pair.run(for: .seconds(1)) { _, _ in Self.tone }
        // The packet under way may hold the tone and the fade; the resampler's tail ends within the next.
        for datagram in pair.sent.dropFirst(before + 2) where DatagramKind(of: datagram.span) == .rtp {
            #expect(datagram.dropFirst(12).allSatisfy { abs(Int(G711Law.mu.decode($0))) <= 16 })
        }
    }

    // CODEC-02
    @Test(arguments: [20, 40, 60])
    func aLostPacketIsMadeUpForExactlyItsLength(milliseconds: Int) throws {
        var pair = try MediaPair(
            .opus, links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)]
        ) { parameters, _ in parameters.packetMilliseconds = milliseconds }
        pair.run(for: .milliseconds(1_200)) { _, _ in Self.tone }
        let kept = pair.links[0]
        pair.links[0] = SimulatedLink(seed: 1, delay: .zero, lossPercentage: 100)
        pair.run(for: .milliseconds(milliseconds)) { _, _ in Self.tone }
        pair.links[0] = kept
        pair.run(for: .milliseconds(1_200)) { _, _ in Self.tone }
        let buffer = pair.right.statistics(at: pair.now).jitterBuffer
        #expect(buffer.packetsLost == 1)
        #expect(buffer.ticksConcealed + buffer.ticksRecovered == Int64(milliseconds * 48))
    }
}
