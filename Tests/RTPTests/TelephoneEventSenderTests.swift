import AllocationCounter
import MediaTime
import RTP
import Testing

@Suite("Sending telephone events, RFC 4733 §2.5.1")
struct TelephoneEventSenderTests {
    /// What `sender` puts in each 20 ms slot until it is idle.
    private func slots(
        of sender: inout TelephoneEventSender, clockRate: Int, from start: UInt32 = 48_000
    ) -> [TelephoneEventPacket?] {
        var result: [TelephoneEventPacket?] = []
        while !sender.isIdle, result.count < 5_000 {
            result.append(
                sender.nextPacket(timestamp: start &+ UInt32(result.count) * UInt32(clockRate / 50)))
        }
        return result
    }

    private func sender(of digits: String, clockRate: Int = 8_000, tone: Int = 100) throws
        -> TelephoneEventSender
    {
        var sender = try TelephoneEventSender(clockRate: clockRate, toneMilliseconds: tone)
        for digit in digits.compactMap({ DTMFDigit($0) }) {
            let isTaken = sender.enqueue(digit)
            #expect(isTaken)
        }
        return sender
    }

    // Vectors D1 to D7
    @Test func aDigitIsSentAsTheVectorsHaveIt() throws {
        var sender = try sender(of: "5")
        var sequenceNumber = SequenceNumber(rawValue: 2_000)
        let sent = slots(of: &sender, clockRate: 8_000).compactMap { $0 }.map { packet in
            let header = RTPHeader(
                marker: packet.marker, payloadType: PayloadType(rawValue: 101),
                sequenceNumber: sequenceNumber,
                timestamp: packet.timestamp, ssrc: SSRC(rawValue: 0x1234_ABCD))
            sequenceNumber = sequenceNumber.next
            return datagram(capacity: 16) {
                header.serialize(into: &$0)
                packet.event.serialize(into: &$0)
            }
        }
        let expected = TelephoneEventReceiverTests.updates + TelephoneEventReceiverTests.ends
        #expect(sent == expected.map(octets))
    }

    @Test(arguments: [8_000, 16_000, 32_000, 48_000])
    func digitsKeepToneAndPauseInEveryClockRate(clockRate: Int) throws {
        var sender = try TelephoneEventSender(clockRate: clockRate)
        for digit in [DTMFDigit.one, .one, .two] { _ = sender.enqueue(digit) }
        let slots = slots(of: &sender, clockRate: clockRate)
        let starts = slots.indices.filter { slots[$0]?.marker == true }
        // 160 ms of tone and 100 of pause are 13 slots.
        #expect(starts == [0, 13, 26])
        let ends = slots.compactMap { $0 }.filter(\.event.isEnd)
        #expect(ends.count == 9)
        #expect(ends.allSatisfy { Int($0.event.duration) == 160 * clockRate / 1_000 })
        #expect(ends.map(\.event.eventCode) == [1, 1, 1, 1, 1, 1, 2, 2, 2])
        #expect(!slots.contains { $0?.event.duration == 0 })
    }

    @Test(arguments: [(70, 100), (110, 130), (205, 333)])
    func thePauseIsNeverShorterThanAsked(pause: Int, tone: Int) throws {
        var sender = try TelephoneEventSender(
            clockRate: 8_000, toneMilliseconds: tone, pauseMilliseconds: pause)
        for digit in [DTMFDigit.one, .two] { _ = sender.enqueue(digit) }
        let packets = slots(of: &sender, clockRate: 8_000).compactMap { $0 }
        let starts = packets.filter(\.marker).map(\.timestamp)
        let gap = Int(starts[1] - starts[0]) / 8 - tone
        #expect((pause..<pause + 20).contains(gap))
        #expect(packets.filter(\.event.isEnd).allSatisfy { Int($0.event.duration) == tone * 8 })
    }

