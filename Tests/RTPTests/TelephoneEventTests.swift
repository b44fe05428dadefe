import AllocationCounter
import MediaTime
import RTP
import Testing

@Suite("The telephone-event payload, RFC 4733 §2.3 and §3.2")
struct TelephoneEventTests {
    @Test func anEndReadsAsItWasWritten() throws {
        let event = TelephoneEvent(eventCode: 5, isEnd: true, volume: 10, duration: 800)
        let bytes = datagram(capacity: 4) { event.serialize(into: &$0) }
        #expect(bytes == octets("058a0320"))
        #expect(try TelephoneEvent(parsing: bytes.span) == event)
    }

    @Test func theReservedBitAndWhatFollowsAreIgnored() throws {
        let event = try TelephoneEvent(parsing: octets("10 7f ffff 05 0a 00a0").span)
        #expect(event == TelephoneEvent(eventCode: 16, isEnd: false, volume: 63, duration: 0xFFFF))
    }

    @Test func aVolumeBeyondTheFieldIsItsLargest() {
        let event = TelephoneEvent(eventCode: 0, isEnd: false, volume: 200, duration: 1)
        #expect(datagram(capacity: 4) { event.serialize(into: &$0) } == octets("003f0001"))
    }

    @Test(arguments: 0..<4)
    func rejectsEveryTruncation(length: Int) {
        #expect(throws: TelephoneEventParseError.truncated(needed: 4, got: length)) {
            try TelephoneEvent(parsing: Array(octets("058a0320").prefix(length)).span)
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func randomOctetsReadBackButForTheReservedBit(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let bytes = [UInt8].random(count: 4, using: &generator)
        let event = try TelephoneEvent(parsing: bytes.span)
        let written = datagram(capacity: 4) { event.serialize(into: &$0) }
        #expect(written == [bytes[0], bytes[1] & 0xBF, bytes[2], bytes[3]])
    }

    @Test func everyKeyHasItsCharacterAndCode() throws {
        for (code, character) in "0123456789*#ABCD".enumerated() {
            let digit = try #require(DTMFDigit(character))
            #expect(digit.eventCode == UInt8(code))
            #expect(DTMFDigit(eventCode: UInt8(code)) == digit)
            #expect(digit.character == character)
        }
        #expect("abcd".compactMap { DTMFDigit($0) } == [.a, .b, .c, .d])
    }

    @Test(arguments: ["E", "+", " ", "٣", "５", "𝟗"])
    func whatIsOnNoKeyIsNoDigit(character: Character) {
        #expect(DTMFDigit(character) == nil)
    }

    @Test(arguments: 16...255 as ClosedRange<UInt8>)
    func otherEventsAreNoDigits(code: UInt8) {
        #expect(DTMFDigit(eventCode: code) == nil)
    }
}
