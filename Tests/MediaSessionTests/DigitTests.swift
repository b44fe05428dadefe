import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

private let buzz = (0..<480).map { Int16($0 % 240 * 80 - 9_600) }

private func digits(_ text: String) -> [DigitToSend] {
    text.map { character in DTMFDigit(character).map { .digit($0) } ?? .pause }
}

extension MediaPair {
    /// The digits that the right side was told of since the last look.
    fileprivate mutating func takeDigits() -> [ReceivedDigit] {
        var found: [ReceivedDigit] = []
        while let digit = right.takeDigit() { found.append(digit) }
        return found
    }

    fileprivate mutating func send(_ text: String) {
        for digit in digits(text) {
            let isTaken = left.send(digit)
            #expect(isTaken)
        }
    }
}

private func text(_ digits: [ReceivedDigit]) -> String {
    String(
        digits.compactMap { digit -> Character? in
            guard case .ended(let digit, _) = digit else { return nil }
            return digit.character
        })
}

private func began(_ digits: [ReceivedDigit]) -> Int {
    digits.count { if case .began = $0 { true } else { false } }
}

@Suite("Digits in a call, RFC 4733")
struct DigitTests {
    private static func pair(
        _ format: AudioFormat, clockRate: Int?, suite: Bool = true, seed: UInt64 = 1,
        links: [SimulatedLink] = [
            SimulatedLink(seed: 1, delay: .milliseconds(20)),
            SimulatedLink(seed: 2, delay: .milliseconds(20)),
        ]
    ) throws -> MediaPair {
        try MediaPair(format, suite: suite ? .aeadAES128GCM : nil, links: links, seed: seed) {
            parameters, _ in
            guard let clockRate else { return }
            let payload = MediaParameters.EventPayload(type: PayloadType(rawValue: 101), clockRate: clockRate)
            parameters.sendingEvents = payload
            parameters.receivingEvents = [payload]
        }
    }

