import AllocationCounter
import MediaTime
import RTP
import Testing

/// A receiver on a virtual clock, and what it has told: `5` for a press that began, and what ended.
struct ReceiverScript {
    var receiver = TelephoneEventReceiver()
    var now = MonotonicInstant(nanoseconds: 0)
    var began = ""
    var ended: [CompletedDigit] = []
    var clockRate = 8_000

    mutating func receive(_ hex: String, afterMilliseconds: Int64 = 20) throws {
        let bytes = octets(hex)
        let packet = try RTPPacket(parsing: bytes.span)
        let event = try TelephoneEvent(parsing: bytes.span.extracting(packet.payloadRange))
        receive(
            event, sequenceNumber: packet.header.sequenceNumber.rawValue, timestamp: packet.header.timestamp,
            marker: packet.header.marker, ssrc: packet.header.ssrc.rawValue,
            afterMilliseconds: afterMilliseconds)
    }

    mutating func receive(
        _ event: TelephoneEvent, sequenceNumber: UInt16, timestamp: UInt32, marker: Bool = false,
        ssrc: UInt32 = 1, afterMilliseconds: Int64 = 20
    ) {
        pass(milliseconds: afterMilliseconds)
        let news = receiver.receive(
            event, ssrc: SSRC(rawValue: ssrc), sequenceNumber: SequenceNumber(rawValue: sequenceNumber),
            timestamp: timestamp, marker: marker, clockRate: clockRate, at: now)
        if let before = news.endedBefore { ended.append(before) }
        if let digit = news.began { began.append(digit.character) }
        if let digit = news.ended { ended.append(digit) }
    }

    /// Lets time pass, through the deadline if it comes.
    mutating func pass(milliseconds: Int64) {
        let end = now.advanced(byNanoseconds: milliseconds * 1_000_000)
        if let deadline = receiver.deadline, deadline <= end {
            if let digit = receiver.handleDeadline(at: deadline) { ended.append(digit) }
        }
        now = end
    }
}

private func five(_ duration: UInt16, isEnd: Bool = false) -> TelephoneEvent {
    TelephoneEvent(eventCode: 5, isEnd: isEnd, volume: 10, duration: duration)
}

@Suite("Receiving telephone events, RFC 4733 §2.5.2")
struct TelephoneEventReceiverTests {
    static let updates = [
        "80e507d00000bb801234abcd050a00a0", "806507d10000bb801234abcd050a0140",
        "806507d20000bb801234abcd050a01e0", "806507d30000bb801234abcd050a0280",
    ]
    static let ends = [
        "806507d40000bb801234abcd058a0320", "806507d50000bb801234abcd058a0320",
        "806507d60000bb801234abcd058a0320",
    ]
    static let hundred = CompletedDigit(digit: .five, milliseconds: 100)

    @Test func aWholePressBeginsAndEndsOnce() throws {
        var script = ReceiverScript()
        for packet in Self.updates + Self.ends { try script.receive(packet) }
        script.pass(milliseconds: 5_000)
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-01
    @Test func aPressWithoutEndsIsEndedByTheDeadline() throws {
        var script = ReceiverScript()
        for packet in Self.updates { try script.receive(packet) }
        #expect(script.ended.isEmpty)
        script.pass(milliseconds: 249)
        #expect(script.ended.isEmpty)
        script.pass(milliseconds: 1)
        #expect(script.ended == [CompletedDigit(digit: .five, milliseconds: 80)])
        #expect(script.receiver.deadline == nil)
        #expect(script.began == "5")
    }

    // DT-01
    @Test func aPressWithoutEndsIsEndedByTheAudioAfterIt() throws {
        var script = ReceiverScript()
        for packet in Self.updates { try script.receive(packet) }
        let ssrc = SSRC(rawValue: 0x1234_ABCD)
        func audio(_ sequenceNumber: UInt16, _ timestamp: UInt32) -> CompletedDigit? {
            script.receiver.receiveAudio(
                ssrc: ssrc, sequenceNumber: SequenceNumber(rawValue: sequenceNumber), timestamp: timestamp)
        }
        // Late audio from before the press, and audio beside it, end nothing.
        #expect(audio(0x7CF, 47_840) == nil)
        #expect(audio(0x7D4, 48_640) == nil)
        #expect(audio(0x7D7, 49_120) == CompletedDigit(digit: .five, milliseconds: 80))
        #expect(audio(0x7D8, 49_280) == nil)
        try script.receive(Self.ends[2])
        #expect(script.began == "5")
        #expect(script.ended.isEmpty)
    }

    // DT-01
    @Test func aPressWithoutEndsIsEndedByTheNextOne() throws {
        var script = ReceiverScript()
        for packet in Self.updates { try script.receive(packet) }
        script.receive(
            TelephoneEvent(eventCode: 11, isEnd: true, volume: 10, duration: 400), sequenceNumber: 2_010,
            timestamp: 50_000, marker: true, ssrc: 0x1234_ABCD)
        #expect(script.began == "5#")
        #expect(
            script.ended == [
                CompletedDigit(digit: .five, milliseconds: 80),
                CompletedDigit(digit: .pound, milliseconds: 50),
            ])
    }

