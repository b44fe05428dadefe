import MediaTime
import RTP
import Testing

private func second(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
}

extension MonotonicInstant {
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// 50 kbit/s, whose reduced minimum is longer than 5 s and so not used.
private let narrow = 50_000

@Suite("When to send reports, RFC 3550 §6.2, §6.3 and §A.7")
struct RTCPTransmissionTests {
    private static let compensation = 2.718281828459045 - 1.5

    /// The times between the reports of `transmission`, after the first.
    private func intervals(
        _ transmission: inout RTCPTransmission, _ random: inout SplitMix64, count: Int, octets: Int = 100,
        heard: (inout RTCPTransmission, MonotonicInstant) -> Void = { _, _ in }
    ) -> [Double] {
        var times: [Double] = []
        while times.count <= count {
            let now = transmission.deadline
            heard(&transmission, now)
            guard transmission.isDue(at: now, random: &random) else { continue }
            times.append(now.seconds)
            transmission.sentReport(octets: octets, at: now, random: &random)
        }
        return zip(times.dropFirst(), times).map { $0 - $1 }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func theFirstReportComesAfterHalfAnInterval(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(10), random: &random)
        let wait = transmission.deadline.seconds - 10
        #expect(wait >= 0.5 * 2.5 / Self.compensation && wait < 1.5 * 2.5 / Self.compensation)
    }

    @Test func aCallsReportsAre5SecondsApartOnAverageAndNeverTooClose() {
        var random = SplitMix64(seed: 1)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        let intervals = intervals(&transmission, &random, count: 2_000) { transmission, now in
            transmission.sentMedia(at: now)
            transmission.heard(SSRC(rawValue: 2), isMedia: true, at: now)
        }
        #expect(intervals.allSatisfy { $0 >= 2.5 / Self.compensation && $0 <= 7.5 / Self.compensation * 2 })
        let mean = intervals.reduce(0, +) / Double(intervals.count)
        // Reconsideration lengthens what the compensation shortens.
        #expect(abs(mean - 5) < 0.5)
        #expect(Set(intervals.map { Int($0 * 1_000) }).count > 1_000)
    }

    @Test func theMinimumShrinksWithTheBandwidthOnlyAbove72Kilobits() {
        func shortest(_ bandwidth: Int) -> Double {
            var random = SplitMix64(seed: 3)
            var transmission = RTCPTransmission(sessionBandwidth: bandwidth, at: second(0), random: &random)
            return intervals(&transmission, &random, count: 500).min() ?? 0
        }
        #expect(abs(shortest(720_000) - 0.25 / Self.compensation) < 0.01)
        #expect(abs(shortest(72_000) - 2.5 / Self.compensation) < 0.1)
        #expect(abs(shortest(10_000) - 2.5 / Self.compensation) < 0.1)
    }

    @Test func manyMembersShareTheBandwidthAndListenersHaveThreeQuartersOfIt() {
        var random = SplitMix64(seed: 4)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        // 40 others, one of them a sender; 1000 octets a report: 40 × 1028 / (312.5 × 3/4) s.
        let mean =
            intervals(&transmission, &random, count: 300, octets: 1_000) { transmission, now in
                for ssrc in 1...40 as ClosedRange<UInt32> {
                    transmission.heard(SSRC(rawValue: ssrc), isMedia: ssrc == 1, at: now)
                    transmission.received(octets: 1_000)
                }
            }.reduce(0, +) / 300
        #expect(transmission.memberCount == 41 && transmission.senderCount == 1)
        #expect(abs(mean - 40 * 1_028 / (312.5 * 0.75)) < 10)
    }

    @Test func aLoneSenderOfManyListenersHasAQuarterOfTheBandwidth() {
        var random = SplitMix64(seed: 5)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        let mean =
            intervals(&transmission, &random, count: 300, octets: 1_000) { transmission, now in
                transmission.sentMedia(at: now)
                for ssrc in 1...40 as ClosedRange<UInt32> {
                    transmission.heard(SSRC(rawValue: ssrc), isMedia: false, at: now)
                    transmission.received(octets: 1_000)
                }
            }.reduce(0, +) / 300
        #expect(transmission.isSender)
        #expect(abs(mean - 1_028 / (312.5 * 0.25)) < 1)
    }

    @Test func aTimerThatFiresAmongManyNewMembersIsReconsidered() {
        var random = SplitMix64(seed: 6)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        for ssrc in 1...60 as ClosedRange<UInt32> {
            transmission.heard(SSRC(rawValue: ssrc), isMedia: true, at: second(0.1))
            transmission.received(octets: 2_000)
        }
        let now = transmission.deadline
        #expect(!transmission.isDue(at: now, random: &random))
        #expect(transmission.deadline.seconds > now.seconds + 50)
    }

