import AllocationCounter
import JitterBuffer
import MediaTime
import Testing

@Suite struct JitterBufferTests {
    @Test(arguments: [(UInt16(100), UInt32(5_000)), (65_500, 4_294_960_000), (0, 0)])
    func aCleanStreamIsPlayedWholeAndInOrderAcrossTheWraps(sequence: UInt16, timestamp: UInt32) {
        var playout = Playout(firstSequence: sequence, firstTimestamp: timestamp)
        playout.run(Playout.stream(0..<200), until: 3_990)
        #expect(playout.packetsHeard == Array(0..<UInt16(playout.packetsHeard.count)))
        #expect(playout.packetsHeard.count >= 197)
        #expect(playout.concealments == 0)
        #expect(playout.buffer.statistics.packetsLost == 0)
    }

    @Test func aCleanStreamIsHeldForTheMinimumDelayAndNoLonger() {
        var playout = Playout()
        playout.run(Playout.stream(0..<100), until: 2_000)
        #expect(playout.buffer.targetDelay == .milliseconds(20))
        #expect(playout.delays.allSatisfy { $0 >= 20 && $0 <= 31 })
    }

    @Test func packetsThatOvertookEachOtherAreHeardInOrder() {
        var playout = Playout()
        // Every tenth packet comes 15 ms late, behind its successor, within the delay.
        playout.run(Playout.stream(0..<200) { $0 % 10 == 5 ? 25 : 10 }, until: 4_000)
        #expect(playout.packetsHeard == Array(0..<UInt16(playout.packetsHeard.count)))
        #expect(playout.buffer.statistics.packetsLate == 0)
    }

