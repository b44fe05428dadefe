import AllocationCounter
import MediaTime
import RTP
import Testing

@Suite("Reception statistics, RFC 3550 §A.1 and §A.3")
struct ReceptionStatisticsTests {
    private func statistics(probation: Int = 1) -> ReceptionStatistics {
        ReceptionStatistics(ssrc: SSRC(rawValue: 1), clockRate: 8000, probation: probation)
    }

    /// The verdicts on packets of 20 ms that come on time, by their numbers.
    private func verdicts(
        on numbers: some Sequence<Int>, by statistics: inout ReceptionStatistics
    ) -> [ReceptionStatistics.Verdict] {
        numbers.map { number in
            statistics.receive(
                sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: number)),
                timestamp: UInt32(truncatingIfNeeded: number * 160),
                arrival: MonotonicInstant(nanoseconds: Int64(number) * 20_000_000))
        }
    }

    @Test func aSourceIsBelievedAfterTwoInSequence() {
        var statistics = statistics(probation: 2)
        let verdicts = verdicts(on: [10, 20, 21, 22], by: &statistics)
        #expect(verdicts == [.onProbation, .onProbation, .accepted, .accepted])
        #expect(statistics.received == 2)
        #expect(statistics.expected == 2)
    }

    @Test func anAuthenticatedSourceIsBelievedAtOnce() {
        var statistics = statistics()
        #expect(verdicts(on: [10], by: &statistics) == [.accepted])
        #expect(statistics.expected == 1)
    }

    @Test func nothingIsExpectedOfASilentSource() {
        let statistics = statistics()
        #expect(statistics.expected == 0)
        #expect(statistics.cumulativeLost == 0)
        #expect(statistics.jitterMilliseconds == nil)
    }

    @Test func lossIsCountedAcrossAWrap() {
        var statistics = statistics()
        _ = verdicts(on: [65533, 65534, 65537, 65538], by: &statistics)
        #expect(statistics.expected == 6)
        #expect(statistics.cumulativeLost == 2)
        #expect(statistics.extendedHighestSequenceNumber == 0x0001_0002)
    }

    @Test func aLatePacketIsNotLostAndACopyIsToldFromIt() {
        var statistics = statistics()
        let verdicts = verdicts(on: [1, 3, 2, 2, 3], by: &statistics)
        #expect(verdicts == [.accepted, .accepted, .reordered, .duplicate, .duplicate])
        #expect(statistics.reordered == 1)
        #expect(statistics.duplicates == 2)
        #expect(statistics.cumulativeLost == -2)
    }

    @Test func theFirstToComeNeedNotBeTheFirstSent() {
        var statistics = statistics()
        _ = verdicts(on: [2, 1, 3], by: &statistics)
        #expect(statistics.expected == 3)
        #expect(statistics.cumulativeLost == 0)
    }

    @Test func aJumpBackRestartsWithTheSecondPacket() {
        var statistics = statistics()
        _ = verdicts(on: 21284...21294, by: &statistics)
        let verdicts = verdicts(on: 12676...12700, by: &statistics)
        #expect(verdicts.prefix(3) == [.outOfSequence, .restarted, .accepted])
        #expect(statistics.restarts == 1)
        #expect(statistics.cumulativeLost == 0)
        #expect(statistics.received == 11 + 24)
    }

    @Test(
        arguments: [
            (2999, .accepted), (3000, .outOfSequence), (-99, .reordered), (-100, .outOfSequence),
        ] as [(Int, ReceptionStatistics.Verdict)])
    func theLimitsAreThoseOfTheRFC(step: Int, verdict: ReceptionStatistics.Verdict) {
        var statistics = statistics()
        #expect(verdicts(on: [20_000, 20_000 + step], by: &statistics) == [.accepted, verdict])
    }

    @Test func oneStrayPacketRestartsNothing() {
        var statistics = statistics()
        let verdicts = verdicts(on: [100, 9000, 101, 102, 9002, 103], by: &statistics)
        #expect(verdicts == [.accepted, .outOfSequence, .accepted, .accepted, .outOfSequence, .accepted])
        #expect(statistics.received == 4)
        #expect(statistics.cumulativeLost == 0)
    }

    @Test func lossIsReportedForTheIntervalAndForTheCall() {
        var statistics = statistics()
        _ = verdicts(on: stride(from: 0, through: 200, by: 2), by: &statistics)
        let first = statistics.makeReportBlock(lastSenderReport: 7, delay: .milliseconds(1500))
        #expect(first.fractionLost == 127)  // 100 of 201
        #expect(first.cumulativeLost == 100)
        #expect(first.lastSenderReport == 7)
        #expect(first.delaySinceLastSenderReport == 0x0001_8000)

        _ = verdicts(on: 201...300, by: &statistics)
        let second = statistics.makeReportBlock(lastSenderReport: 0, delay: .seconds(9))
        #expect(second.fractionLost == 0)
        #expect(second.cumulativeLost == 100)
        #expect(second.extendedHighestSequenceNumber == 300)
        #expect(second.delaySinceLastSenderReport == 0)

        _ = verdicts(on: stride(from: 302, through: 400, by: 2), by: &statistics)
        let third = statistics.makeReportBlock(lastSenderReport: 0, delay: .zero)
        #expect(third.fractionLost == 128)  // 50 of 100
        #expect(third.cumulativeLost == 150)
    }

    @Test func moreCopiesThanLossesAreNoFraction() {
        var statistics = statistics()
        _ = verdicts(on: [1, 2, 2, 2], by: &statistics)
        let block = statistics.makeReportBlock(lastSenderReport: 0, delay: .zero)
        #expect(block.fractionLost == 0)
        #expect(block.cumulativeLost == -2)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func randomPacketsNeverTrap(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var statistics = ReceptionStatistics(
            ssrc: SSRC(rawValue: 1), clockRate: seed % 2 == 0 ? 1 : 48_000, probation: 1 + Int(seed % 3))
        for _ in 0..<500 {
            _ = statistics.receive(
                sequenceNumber: SequenceNumber(rawValue: .random(in: 0...65535, using: &generator)),
                timestamp: .random(in: 0...UInt32.max, using: &generator),
                arrival: MonotonicInstant(
                    nanoseconds: .random(in: Int64.min...Int64.max, using: &generator)), marker: false)
            _ = statistics.makeReportBlock(lastSenderReport: 1, delay: .seconds(Int64.max / 1_000_000_000))
        }
        #expect(statistics.received <= statistics.expected + statistics.duplicates)
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func countingDoesNotAllocate() {
        var statistics = statistics()
        let before = allocation_count()
        for index in 0..<1_000 {
            let number = UInt16(index)
            _ = statistics.receive(
                sequenceNumber: SequenceNumber(rawValue: number), timestamp: UInt32(number) * 160,
                arrival: MonotonicInstant(nanoseconds: Int64(number) * 20_000_000))
            _ = statistics.makeReportBlock(lastSenderReport: 1, delay: .zero)
        }
        #expect(allocation_count() - before == 0)
    }
}