    @Test func itIsNotDueBeforeItsDeadline() {
        var random = SplitMix64(seed: 7)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        let early = transmission.deadline.advanced(byNanoseconds: -1)
        let isDue = transmission.isDue(at: early, random: &random)
        #expect(!isDue)
    }

    @Test func whenMembersLeaveTheNextReportComesSooner() {
        var random = SplitMix64(seed: 8)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        for ssrc in 1...9 as ClosedRange<UInt32> {
            transmission.heard(SSRC(rawValue: ssrc), isMedia: false, at: second(1))
        }
        transmission.sentReport(octets: 100, at: second(1), random: &random)
        let before = transmission.deadline.seconds
        for ssrc in 1...5 as ClosedRange<UInt32> {
            transmission.left(SSRC(rawValue: ssrc), octets: 50, at: second(2))
        }
        // From 10 members to 5.
        #expect(abs(transmission.deadline.seconds - (2 + (before - 2) / 2)) < 1e-6)
        #expect(transmission.memberCount == 5)
        // Who was none changes nothing.
        let after = transmission.deadline
        transmission.left(SSRC(rawValue: 99), octets: 50, at: second(2.5))
        #expect(transmission.deadline == after)
    }

    @Test func theSilentAreForgottenAndWhoStopsSendingIsAListener() {
        var random = SplitMix64(seed: 9)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        transmission.sentMedia(at: second(0))
        transmission.heard(SSRC(rawValue: 2), isMedia: true, at: second(0))
        #expect(transmission.senderCount == 2)
        func ask(at time: Double) {
            if transmission.isDue(at: second(time), random: &random) {
                transmission.sentReport(octets: 100, at: second(time), random: &random)
            }
        }
        ask(at: 9)
        #expect(transmission.senderCount == 2 && transmission.isSender)
        // Two intervals of 5 s without media, and five without anything.
        ask(at: 19)
        #expect(transmission.senderCount == 0 && !transmission.isSender)
        #expect(transmission.memberCount == 2)
        ask(at: 27)
        #expect(transmission.memberCount == 1)
    }

    @Test func aFloodOfSourcesIsBounded() {
        var random = SplitMix64(seed: 10)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        transmission.heard(SSRC(rawValue: 1), isMedia: true, at: second(0))
        for ssrc in 2...100_000 as ClosedRange<UInt32> {
            transmission.heard(SSRC(rawValue: ssrc), isMedia: false, at: second(Double(ssrc) / 1e6))
            transmission.heard(SSRC(rawValue: 1), isMedia: true, at: second(Double(ssrc) / 1e6))
        }
        #expect(transmission.memberCount == 65)
        // The one that is really there was never pushed out.
        #expect(transmission.senderCount == 1)
    }

    @Test func whoNeverSentLeavesWithoutAWordAndFewSayGoodbyeAtOnce() {
        var random = SplitMix64(seed: 11)
        var transmission = RTCPTransmission(sessionBandwidth: narrow, at: second(0), random: &random)
        var farewell = transmission.leave(octets: 60, at: second(1), random: &random)
        #expect(farewell == .never)
        transmission.sentMedia(at: second(1))
        for ssrc in 1...49 as ClosedRange<UInt32> {
            transmission.heard(SSRC(rawValue: ssrc), isMedia: false, at: second(1))
        }
        farewell = transmission.leave(octets: 60, at: second(2), random: &random)
        #expect(farewell == .now)
    }

    @Test func amongMoreThan50TheGoodbyeWaitsAndTheOthersGoodbyesMakeItWaitLonger() {
        func farewellTime(othersLeave: Bool) -> Double {
            var random = SplitMix64(seed: 12)
            var transmission = RTCPTransmission(sessionBandwidth: 8_000, at: second(0), random: &random)
            transmission.sentMedia(at: second(1))
            for ssrc in 1...60 as ClosedRange<UInt32> {
                transmission.heard(SSRC(rawValue: ssrc), isMedia: false, at: second(1))
            }
            let farewell = transmission.leave(octets: 60, at: second(2), random: &random)
            #expect(farewell == .atDeadline)
            #expect(transmission.memberCount == 1)
            // Reports are no farewells, and don't count any more.
            transmission.heard(SSRC(rawValue: 70), isMedia: false, at: second(2))
            #expect(transmission.memberCount == 1)
            if othersLeave {
                for ssrc in 1...60 as ClosedRange<UInt32> {
                    transmission.left(SSRC(rawValue: ssrc), octets: 60, at: second(2.1))
                }
            }
            while !transmission.isDue(at: transmission.deadline, random: &random) {}
            return transmission.deadline.seconds
        }
        #expect(farewellTime(othersLeave: false) < 6)
        #expect(farewellTime(othersLeave: true) > 30)
    }
}