    // DT-11
    @Test func aLongToneIsSentInSegments() throws {
        var sender = try sender(of: "9", clockRate: 48_000, tone: 6_000)
        let packets = slots(of: &sender, clockRate: 48_000, from: .max - 100_000).compactMap { $0 }
        #expect(packets.filter(\.marker).count == 1)
        #expect(packets.filter(\.event.isEnd).count == 3)
        let starts = packets.map(\.timestamp).reduce(into: [UInt32]()) { if $0.last != $1 { $0.append($1) } }
        #expect(starts == (0..<5).map { (UInt32.max - 100_000) &+ 0xFFFF * $0 })
        #expect(packets.filter { $0.event.duration == 0xFFFF }.count == 12)
        #expect(Int(packets[packets.count - 1].event.duration) == 288_000 - 4 * 0xFFFF)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func everyDigitArrivesOnceThroughAnyLossThatLeavesAPacketOfEach(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let clockRate = [8_000, 16_000, 48_000][Int(seed % 3)]
        let digits = String((0..<20).compactMap { _ in "0123456789*#ABCD".randomElement(using: &generator) })
        var sender = try sender(of: digits, clockRate: clockRate, tone: seed % 2 == 0 ? 160 : 2_900)
        var script = ReceiverScript()
        script.clockRate = clockRate
        var lostInARow = 0
        for (index, packet) in slots(of: &sender, clockRate: clockRate).enumerated() {
            guard let packet, lostInARow > 6 || Int.random(in: 0..<10, using: &generator) >= 3 else {
                lostInARow += packet == nil ? 0 : 1
                script.pass(milliseconds: 20)
                continue
            }
            lostInARow = 0
            script.receive(
                packet.event, sequenceNumber: UInt16(truncatingIfNeeded: 65_000 + index),
                timestamp: packet.timestamp, marker: packet.marker)
        }
        script.pass(milliseconds: 1_000)
        #expect(script.began == digits)
        #expect(String(script.ended.map(\.digit.character)) == digits)
    }

    @Test func aFullQueueTakesNoMoreAndLosesNone() throws {
        var sender = try sender(of: String(repeating: "1", count: TelephoneEventSender.capacity))
        let isTaken = sender.enqueue(.two)
        #expect(!isTaken)
        #expect(sender.waitingCount == 32)
        // The first leaves the queue as it begins.
        _ = sender.nextPacket(timestamp: 0)
        let isTakenNow = sender.enqueue(.two)
        #expect(isTakenNow)
        let packets = slots(of: &sender, clockRate: 8_000, from: 160).compactMap { $0 }
        #expect(packets.filter(\.marker).map(\.event.eventCode) == [UInt8](repeating: 1, count: 31) + [2])
    }

    @Test func nothingIsSentWhenIdle() throws {
        var sender = try TelephoneEventSender(clockRate: 48_000)
        #expect(sender.isIdle)
        let packet = sender.nextPacket(timestamp: 7)
        #expect(packet == nil)
        #expect(sender.isIdle)
    }

    @Test func slotsLeftOutCountAsTimeAndJumpsDoNot() throws {
        var sender = try sender(of: "5")
        _ = sender.nextPacket(timestamp: 0)
        // Two slots were left out.
        let second = sender.nextPacket(timestamp: 480)
        #expect(second?.event.duration == 640)
        // The clock jumps back, far: one slot.
        let last = sender.nextPacket(timestamp: 4_000_000_000)
        #expect(last?.timestamp == 0)
        #expect(last?.event == TelephoneEvent(eventCode: 5, isEnd: true, volume: 10, duration: 800))
    }

    @Test func whatCannotBeSentIsRefused() {
        #expect(throws: TelephoneEventSenderError.unsupportedClockRate(0)) {
            try TelephoneEventSender(clockRate: 0)
        }
        #expect(throws: TelephoneEventSenderError.unsupportedTone(milliseconds: 99)) {
            try TelephoneEventSender(clockRate: 8_000, toneMilliseconds: 99)
        }
        #expect(throws: TelephoneEventSenderError.unsupportedPause(milliseconds: 69)) {
            try TelephoneEventSender(clockRate: 8_000, pauseMilliseconds: 69)
        }
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func sendingAllocatesAndLocksNothing() throws {
        func packets(of sender: inout TelephoneEventSender) -> Int {
            var sent = 0
            for index in 0..<500 {
                guard case .some = sender.nextPacket(timestamp: UInt32(index * 160)) else { continue }
                sent += 1
            }
            return sent
        }
        // The first use of its types locks, once.
        var first = try sender(of: "0123456789")
        _ = packets(of: &first)
        var second = try sender(of: "0123456789")
        let before = (allocation_count(), lock_count())
        let sent = packets(of: &second)
        let after = (allocation_count(), lock_count())
        #expect(after.0 - before.0 == 0)
        #expect(after.1 - before.1 == 0)
        #expect(sent == 70)
    }
}