@Suite("Interarrival jitter, RFC 3550 §6.4.1 and §A.8")
struct JitterTests {
    private var statistics = ReceptionStatistics(ssrc: SSRC(rawValue: 1), clockRate: 8000, probation: 1)

    /// Receives packet `number` of a stream of 20 ms packets, `shift` ms early or late.
    private mutating func receive(
        _ number: Int, timestamp: Int? = nil, shift: Int = 0, marker: Bool = false, packetUnits: Int = 160
    ) {
        _ = statistics.receive(
            sequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: number)),
            timestamp: UInt32(truncatingIfNeeded: timestamp ?? number * packetUnits),
            arrival: MonotonicInstant(nanoseconds: Int64(number * 20 + shift) * 1_000_000), marker: marker)
    }

    // RTCP-04
    @Test mutating func aPerfectStreamHasNone() {
        for number in 0..<100 { receive(number) }
        #expect(statistics.jitter == 0)
        #expect(statistics.jitterMilliseconds == 0)
    }

    // RTCP-04
    @Test mutating func packetsTenEarlyAndTenLateMakeTwenty() throws {
        for number in 0..<200 { receive(number, shift: number % 2 == 0 ? 10 : -10) }
        let milliseconds = try #require(statistics.jitterMilliseconds)
        #expect(abs(milliseconds - 20) < 0.01)
        #expect(statistics.jitter == 159 || statistics.jitter == 160)
    }

    @Test mutating func oneLatePacketCountsASixteenthTwice() throws {
        receive(0)
        receive(1, shift: 16)
        receive(2)
        // 16/16, then 1 + (16 - 1)/16.
        #expect(try #require(statistics.jitterMilliseconds).distance(to: 1.9375).magnitude < 0.001)
    }

    // RTCP-04
    @Test(arguments: [800_000, -800_000])
    mutating func aJumpOfTheSendersClockIsNone(jump: Int) {
        for number in 0..<100 { receive(number) }
        for number in 100..<200 { receive(number, timestamp: number * 160 + jump) }
        #expect(statistics.jitterMilliseconds == 0)
    }

    @Test mutating func aPauseOnARunningClockIsNone() {
        for number in 0..<100 where !(20..<70).contains(number) { receive(number, marker: number == 70) }
        #expect(statistics.jitterMilliseconds == 0)
    }

    @Test(arguments: [500, 2000], [true, false])
    mutating func aClockThatStandsStillInAPauseIsNoneIfMarkedOrLong(pause: Int, marker: Bool) throws {
        for number in 0..<100 { receive(number) }
        for number in 100..<101 { receive(number, shift: pause, marker: marker) }
        let milliseconds = try #require(statistics.jitterMilliseconds)
        #expect((milliseconds == 0) == (marker || pause > 1000))
    }

    @Test mutating func packetsOfOneEventAreNone() {
        for number in 0..<10 { receive(number) }
        for number in 10..<20 { receive(number, timestamp: 1600) }
        for number in 20..<30 { receive(number) }
        #expect(statistics.jitterMilliseconds == 0)
    }

    @Test mutating func aRestartIsNone() {
        for number in 21284...21294 { receive(number) }
        for number in 12676...12700 { receive(number, timestamp: number * 160 + 4711) }
        #expect(statistics.restarts == 1)
        #expect(statistics.jitterMilliseconds == 0)
    }

    @Test mutating func aNewClockRateKeepsTheTime() throws {
        for number in 0..<200 { receive(number, shift: number % 2 == 0 ? 10 : -10) }
        let before = try #require(statistics.jitterMilliseconds)
        statistics.changeClockRate(to: 48_000)
        #expect(statistics.jitterMilliseconds == before)
        #expect(statistics.jitter == 959 || statistics.jitter == 960)
        receive(200, packetUnits: 960)
        #expect(statistics.jitterMilliseconds == before)
    }
}
