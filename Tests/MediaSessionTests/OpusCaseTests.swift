import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import TestSupport
import Testing

private let tone = (0..<480).map { Int16(($0 % 48) * 600 - 14_100) }
private let quiet = [Int16](repeating: 0, count: 480)

@Suite("Cases: Opus")
struct OpusCaseTests {
    private static func pair(
        _ adjust: (inout MediaParameters) -> Void = { _ in }, lossPercentage: Int = 0
    ) throws -> MediaPair {
        try MediaPair(
            .opus,
            links: [
                SimulatedLink(seed: 3, delay: .milliseconds(20), lossPercentage: lossPercentage),
                SimulatedLink(seed: 4, delay: .milliseconds(20)),
            ]
        ) { parameters, _ in adjust(&parameters) }
    }

    // CODEC-03
    @Test func withoutCorrectionInThePacketsWhatIsLostIsStillConcealed() throws {
        var pair = try Self.pair({ $0.opus.usesForwardErrorCorrection = false }, lossPercentage: 10)
        pair.run(for: .seconds(10)) { _, frame in frame % 2 == 0 ? tone : tone.reversed() }
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.jitterBuffer.packetsLost > 20)
        let madeUp = statistics.jitterBuffer.ticksConcealed + statistics.jitterBuffer.ticksRecovered
        #expect(madeUp > 20 * 960)
        // A lone loss leaves no hole: what is made up has sound.
        let heard = pair.heardByRight.suffix(9 * 48_000)
        let silent = stride(from: heard.startIndex, to: heard.endIndex - 479, by: 480).count { start in
            heard[start..<(start + 480)].allSatisfy { abs(Int($0)) < 10 }
        }
        #expect(silent <= 5)
    }

    // CODEC-04
    @Test func packetsOfOneOctetArePausesAndNoErrors() throws {
        var listener = try Listener(receiving: [(111, .opus)])
        for (number, octet) in ([0xF8, 0x48, 0xF8, 0x48, 0x48] as [UInt8]).enumerated() {
            listener.take(number, timestamp: number * 960, type: 111, payload: [octet])
            listener.play(20)
        }
        listener.play(200)
        let statistics = listener.statistics
        #expect(statistics.drops[.malformedPayload] == 0)
        // The first is the source's probation.
        #expect(statistics.packetsReceived == 4)
        #expect(statistics.jitterBuffer.packetsLost == 0)
        // What follows is the sender's pause: nothing is missing in it.
        #expect(statistics.jitterBuffer.ticksConcealed == 0)
        listener.take(5, timestamp: 30 * 960, type: 111, payload: [])
        #expect(listener.statistics.drops[.malformedPayload] == 1)
    }

    // CODEC-04
    @Test func pausesWithARefreshNowAndThenAreNoLoss() throws {
        var pair = try Self.pair {
            $0.packetMilliseconds = 60
            $0.opus.usesDiscontinuousTransmission = true
        }
        pair.run(for: .seconds(2)) { _, frame in frame % 2 == 0 ? tone : tone.reversed() }
        let before = pair.right.statistics(at: pair.now)
        pair.run(for: .seconds(20)) { _, _ in quiet }
        let after = pair.right.statistics(at: pair.now)
        // A refresh each 400 ms or so, not one packet each 60 ms.
        let sent = after.packetsReceived - before.packetsReceived
        #expect(sent > 20 && sent < 120)
        #expect(after.packetsLost == 0)
        #expect(after.drops[.malformedPayload] == 0)
        #expect(after.jitterBuffer.ticksConcealed - before.jitterBuffer.ticksConcealed < 48_000 / 2)
    }

    // CODEC-08
    @Test func silenceIsSentLikeSoundUnlessPausesWereAgreedOn() throws {
        var pair = try Self.pair()
        pair.run(for: .seconds(10)) { _, _ in quiet }
        #expect(pair.left.statistics(at: pair.now).packetsSent == 500)
        #expect(!MediaParameters.usual.opus.usesDiscontinuousTransmission)
    }
}

extension MediaParameters {
    fileprivate static var usual: Self {
        let payload = Payload(type: PayloadType(rawValue: 111), format: .opus)
        return Self(sending: payload, receiving: [payload], canonicalName: "usual")
    }
}