    // SDP-16: also on another clock than the audio's
    @Test(
        arguments: [
            (.opus, 48_000), (.opus, 8_000), (.opus, 16_000), (.pcmu, 8_000), (.pcma, 8_000), (.pcmu, 48_000),
        ] as [(AudioFormat, Int)])
    func eachDigitArrivesOnceWithItsLength(format: AudioFormat, clockRate: Int) throws {
        var pair = try Self.pair(format, clockRate: clockRate)
        pair.run(for: .seconds(1)) { _, _ in buzz }
        pair.send("0159*#ADw77")
        pair.run(for: .seconds(6)) { _, _ in buzz }
        let found = pair.takeDigits()
        #expect(text(found) == "0159*#AD77")
        #expect(began(found) == 10)
        for case .ended(_, let milliseconds) in found { #expect(milliseconds == 160) }
        let isSending = pair.left.isSendingDigits
        #expect(!isSending)
    }

    @Test(arguments: 1...8)
    func digitsSurviveLossAndJitter(seed: UInt64) throws {
        let link = SimulatedLink(
            seed: seed, delay: .milliseconds(40), jitter: .milliseconds(50), lossPercentage: 10)
        var pair = try Self.pair(
            .opus, clockRate: 48_000, seed: seed, links: [link, SimulatedLink(seed: seed, delay: .zero)])
        pair.run(for: .seconds(1)) { _, _ in buzz }
        pair.send("112233445566778899")
        var found: [ReceivedDigit] = []
        for _ in 0..<8 {
            pair.run(for: .seconds(1)) { _, _ in buzz }
            found += pair.takeDigits()
        }
        #expect(text(found) == "112233445566778899")
    }

    @Test func speechIsNotHeardWhileDigitsAreSentAndComesBackAfterThem() throws {
        var pair = try Self.pair(.pcmu, clockRate: 8_000)
        pair.run(for: .seconds(1)) { _, _ in buzz }
        pair.send("123")
        pair.run(for: .seconds(2)) { _, _ in buzz }
        // Three digits take 780 ms; the path and the buffer some tens more.
        let during = pair.heardByRight[(1_150 * 48)..<(1_750 * 48)]
        #expect(during.allSatisfy { abs(Int($0)) < 300 })
        let after = pair.heardByRight.suffix(48_000 / 2)
        #expect(after.contains { $0 > 6_000 })
        // What stands still in an event's timestamps is no jitter, and nothing was missing.
        let statistics = pair.right.statistics(at: pair.now)
        #expect((statistics.jitterMilliseconds ?? 100) < 3)
        #expect(statistics.packetsLost == 0)
        #expect(statistics.jitterBuffer.ticksConcealed < 8_000 / 10)
        #expect(statistics.jitterBuffer.restarts == 0)
    }

    // DT-14
    @Test func noDigitGoesOutBeforeTheCallHasSettledAndEachIsLongEnough() throws {
        var pair = try Self.pair(.pcmu, clockRate: 8_000, suite: false)
        pair.keepsDatagrams = true
        pair.send("12")
        pair.run(for: .seconds(2)) { _, _ in buzz }
        let packets = pair.sent.filter { $0.count > 2 && $0[1] < 192 }
        let events = packets.indices.filter { packets[$0][1] & 0x7F == 101 }
        let first = try #require(events.first)
        #expect(first >= 250 / 20)
        // 160 ms of tone and at least 100 ms of pause, in packets of 20 ms.
        let second = try #require(events.first { packets[$0][12] == 2 })
        #expect(second - first >= 260 / 20)
        // One method at a time: what is not an event is silence until the digits are over.
        let last = try #require(events.last)
        for index in first...last where !events.contains(index) {
            #expect(packets[index][12...].allSatisfy { $0 & 0x7F >= 0x78 })
        }
    }

    @Test(arguments: [AudioFormat.g722, .pcmu, .pcma])
    func withoutEventsDigitsSoundInG711AndAreHeardThere(format: AudioFormat) throws {
        var pair = try Self.pair(format, clockRate: nil)
        pair.keepsDatagrams = true
        pair.run(for: .seconds(1)) { _, _ in buzz }
        pair.send("0123456789*#ABCD")
        pair.run(for: .seconds(6)) { _, _ in buzz }
        #expect(text(pair.takeDigits()) == "0123456789*#ABCD")
    }

    @Test func withoutEventsOpusSendsNone() throws {
        var pair = try Self.pair(.opus, clockRate: nil)
        let isTaken = pair.left.send(.digit(.one))
        #expect(!isTaken)
    }

    @Test func digitsThatNobodyTakesAndDigitsThatCannotWaitAreLimited() throws {
        var pair = try Self.pair(.pcmu, clockRate: 8_000)
        var taken = 0
        for _ in 0..<1_000 where pair.left.send(.digit(.five)) { taken += 1 }
        #expect(taken == 64)
        pair.run(for: .seconds(20)) { _, _ in buzz }
        let found = pair.takeDigits()
        #expect(found.count == 32)
    }

    @Test func eventsBesideAudioThatGoesOnAreFoundOnce() throws {
        var listener = try Listener {
            $0.receivingEvents = [.init(type: PayloadType(rawValue: 101), clockRate: 8_000)]
        }
        listener.run(0..<50, timestamp: { $0 * 160 })
        var number = 50
        for step in 0..<8 {
            listener.take(number, timestamp: 8_000 + step * 160)
            let duration = (step + 1) * 160
            let isEnd: UInt8 = step == 7 ? 0x80 : 0
            listener.take(
                number + 1, timestamp: 8_000, type: 101, marker: step == 0,
                payload: [5, isEnd | 10, UInt8(duration >> 8), UInt8(duration & 0xFF)])
            number += 2
            listener.play(20)
        }
        var found: [ReceivedDigit] = []
        while let digit = listener.session.takeDigit() { found.append(digit) }
        #expect(found == [.began(.five), .ended(.five, milliseconds: 160)])
        #expect(listener.statistics.jitterBuffer.ticksConcealed == 0)
    }

    // DT-01
    @Test func aDigitWhoseEndsAreLostEndsByItself() throws {
        var listener = try Listener {
            $0.receivingEvents = [.init(type: PayloadType(rawValue: 101), clockRate: 8_000)]
        }
        listener.run(0..<10, timestamp: { $0 * 160 })
        listener.take(10, timestamp: 1_600, type: 101, marker: true, payload: [5, 10, 0, 160])
        listener.wait(400)
        var found: [ReceivedDigit] = []
        while let digit = listener.session.takeDigit() { found.append(digit) }
        #expect(found == [.began(.five), .ended(.five, milliseconds: 20)])
    }
}