    @Test func oneLossIsHeardAsOneConcealedOrRecoveredFrameAndAddsNoDelay() {
        var playout = Playout()
        let arrivals = Playout.stream(0..<100) { _ in 5 }.filter { $0.number != 20 }
        playout.run(arrivals, until: 2_000)
        let made = playout.heard.filter {
            $0 == .recovered || $0 == .concealed(.missing) || $0 == .concealed(.underrun)
        }
        #expect(made.count == 1)
        #expect(
            playout.packetsHeard == Array((0..<UInt16(playout.packetsHeard.count + 1)).filter { $0 != 20 }))
        #expect(playout.buffer.statistics.packetsLost == 1)
        #expect(playout.buffer.statistics.packetsLate == 0)
        #expect((playout.delays.last ?? 0) - (playout.delays.first ?? 0) <= 1)
    }

    @Test func aLossIsRestoredFromTheNextPacketWhenThatIsHereInTime() {
        // Jitter of 50 ms makes the target large enough for the successor to be waiting.
        var playout = Playout()
        let arrivals = Playout.stream(0..<300) { $0 % 4 == 0 ? 50 : 0 }.filter { $0.number != 202 }
        playout.run(arrivals, until: 6_000)
        #expect(playout.heard.contains(.recovered))
        #expect(playout.buffer.statistics.packetsRecovered == 1)
    }

    @Test func aBurstLossIsConcealedForExactlyItsLength() {
        var playout = Playout()
        let arrivals = Playout.stream(0..<300) { $0 % 4 == 0 ? 50 : 0 }.filter {
            !(200..<205).contains($0.number)
        }
        playout.run(arrivals, until: 6_000)
        let statistics = playout.buffer.statistics
        #expect(statistics.packetsLost == 5)
        let madeUp = (statistics.ticksConcealed + statistics.ticksRecovered)
        // The first packets may meet an underrun before the target has learnt the jitter.
        #expect(madeUp >= 5 * 960 && madeUp <= 8 * 960)
    }

    @Test func aPacketAfterItsTurnCountsAsLateAndNotAsLost() {
        var playout = Playout()
        let arrivals = Playout.stream(0..<150) { $0 == 100 ? 200 : 0 }
        playout.run(arrivals, until: 3_000)
        #expect(playout.buffer.statistics.packetsLate == 1)
        #expect(playout.buffer.statistics.packetsLost == 0)
        #expect(playout.outcomes.contains(.late))
    }

    @Test func aDuplicateIsHeardOnceWhetherItComesBeforeOrAfterItsTurn() {
        var playout = Playout()
        let stream = Playout.stream(0..<100)
        let twins = stream.filter { $0.number % 2 == 0 }.map {
            Playout.Arrival(milliseconds: $0.milliseconds + ($0.number % 4 == 0 ? 1 : 70), number: $0.number)
        }
        playout.run(stream + twins, until: 2_000)
        #expect(playout.packetsHeard == Array(0..<UInt16(playout.packetsHeard.count)))
        #expect(playout.buffer.statistics.packetsLate == 0)
        #expect(playout.buffer.statistics.packetsDuplicated == 50)
    }

    @Test func jitterRaisesTheTargetAndStopsBeingHeard() {
        var playout = Playout()
        var random = SplitMix64(seed: 1)
        let delays = (0..<1_500).map { _ in Double.random(in: 0...60, using: &random) }
        playout.run(Playout.stream(0..<1_500) { delays[$0] }, until: 30_000)
        #expect(
            playout.buffer.targetDelay >= .milliseconds(50) && playout.buffer.targetDelay <= .milliseconds(70)
        )
        let late = playout.heard.suffix(1_000).filter { if case .concealed = $0 { true } else { false } }
            .count
        #expect(late <= 30)
    }

    @Test func aQueueThatBuiltUpInAnOutageIsSkippedNotKeptAsDelay() {
        var playout = Playout()
        // For a second nothing comes, then all of it at once.
        let arrivals = Playout.stream(0..<400) {
            (100..<150).contains($0) ? 1_000 - Double($0 - 100) * 20 : 0
        }
        playout.run(arrivals, until: 8_000)
        #expect(playout.buffer.statistics.packetsSkipped > 0)
        let settled = playout.delays.suffix(50)
        #expect(settled.allSatisfy { $0 < playout.buffer.targetDelay.inMilliseconds + 60 })
    }

    @Test func aPauseOfTheSenderIsRestNotConcealment() {
        var playout = Playout()
        var arrivals = Playout.stream(0..<50)
        arrivals[49].startsPause = true
        arrivals += (50..<100).map {
            Playout.Arrival(milliseconds: Double($0) * 20 + 2_000, number: $0, timestampOffset: 96_000)
        }
        playout.run(arrivals, until: 4_000)
        #expect(playout.concealments == 0)
        #expect(playout.packetsHeard == Array(0..<UInt16(playout.packetsHeard.count)))
        #expect(playout.packetsHeard.count > 95)
    }

    @Test(arguments: [(1_500, 240_000), (1, 1_920_000), (3_000, 160), (-9_000, -480_000), (1, -1_920_000)])
    func aJumpOfTheStreamIsFollowedWithinTwoPackets(sequenceJump: Int, timestampJump: Int) {
        var playout = Playout(firstSequence: 21_284, firstTimestamp: 3_000_000)
        let before = Playout.stream(0..<50)
        let after = (50..<100).map {
            Playout.Arrival(
                milliseconds: Double($0) * 20, number: $0 + sequenceJump - 1,
                timestampOffset: timestampJump - (sequenceJump - 1) * 960)
        }
        playout.run(before + after, until: 2_000)
        #expect(playout.buffer.statistics.restarts == 1)
        #expect(playout.packetsHeard.count >= 94)
        #expect(playout.concealments <= 4)
    }

    @Test func oneStrayPacketChangesNothing() {
        var playout = Playout()
        let stray = Playout.Arrival(milliseconds: 1_005, number: 20_000)
        playout.run(Playout.stream(0..<100) + [stray], until: 2_000)
        #expect(playout.packetsHeard == Array(0..<UInt16(playout.packetsHeard.count)))
        #expect(playout.concealments == 0)
    }

    @Test func silenceOfASecondEndsInRestAndANewBeginning() {
        var playout = Playout()
        let arrivals =
            Playout.stream(0..<50)
            + (50..<100).map { Playout.Arrival(milliseconds: Double($0) * 20 + 1_400, number: $0) }
        playout.run(arrivals, until: 3_400)
        #expect(playout.heard.contains(.rest))
        #expect(playout.buffer.statistics.ticksConcealed <= 48_000)
        #expect(playout.packetsHeard.last == 99 || playout.packetsHeard.last == 98)
    }

    @Test func whatCameBeforeAnyoneListenedDoesNotStayAsDelay() {
        var playout = Playout()
        // A second of packets waits when playing begins.
        let early = (0..<50).map { Playout.Arrival(milliseconds: Double($0) * 20 - 1_000, number: $0) }
        let later = (50..<100).map { Playout.Arrival(milliseconds: Double($0) * 20 - 1_000, number: $0) }
        playout.run(early + later, until: 1_000)
        #expect(playout.delays.allSatisfy { $0 <= 41 })
        #expect(playout.packetsHeard.count >= 48)
        #expect(playout.concealments == 0)
    }

    // RTP-04
    @Test func packetsOfPaddingOnlyAreNeitherHeardNorMissed() {
        var playout = Playout()
        // Numbers 30 and 31 are probes between two packets of sound.
        var arrivals = Playout.stream(0..<30)
        arrivals += [30, 31].map {
            Playout.Arrival(
                milliseconds: 581, number: $0, timestampOffset: (29 - $0) * 960, isSoundless: true)
        }
        arrivals += (32..<60).map {
            Playout.Arrival(milliseconds: Double($0 - 2) * 20, number: $0, timestampOffset: -2 * 960)
        }
        playout.run(arrivals, until: 1_150)
        #expect(playout.concealments == 0)
        #expect(!playout.heard.contains(.recovered))
        #expect(Array(playout.packetsHeard.prefix(50)) == Array(0..<30) + Array(32..<52))
        #expect(playout.buffer.statistics.packetsLost == 0)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func anyPacketsAtAnyTimeNeverTrapAndNeverPlayBackwards(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var buffer = JitterBuffer(.init(clockRate: [8_000, 48_000].randomElement(using: &random) ?? 8_000))
        var now = MonotonicInstant(nanoseconds: Int64.random(in: 0...1 << 60, using: &random))
        let wild = seed % 2 == 0
        for _ in 0..<2_000 {
            let packet = BufferedPacket(
                sequenceNumber: wild
                    ? UInt16.random(in: 0...UInt16.max, using: &random)
                    : UInt16.random(in: 0...40, using: &random),
                timestamp: UInt32.random(in: 0...(wild ? UInt32.max : 40_000), using: &random),
                durationTicks: Int.random(in: -5...10_000, using: &random), payloadType: 0,
                startsPause: Bool.random(using: &random))
            let payload = [UInt8](repeating: 1, count: Int.random(in: 0...1_600, using: &random))
            _ = buffer.insert(packet, payload: payload.span, at: now)
            now = now.advanced(by: .microseconds(Int64.random(in: 0...60_000, using: &random)))
            switch buffer.nextDecision(at: now) {
            case .conceal(let ticks, _), .rest(let ticks), .recover(_, let ticks): #expect(ticks > 0)
            case .play: break
            }
        }
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func insertingAndDecidingDoNotAllocate() {
        var buffer = JitterBuffer(.init(clockRate: 48_000))
        let payload = [UInt8](repeating: 7, count: 80)
        var before: UInt64 = 0
        for number in 0..<1_000 {
            if number == 10 { before = allocation_count() }
            let now = MonotonicInstant(nanoseconds: Int64(number) * 20_000_000)
            let packet = BufferedPacket(
                sequenceNumber: UInt16(number), timestamp: UInt32(number * 960), durationTicks: 960,
                payloadType: 111)
            if number % 17 != 0 { _ = buffer.insert(packet, payload: payload.span, at: now) }
            _ = buffer.nextDecision(at: now)
        }
        let spent = allocation_count() - before
        #expect(spent == 0)
    }
}
