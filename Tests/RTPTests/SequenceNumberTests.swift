import MediaTime
import RTP
import Testing

struct SequenceNumberTests {
    @Test(arguments: [(0xFFFF, 0, 1), (0, 0xFFFF, -1), (0, 0x8000, -32768), (0, 0x7FFF, 32767), (7, 7, 0)])
    func distanceGoesTheShortWayRound(from: Int, to: Int, expected: Int) {
        let (from, to) = (SequenceNumber(rawValue: UInt16(from)), SequenceNumber(rawValue: UInt16(to)))
        #expect(from.distance(to: to) == expected)
    }

    @Test func theNextOfTheLastIsZero() {
        #expect(SequenceNumber(rawValue: 0xFFFF).next.rawValue == 0)
    }

    @Test func aReorderedPacketAcrossAWrapUnwrapsBackwards() {
        var unwrapper = SequenceUnwrapper()
        let line = [65534, 0, 65535, 1].map { unwrapper.unwrap(SequenceNumber(rawValue: $0)) }
        #expect(line == [65534, 65536, 65535, 65537])
    }

    @Test func aPacketFromBeforeTheFirstIsNegative() {
        var numbers = SequenceUnwrapper()
        var timestamps = TimestampUnwrapper()
        #expect(numbers.unwrap(SequenceNumber(rawValue: 0)) == 0)
        #expect(numbers.unwrap(SequenceNumber(rawValue: 0xFFFF)) == -1)
        #expect(timestamps.unwrap(0) == 0)
        #expect(timestamps.unwrap(UInt32.max - 159) == -160)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func unwrappingFollowsALineThatIsShuffledALittle(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let start = Int64.random(in: 0..<65536, using: &generator)
        var numbers = SequenceUnwrapper()
        var timestamps = TimestampUnwrapper()
        _ = numbers.unwrap(SequenceNumber(rawValue: UInt16(start)))
        _ = timestamps.unwrap(UInt32(start))
        for position in stride(from: start, to: start + 200_000, by: 50) {
            let here = position + .random(in: -200...200, using: &generator)
            #expect(numbers.unwrap(SequenceNumber(rawValue: UInt16(truncatingIfNeeded: here))) == here)
            let later = here * 960 * 1000 - start * 959_999
            #expect(timestamps.unwrap(UInt32(truncatingIfNeeded: later)) == later)
        }
    }
}
