import AllocationCounter
import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

/// A voice-like buzz of 200 Hz on the left, 300 Hz on the right.
private func buzz(_ side: Int, _ frame: Int) -> [Int16] { buzzes[side] }

private let buzzes = [240, 160].map { period in (0..<480).map { Int16($0 % period * 16_000 / period - 8_000) }
}
private let quiet = [Int16](repeating: 0, count: 480)

private func silence(_ side: Int, _ frame: Int) -> [Int16] { quiet }

private func level(_ samples: ArraySlice<Int16>) -> Double {
    (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
}

private func cleanLinks(delay: Duration = .milliseconds(10)) -> [SimulatedLink] {
    [SimulatedLink(seed: 1, delay: delay), SimulatedLink(seed: 2, delay: delay)]
}

@Suite struct MediaSessionTests {
    @Test(
        arguments: [AudioFormat.opus, .g722, .pcmu, .pcma],
        [CryptoSuite?.none, .aeadAES256GCM, .aes128HMACSHA1_80])
    func bothSidesHearEachOther(format: AudioFormat, suite: CryptoSuite?) throws {
        var pair = try MediaPair(format, suite: suite, links: cleanLinks())
        pair.run(for: .seconds(3), audio: buzz)
        #expect(level(pair.heardByRight.suffix(48_000)) > 2_000)
        #expect(level(pair.heardByLeft.suffix(48_000)) > 2_000)
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.packetsReceived >= 147)
        #expect(statistics.packetsLost == 0)
        #expect(statistics.jitterBuffer.ticksConcealed == 0)
        #expect(statistics.receivedFormat == format)
    }

    @Test(arguments: [10, 20, 40, 60])
    func packetsHoldTheAgreedTime(milliseconds: Int) throws {
        var pair = try MediaPair(.opus, links: cleanLinks()) { parameters, _ in
            parameters.packetMilliseconds = milliseconds
        }
        pair.run(for: .seconds(6), audio: buzz)
        #expect(pair.left.statistics(at: pair.now).packetsSent == 6_000 / milliseconds)
        #expect(pair.right.statistics(at: pair.now).jitterBuffer.ticksConcealed == 0)
        #expect(level(pair.heardByRight.suffix(48_000)) > 2_000)
    }

    @Test func theSameSeedsGiveTheSameDatagramsAndTheSameSound() throws {
        func run() throws -> ([[UInt8]], [Int16]) {
            let links = (1...2).map {
                SimulatedLink(
                    seed: UInt64($0), delay: .milliseconds(30), jitter: .milliseconds(40), lossPercentage: 5)
            }
            var pair = try MediaPair(.opus, links: links)
            pair.keepsDatagrams = true
            pair.run(for: .seconds(5), audio: buzz)
            return (pair.sent, pair.heardByRight)
        }
        let first = try run()
        let second = try run()
        #expect(first == second)
        #expect(first.0.count > 240)
    }

    @Test func lossAndJitterAreMeasuredAndMostlyNotHeard() throws {
        let links = (1...2).map {
            SimulatedLink(
                seed: UInt64($0), delay: .milliseconds(30), jitter: .milliseconds(40), lossPercentage: 5)
        }
        var pair = try MediaPair(.opus, links: links) { parameters, _ in
            parameters.opus.expectedLossPercentage = 10
        }
        pair.run(for: .seconds(60), audio: buzz)
        let statistics = pair.right.statistics(at: pair.now)
        let lost = Double(statistics.packetsLost) / Double(statistics.packetsExpected)
        #expect(lost > 0.03 && lost < 0.07)
        // A lost packet's successor is here in time for about half of them at this jitter.
        #expect(statistics.jitterBuffer.packetsRecovered > 40)
        #expect((statistics.jitterBuffer.concealedShare ?? 1) < 0.05)
        #expect((statistics.jitterMilliseconds ?? 0) > 5)
        #expect(statistics.remoteReport != nil)
    }

    @Test func theRoundTripIsThatOfTheLinks() throws {
        var pair = try MediaPair(.opus, links: cleanLinks(delay: .milliseconds(75)))
        pair.run(for: .seconds(30), audio: buzz)
        let roundTrip = try #require(pair.left.statistics(at: pair.now).roundTrip)
        #expect(abs(roundTrip.inMilliseconds - 150) < 1)
    }

    @Test func theFirstPacketIsMarkedAndItsSequenceNumberIsBelowTwoToTheFifteenth() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var pair = try MediaPair(.pcmu, links: cleanLinks(), seed: seed)
            pair.keepsDatagrams = true
            pair.run(for: .milliseconds(40), audio: silence)
            let datagram = try #require(pair.sent.first)
            let first = try RTPPacket(parsing: datagram.span)
            #expect(first.header.sequenceNumber.rawValue < 1 << 15)
            #expect(first.header.marker)
        }
    }

    @Test func nothingClearIsOnTheWire() throws {
        var pair = try MediaPair(.pcmu, links: cleanLinks())
        pair.keepsDatagrams = true
        pair.run(for: .seconds(20), audio: silence)
        // PCMU silence is 0xFF; under a cipher each octet is as likely as any other.
        var counts = [Int](repeating: 0, count: 256)
        var reports = 0
        for datagram in pair.sent {
            if DatagramKind(of: datagram.span) == .rtcp {
                reports += 1
                // The CNAME is in every report, and must not be seen in one.
                #expect(!datagram.indices.contains { datagram[$0...].starts(with: Array("left".utf8)) })
            } else {
                for octet in datagram[12...] { counts[Int(octet)] += 1 }
            }
        }
        #expect(reports >= 2)
        let mean = Double(counts.reduce(0, +)) / 256
        #expect(counts.allSatisfy { abs(Double($0) - mean) < 6 * mean.squareRoot() })
    }

    @Test func mutingFadesOutWithinFiveMillisecondsAndLeavesNothing() throws {
        var pair = try MediaPair(.pcmu, links: cleanLinks())
        pair.run(for: .seconds(1), audio: buzz)
        pair.left.setMuted(true)
        let isMuted = pair.left.isMuted
        #expect(isMuted)
        pair.run(for: .seconds(1), audio: buzz)
        #expect(level(pair.heardByRight.suffix(24_000)) < 10)
        #expect(level(pair.heardByLeft.suffix(24_000)) > 2_000)
        pair.left.setMuted(false)
        pair.run(for: .seconds(1), audio: buzz)
        #expect(level(pair.heardByRight.suffix(24_000)) > 2_000)
        #expect(pair.left.statistics(at: pair.now).packetsSent == 150)
    }

    @Test func holdSendsSilencePlaysNothingAndStartsFreshAfterwards() throws {
        var pair = try MediaPair(.opus, links: cleanLinks())
        pair.run(for: .seconds(1), audio: buzz)
        pair.left.setOnHold(true, at: pair.now)
        pair.run(for: .seconds(20), audio: buzz)
        #expect(level(pair.heardByRight.suffix(24_000)) < 10)
        #expect(pair.heardByLeft.suffix(24_000).allSatisfy { $0 == 0 })
        let events = pair.left.takeEvents()
        #expect(!events.contains(.timedOut))
        pair.left.setOnHold(false, at: pair.now)
        pair.run(for: .seconds(1), audio: buzz)
        #expect(level(pair.heardByLeft.suffix(24_000)) > 2_000)
        #expect(level(pair.heardByRight.suffix(24_000)) > 2_000)
    }

    @Test func eventsTellWhenMediaStartsStopsComesBackAndLeaves() throws {
        var pair = try MediaPair(.opus, links: cleanLinks())
        var events = pair.left.takeEvents()
        #expect(events == [])
        pair.run(for: .seconds(1), audio: buzz)
        events = pair.left.takeEvents()
        #expect(events == .started)
        let links = pair.links
        pair.links[1] = SimulatedLink(seed: 1, delay: .zero, lossPercentage: 100)
        pair.run(for: .milliseconds(7_900), audio: buzz)
        events = pair.left.takeEvents()
        #expect(events == [])
        pair.run(for: .milliseconds(300), audio: buzz)
        events = pair.left.takeEvents()
        #expect(events == .timedOut)
        pair.links = links
        pair.run(for: .seconds(1), audio: buzz)
        events = pair.left.takeEvents()
        #expect(events == .resumed)
        pair.right.leave(at: pair.now)
        pair.run(for: .milliseconds(100), audio: buzz)
        events = pair.left.takeEvents()
        #expect(events == .remoteLeft)
    }

    @Test func aCallFromAnUnknownPortIsAnsweredThereOnceItIsAuthentic() throws {
        var pair = try MediaPair(.opus, links: cleanLinks()) { parameters, side in
            if side == 1 { parameters.remoteAddress = nil }
        }
        pair.run(for: .seconds(1), audio: buzz)
        let address = pair.right.remoteAddress
        #expect(address == MediaPair.addresses[0])
        #expect(level(pair.heardByLeft.suffix(24_000)) > 2_000)
    }

    @Test func theEncoderFollowsReportedLossQuicklyDownAndSlowlyUp() throws {
        let lossy = { (percentage: Int) in
            [
                SimulatedLink(seed: 1, delay: .milliseconds(20), lossPercentage: percentage),
                SimulatedLink(seed: 2, delay: .milliseconds(20)),
            ]
        }
        var pair = try MediaPair(.opus, links: lossy(25))
        pair.keepsAudio = false
        pair.run(for: .seconds(30), audio: silence)
        let bad = pair.left.statistics(at: pair.now)
        #expect(bad.opusBitrate < 24_000)
        #expect(bad.expectedLossPercentage >= 15)
        // Nothing is lost the other way, and nothing changes there.
        #expect(pair.right.statistics(at: pair.now).opusBitrate == 28_000)

        pair.links = lossy(0)
        pair.run(for: .seconds(15), audio: silence)
        let recovering = pair.left.statistics(at: pair.now)
        #expect(recovering.opusBitrate < 28_000)
        pair.run(for: .seconds(120), audio: silence)
        let good = pair.left.statistics(at: pair.now)
        #expect(good.opusBitrate == 28_000)
        #expect(good.expectedLossPercentage == 5)
    }
}
