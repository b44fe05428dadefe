import MediaTime
import Testing

@Suite struct FixedBufferTests {
    @Test func keepsWhatIsWrittenThroughAnyDoor() {
        var buffer = FixedBuffer<Int16>(repeating: 7, count: 6)
        buffer[0] = 1
        var span = buffer.mutableSpan
        span[1] = 2
        var part = buffer.mutableSpan(2..<4)
        part[1] = 4
        let source: [Int16] = [5, 6]
        buffer.replace(at: 4, with: source.span)
        let content = (0..<6).map { buffer[$0] }
        #expect(content == [1, 2, 7, 4, 5, 6])
    }

    @Test func writesOneAfterTheOtherAndSaysHowMany() {
        var buffer = FixedBuffer<UInt8>(repeating: 0, count: 8)
        let count = buffer.write { output in
            output.append(3)
            output.append(4)
        }
        #expect(count == 2)
        let content = (0..<3).map { buffer[$0] }
        #expect(content == [3, 4, 0])
    }

    @Test func movesOverlappingElementsToTheFrontWhole() {
        var buffer = FixedBuffer<Int>(repeating: 0, count: 6)
        for index in 0..<6 { buffer[index] = index }
        buffer.moveToFront(1..<5)
        let content = (0..<6).map { buffer[$0] }
        #expect(content == [1, 2, 3, 4, 4, 5])
    }

    @Test func copiesARangeAndFillsARest() {
        var buffer = FixedBuffer<Int>(repeating: 0, count: 4)
        for index in 0..<4 { buffer[index] = index }
        buffer.fill(from: 2, with: 9)
        var target = [Int](repeating: -1, count: 3)
        var span = target.mutableSpan
        buffer.copy(1..<4, into: &span)
        #expect(target == [1, 9, 9])
    }

    @Test func anIndexOutsideEndsTheProgramInsteadOfReadingOn() async {
        await #expect(processExitsWith: .failure) {
            let buffer = FixedBuffer<Int>(repeating: 0, count: 4)
            print(buffer[4])
        }
    }

    @Test(arguments: [(0, 0), (1_500_000_000, 1_500_000_000), (-20, -20)])
    func durationsAreWholeNanoseconds(nanoseconds: Int64, expected: Int64) {
        let start = MonotonicInstant(nanoseconds: 5)
        #expect(Duration.nanoseconds(nanoseconds).wholeNanoseconds == expected)
        #expect(start.advanced(by: .nanoseconds(nanoseconds)).nanoseconds == 5 + expected)
        #expect(start.duration(to: start.advanced(byNanoseconds: nanoseconds)) == .nanoseconds(expected))
    }

    @Test func aSeedGivesTheSameNumbersAndAnotherSeedOthers() {
        func numbers(_ seed: UInt64) -> [UInt64] {
            var random = SplitMix64(seed: seed)
            return (0..<8).map { _ in random.next() }
        }
        #expect(numbers(1) == numbers(1))
        #expect(numbers(1) != numbers(2))
        // The reference implementation's first number for seed 0.
        #expect(numbers(0).first == 0xE220_A839_7B1D_CDAF)
    }
}