    // DT-02
    @Test func endsAloneAreOnePress() throws {
        var script = ReceiverScript()
        for packet in Self.ends { try script.receive(packet) }
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-03
    @Test(arguments: 0..<200 as Range<UInt64>)
    func anyOrderWithRepeatsIsOnePress(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let ends = Self.ends
        let packets = [ends[0], ends[1], ends[2], ends[2], Self.updates[2], Self.updates[1]]
        var script = ReceiverScript()
        for packet in packets.shuffled(using: &generator) { try script.receive(packet) }
        script.pass(milliseconds: 5_000)
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-04
    @Test func theSameKeyTwiceIsTwoPresses() throws {
        var script = ReceiverScript()
        for packet in Self.updates + Self.ends { try script.receive(packet) }
        for packet in Self.updates + Self.ends {
            let second = packet.replacingSequenceNumber(by: 10).replacingOccurrence(
                of: "0000bb80", by: "0000c1c0")
            try script.receive(second)
        }
        // Late repeats of the first press tell nothing new.
        for packet in Self.ends + Self.updates { try script.receive(packet) }
        #expect(script.began == "55")
        #expect(script.ended == [Self.hundred, Self.hundred])
    }

    // DT-05
    @Test func aPressWithoutMarkerIsHeard() throws {
        var script = ReceiverScript()
        try script.receive("8065" + Self.updates[0].dropFirst(4))
        for packet in Self.updates.dropFirst() + Self.ends { try script.receive(packet) }
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-06
    @Test func aFirstPacketOfNoDurationCountsNothing() throws {
        var script = ReceiverScript()
        script.receive(
            five(0), sequenceNumber: 0x7CF, timestamp: 48_000, marker: true, ssrc: 0x1234_ABCD)
        #expect(script.began.isEmpty)
        for packet in Self.updates + Self.ends { try script.receive(packet) }
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-07
    @Test(arguments: [false, true])
    func aTimestampThatGrowsWithinAPressDoesNotSplitIt(durationGrowsToo: Bool) {
        var script = ReceiverScript()
        for index in 0..<4 {
            script.receive(
                five(durationGrowsToo ? UInt16(160 * (index + 1)) : 160), sequenceNumber: UInt16(100 + index),
                timestamp: UInt32(8_000 + 160 * index), marker: index == 0)
        }
        for index in 4..<7 {
            script.receive(
                five(durationGrowsToo ? 800 : 160, isEnd: true), sequenceNumber: UInt16(100 + index),
                timestamp: UInt32(8_000 + 160 * index))
        }
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-07
    @Test func aLatePacketOfAGrowingTimestampIsNoPress() {
        var script = ReceiverScript()
        for index in [0, 1, 3, 2, 4] {
            script.receive(
                five(160, isEnd: index == 4), sequenceNumber: UInt16(100 + index),
                timestamp: UInt32(8_000 + 160 * index), marker: index == 0)
        }
        #expect(script.began == "5")
        #expect(script.ended == [Self.hundred])
    }

    // DT-09
    @Test func aHugeGapBetweenUpdatesDoesNotSplitAPress() {
        var script = ReceiverScript()
        script.receive(five(160), sequenceNumber: 1, timestamp: 8_000, marker: true)
        script.receive(five(320), sequenceNumber: 2, timestamp: 8_000)
        script.receive(five(1_696, isEnd: true), sequenceNumber: 3, timestamp: 8_000, afterMilliseconds: 172)
        #expect(script.began == "5")
        #expect(script.ended == [CompletedDigit(digit: .five, milliseconds: 212)])
    }

    // DT-11
    @Test func segmentsOfALongPressAreOne() {
        var script = ReceiverScript()
        script.clockRate = 48_000
        var sequenceNumber: UInt16 = 65_400
        var start: UInt32 = 4_294_900_000
        var told: UInt32 = 0
        for elapsed in stride(from: UInt32(960), through: 480_000, by: 960) {
            if elapsed - told >= 0xFFFF {
                script.receive(
                    five(0xFFFF), sequenceNumber: sequenceNumber, timestamp: start, afterMilliseconds: 0)
                sequenceNumber &+= 1
                start &+= 0xFFFF
                told += 0xFFFF
            }
            script.receive(
                five(UInt16(elapsed - told), isEnd: elapsed == 480_000), sequenceNumber: sequenceNumber,
                timestamp: start, marker: elapsed == 960)
            sequenceNumber &+= 1
        }
        #expect(script.began == "5")
        #expect(script.ended == [CompletedDigit(digit: .five, milliseconds: 10_000)])
    }

    @Test func aSegmentWhoseFullDurationWasLostStillContinuesThePress() {
        var script = ReceiverScript()
        script.receive(five(65_000), sequenceNumber: 1, timestamp: 0, marker: true)
        script.receive(five(2_000), sequenceNumber: 9, timestamp: 0xFFFF, afterMilliseconds: 160)
        script.receive(five(4_000, isEnd: true), sequenceNumber: 10, timestamp: 0xFFFF)
        #expect(script.began == "5")
        #expect(script.ended == [CompletedDigit(digit: .five, milliseconds: (65_535 + 4_000) / 8)])
    }

    @Test func aClockThatStandsStillBetweenPressesDoesNotSwallowThem() {
        var script = ReceiverScript()
        for press in 0..<3 as Range<UInt16> {
            script.receive(five(160), sequenceNumber: 10 * press, timestamp: 8_000, marker: true)
            script.receive(five(320, isEnd: true), sequenceNumber: 10 * press + 1, timestamp: 8_000)
        }
        #expect(script.began == "555")
        #expect(script.ended.count == 3)
    }

    @Test func twoSourcesDoNotRepeatEachOthersPresses() {
        var script = ReceiverScript()
        for index in 0..<6 as Range<UInt16> {
            script.receive(five(800, isEnd: true), sequenceNumber: index, timestamp: 8_000, ssrc: 1)
            script.receive(five(800, isEnd: true), sequenceNumber: index, timestamp: 8_000, ssrc: 2)
        }
        #expect(script.began == "55")
        #expect(script.ended == [Self.hundred, Self.hundred])
    }

    @Test func aRestartedSourceIsHeardAfterTwoSeconds() {
        var script = ReceiverScript()
        script.receive(five(800, isEnd: true), sequenceNumber: 1_000, timestamp: 8_000_000)
        script.receive(
            five(800, isEnd: true), sequenceNumber: 10, timestamp: 5_000, afterMilliseconds: 2_000)
        #expect(script.began == "55")
    }

    @Test func anEventThatIsNoKeyEndsThePressAndIsNotTold() {
        var script = ReceiverScript()
        script.receive(five(160), sequenceNumber: 1, timestamp: 8_000, marker: true)
        let flash = TelephoneEvent(eventCode: 16, isEnd: true, volume: 10, duration: 800)
        for index in 2..<5 as Range<UInt16> {
            script.receive(flash, sequenceNumber: index, timestamp: 16_000)
        }
        script.receive(five(320, isEnd: true), sequenceNumber: 5, timestamp: 8_000)
        #expect(script.began == "5")
        #expect(script.ended == [CompletedDigit(digit: .five, milliseconds: 20)])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func whateverComesEachPressEndsOnceBeforeTheNext(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var script = ReceiverScript()
        for _ in 0..<300 {
            let event = TelephoneEvent(
                eventCode: .random(in: 0...18, using: &generator), isEnd: .random(using: &generator),
                volume: 10, duration: UInt16.random(in: 0...0xFFFF, using: &generator))
            script.receive(
                event, sequenceNumber: .random(in: 0...0xFFFF, using: &generator),
                timestamp: .random(in: 0...3, using: &generator) &* 0x5555_5555,
                marker: .random(using: &generator),
                ssrc: .random(in: 0...2, using: &generator),
                afterMilliseconds: .random(in: 0...400, using: &generator))
            let open = script.receiver.deadline == nil ? 0 : 1
            #expect(script.began.count == script.ended.count + open)
        }
        script.pass(milliseconds: 1_000)
        #expect(script.began.map(\.self) == script.ended.map(\.digit.character))
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func receivingAllocatesAndLocksNothing() {
        func presses(from first: Int, to receiver: inout TelephoneEventReceiver) -> Int {
            var told = 0
            for index in first..<first + 1_000 {
                let now = MonotonicInstant(nanoseconds: Int64(index) * 20_000_000)
                let news = receiver.receive(
                    five(UInt16(160 * (index % 5 + 1)), isEnd: index % 5 == 4), ssrc: SSRC(rawValue: 1),
                    sequenceNumber: SequenceNumber(rawValue: UInt16(index)),
                    timestamp: UInt32(index / 5) * 2_000, marker: index % 5 == 0, clockRate: 8_000, at: now)
                if case .some = news.began { told += 1 }
                _ = receiver.handleDeadline(at: now)
            }
            return told
        }
        var receiver = TelephoneEventReceiver()
        // The first use of its types locks, once.
        _ = presses(from: 0, to: &receiver)
        let before = (allocation_count(), lock_count())
        let told = presses(from: 1_000, to: &receiver)
        let after = (allocation_count(), lock_count())
        #expect(after.0 - before.0 == 0)
        #expect(after.1 - before.1 == 0)
        #expect(told == 200)
    }
}

extension String {
    fileprivate func replacingSequenceNumber(by ahead: Int) -> String {
        let number = (Int(dropFirst(4).prefix(4), radix: 16) ?? 0) + ahead
        let hex = String(number, radix: 16)
        return prefix(4) + String(repeating: "0", count: 4 - hex.count) + hex + dropFirst(8)
    }

    fileprivate func replacingOccurrence(of old: String, by new: String) -> String {
        guard let range = firstRange(of: old) else { return self }
        return self[..<range.lowerBound] + new + self[range.upperBound...]
    }
}
