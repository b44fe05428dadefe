import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

private let comfortNoise = PayloadType(rawValue: 13)
private let buzz = (0..<480).map { Int16($0 % 240 * 80 - 9_600) }

/// A second of a quiet background, 100 times below the buzz.
private let background = {
    var random = SplitMix64(seed: 5)
    return (0..<48_000).map { _ in Int16.random(in: -90...90, using: &random) }
}()

private func hiss(_ frame: Int) -> [Int16] { Array(background[(frame % 100 * 480)...].prefix(480)) }

private func level(_ samples: ArraySlice<Int16>) -> Double {
    (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
}

private func packets(_ datagrams: [[UInt8]]) throws -> [RTPPacket] {
    try datagrams.filter { DatagramKind(of: $0.span) == .rtp }.map { try RTPPacket(parsing: $0.span) }
}

@Suite("Comfort noise, RFC 3389")
struct ComfortNoiseTests {
    /// A pair whose left side tells of its pauses.
    private static func pair(_ format: AudioFormat) throws -> MediaPair {
        var pair = try MediaPair(
            format, suite: nil,
            links: [
                SimulatedLink(seed: 1, delay: .milliseconds(10)),
                SimulatedLink(seed: 2, delay: .milliseconds(10)),
            ]
        ) { parameters, side in
            parameters.packetMilliseconds = 20
            if side == 0 { parameters.sendingComfortNoise = comfortNoise }
        }
        pair.keepsDatagrams = true
        return pair
    }

    /// Two seconds of talk, six of background, and talk again.
    private static func talk(_ side: Int, _ frame: Int) -> [Int16] {
        let hiss = hiss(frame)
        return 200..<800 ~= frame ? hiss : zip(buzz, hiss).map { $0 &+ $1 }
    }

    @Test(arguments: [AudioFormat.pcmu, .pcma, .g722])
    func aPauseIsFewPacketsAndSoundsAsTheBackgroundDoes(format: AudioFormat) throws {
        var pair = try Self.pair(format)
        pair.run(for: .seconds(10), audio: Self.talk)
        let sent = try packets(pair.sent)
        let noise = sent.filter { $0.header.payloadType == comfortNoise }
        #expect(noise.count >= 8 && noise.count <= 15)
        #expect(sent.count < 300)
        // What is heard from a second after the pause began to its end.
        let heard = pair.heardByRight[(48_000 * 3 + 24_000)..<(48_000 * 8)]
        let wideband = format == .g722 ? 1.5 : 1.0
        let ratio = level(heard) / level(background[...])
        // A white background to 24 kHz loses five sixths of its power in a band of 4 kHz.
        #expect(ratio * wideband > 0.25 && ratio < 0.65)
        let quietest = stride(from: heard.startIndex, to: heard.endIndex - 960, by: 960)
            .map { level(heard[$0..<($0 + 960)]) }.min()
        #expect((quietest ?? 0) > level(heard) / 2)
        #expect(level(pair.heardByRight.suffix(24_000)) > 3_000)
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.packetsLost == 0)
        #expect(statistics.jitterBuffer.ticksConcealed == 0)
        #expect(statistics.drops[.unknownPayloadType] == 0)
    }

    @Test func timestampsRunOnAndTalkBeginsWithTheMarkerAndNoNoiseHasIt() throws {
        var pair = try Self.pair(.pcmu)
        pair.run(for: .seconds(10), audio: Self.talk)
        let sent = try packets(pair.sent)
        let first = try #require(sent.first)
        for (earlier, later) in zip(sent, sent.dropFirst()) {
            #expect(later.header.sequenceNumber == earlier.header.sequenceNumber.next)
            let step = Int(later.header.timestamp &- earlier.header.timestamp)
            #expect(step == 160 || earlier.header.payloadType == comfortNoise)
            #expect(step <= 3_200 + 160)
            let isBeginning =
                earlier.header.payloadType == comfortNoise && later.header.payloadType != comfortNoise
            #expect(later.header.marker == isBeginning)
        }
        #expect(sent.last.map { Int($0.header.timestamp &- first.header.timestamp) } == 499 * 160)
    }

    @Test func theSpeechAfterAPauseIsWholeFromItsFirstFrame() throws {
        var pair = try Self.pair(.pcmu)
        pair.run(for: .seconds(10), audio: Self.talk)
        let loud = pair.heardByRight[(48_000 * 7)...].firstIndex { abs(Int($0)) > 3_000 } ?? .max
        var other = try MediaPair(
            .pcmu, suite: nil,
            links: [
                SimulatedLink(seed: 1, delay: .milliseconds(10)),
                SimulatedLink(seed: 2, delay: .milliseconds(10)),
            ])
        other.run(for: .seconds(10), audio: Self.talk)
        let unpaused = other.heardByRight[(48_000 * 7)...].firstIndex { abs(Int($0)) > 3_000 } ?? 0
        #expect(abs(loud - unpaused) <= 960)
    }

    @Test func muteAndHoldArePausesOfSilence() throws {
        var pair = try Self.pair(.pcmu)
        pair.run(for: .seconds(2)) { _, _ in buzz }
        pair.left.setMuted(true)
        pair.run(for: .seconds(5)) { _, _ in buzz }
        #expect(pair.heardByRight.suffix(48_000 * 3).allSatisfy { abs(Int($0)) < 20 })
        pair.left.setMuted(false)
        pair.left.setOnHold(true, at: pair.now)
        let before = pair.sent.count
        pair.run(for: .seconds(5)) { _, _ in buzz }
        #expect(pair.sent.count - before < 40)
        #expect(pair.heardByRight.suffix(48_000 * 3).allSatisfy { abs(Int($0)) < 20 })
        pair.left.setOnHold(false, at: pair.now)
        pair.run(for: .seconds(1)) { _, _ in buzz }
        #expect(level(pair.heardByRight.suffix(24_000)) > 3_000)
    }

    @Test(arguments: [Int?.none, 8_000])
    func digitsInAPauseArriveAsInSpeech(clockRate: Int?) throws {
        var pair = try Self.pair(.pcmu)
        try pair.agreeAnew { parameters, _ in
            guard let clockRate else { return }
            let events = MediaParameters.EventPayload(type: PayloadType(rawValue: 101), clockRate: clockRate)
            parameters.sendingEvents = events
            parameters.receivingEvents = [events]
        }
        pair.run(for: .seconds(4)) { _, frame in hiss(frame) }
        for digit in [DTMFDigit.one, .pound] { _ = pair.left.send(.digit(digit)) }
        pair.run(for: .seconds(3)) { _, frame in hiss(frame) }
        var ended: [DTMFDigit] = []
        while let digit = pair.right.takeDigit() {
            if case .ended(let digit, _) = digit { ended.append(digit) }
        }
        #expect(ended == [.one, .pound])
    }

    @Test func aLaterAgreementTurnsItOnAndOff() throws {
        var pair = try MediaPair(
            .pcmu,
            links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)])
        func sentInASecond() -> Int {
            let before = pair.left.statistics(at: pair.now).packetsSent
            pair.run(for: .seconds(2)) { _, frame in hiss(frame) }
            return pair.left.statistics(at: pair.now).packetsSent - before
        }
        #expect(sentInASecond() == 100)
        for _ in 0..<2 {
            try pair.agreeAnew { parameters, _ in parameters.sendingComfortNoise = comfortNoise }
            _ = sentInASecond()
            #expect(sentInASecond() < 10)
            try pair.agreeAnew { parameters, _ in parameters.sendingComfortNoise = nil }
            #expect(sentInASecond() == 100)
        }
        #expect(pair.right.statistics(at: pair.now).packetsLost == 0)
    }

    @Test func opusKeepsToItsOwnWay() throws {
        var pair = try Self.pair(.opus)
        pair.run(for: .seconds(6)) { _, frame in hiss(frame) }
        #expect(try packets(pair.sent).allSatisfy { $0.header.payloadType != comfortNoise })
        #expect(try packets(pair.sent).count == 300)
    }

    @Test(arguments: [[UInt8(60)], [60, 90, 140, 127, 127]])
    func noiseThatNobodyAskedForIsPlayedAlsoAtTheVeryBeginning(payload: [UInt8]) throws {
        var listener = try Listener()
        for number in 0..<10 {
            listener.take(number, timestamp: number * 1_600, type: 13, payload: payload)
            listener.play(200)
        }
        // -60 dBov, 33 of 32768: that of the ear's most patient line.
        let before = level(listener.heard.suffix(48_000))
        #expect(before > 5 && before < 66)
        for number in 10..<60 {
            listener.take(number, timestamp: 16_000 + (number - 10) * 160, marker: number == 10)
            listener.play(20)
        }
        #expect(level(listener.heard.suffix(24_000)) > 1_000)
        #expect(listener.session.statistics(at: listener.now).jitterBuffer.ticksConcealed == 0)
    }

    @Test func onlyTheNewestNoiseCountsAndAnEmptyOneIsCounted() throws {
        var listener = try Listener()
        listener.take(0, timestamp: 0)
        listener.play(20)
        listener.take(3, timestamp: 480, type: 13, payload: [127])
        listener.take(2, timestamp: 320, type: 13, payload: [20])
        listener.take(4, timestamp: 640, type: 13, payload: [])
        listener.play(1_000)
        #expect(listener.heard.suffix(24_000).allSatisfy { abs(Int($0)) < 20 })
        #expect(listener.session.statistics(at: listener.now).drops[.malformedPayload] == 1)
    }

    @Test func anotherSourcesPauseIsNotFilledWithTheFirstOnesNoise() throws {
        var listener = try Listener()
        listener.take(0, timestamp: 0)
        listener.play(20)
        listener.take(1, timestamp: 160, type: 13, payload: [20])
        listener.play(500)
        for number in 0..<3 {
            listener.take(
                number, timestamp: 9_000 + number * 160, ssrc: 8, payload: .init(repeating: 0xFF, count: 160))
            listener.play(20)
        }
        listener.play(500)
        #expect(level(listener.heard.suffix(9_600)) < 20)
    }
}
