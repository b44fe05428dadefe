import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

/// A buzz of 200 Hz on the left, 300 Hz on the right, 100 ms of each 500 ms still: speech enough to be stretched.
private func bursts(_ side: Int, _ frame: Int) -> [Int16] { frame % 50 < 40 ? buzzes[side] : quiet }

private let buzzes = [240, 160].map { period in (0..<480).map { Int16($0 % period * 16_000 / period - 8_000) }
}
private let quiet = [Int16](repeating: 0, count: 480)

private func mean(_ values: ArraySlice<Double>) -> Double { values.reduce(0, +) / Double(values.count) }

@Suite struct LongCallTests {
    private static let suite = CryptoSuite.aes128HMACSHA1_80

    private static func changeKeys(of pair: inout MediaPair, round: UInt8) throws {
        try pair.agreeAnew { parameters, side in
            let keys = (0..<2).map { side in
                SRTPKey(
                    suite: suite,
                    keyAndSalt: (0..<suite.keyAndSaltLength).map {
                        UInt8(truncatingIfNeeded: $0 * 5 + side * 77) ^ (round * 16)
                    })
            }
            parameters.security = .init(local: keys[side], remote: keys[1 - side])
        }
    }

    /// What the left side's `a=sendonly`, or its end, makes of both.
    private static func hold(_ isHeld: Bool, _ pair: inout MediaPair) throws {
        try pair.agreeAnew { parameters, side in
            if side == 0 { parameters.receivesAudio = !isHeld } else { parameters.sendsAudio = !isHeld }
        }
        pair.left.setOnHold(isHeld, at: pair.now)
    }

    // SRTP-01
    @Test func halfAnHourOfDriftWithHoldsAndNewKeysLosesNoPacketAndItsDelayStaysFlat() throws {
        var pair = try MediaPair(
            .pcmu, suite: Self.suite,
            links: [
                SimulatedLink(seed: 1, delay: .milliseconds(20), jitter: .milliseconds(5)),
                SimulatedLink(seed: 2, delay: .milliseconds(20), jitter: .milliseconds(5)),
            ])
        pair.driftPartsPerMillion = 300
        var delays: [[Double]] = [[], []]
        for minute in 0..<30 {
            if [8, 15, 22].contains(minute) {
                try Self.hold(true, &pair)
                pair.run(for: .seconds(30), audio: bursts)
                try Self.hold(false, &pair)
                pair.run(for: .seconds(5), audio: bursts)
                _ = pair.takeHeard()
                pair.run(for: .seconds(25), audio: bursts)
            } else {
                pair.run(for: .seconds(60), audio: bursts)
            }
            if [10, 20].contains(minute) { try Self.changeKeys(of: &pair, round: UInt8(minute / 10)) }
            let heard = pair.takeHeard()
            for (side, samples) in [heard.byLeft, heard.byRight].enumerated() {
                let peak = samples.reduce(0) { max($0, abs(Int($1))) }
                #expect(peak > 6_000 && peak < 12_000, "minute \(minute), side \(side)")
            }
            for (side, delay) in [
                pair.left.statistics(at: pair.now).bufferDelay,
                pair.right.statistics(at: pair.now).bufferDelay,
            ].enumerated() {
                delays[side].append(try #require(delay) / .milliseconds(1))
            }
        }
        // More packets than sequence numbers, wherever they began.
        let (left, right) = (pair.left.statistics(at: pair.now), pair.right.statistics(at: pair.now))
        #expect(right.packetsReceived > 89_000 && left.packetsReceived > 84_000)
        for (name, side) in [("left", left), ("right", right)] {
            #expect(side.packetsLost == 0, "\(name)")
            // What was on its way when a hold began is not played.
            #expect(side.drops[.notReceiving] <= 3 * 2, "\(name)")
            let others = DatagramDropReason.allCases.filter { $0 != .notReceiving && side.drops[$0] > 0 }
            #expect(others.isEmpty, "\(name)")
            let buffer = side.jitterBuffer
            #expect(buffer.packetsLate == 0 && buffer.packetsLost == 0, "\(name)")
            // 540 ms of drift, which a buffer that doesn't stretch time pays with 27 packets left out or filled in.
            #expect(buffer.packetsSkipped <= 27, "\(name)")
            #expect(buffer.ticksConcealed <= 27 * 160, "\(name)")
        }
        for delay in delays {
            #expect((delay.max() ?? 0) - (delay.min() ?? 0) < 25)
            let (early, late) = (mean(delay[..<5]), mean(delay[25...]))
            #expect(abs(late - early) < 10)
        }
    }
}
