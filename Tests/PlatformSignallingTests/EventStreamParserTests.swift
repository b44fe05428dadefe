import PlatformSignalling
import Testing

@Suite("text/event-stream (WHATWG HTML §9.2)")
struct EventStreamParserTests {
    private static let text =
        "\u{FEFF}: a comment\r\nretry: 1500\nevent: call.updated\rid: 1-1\r\ndata: {\"a\":1}\r\r\n"
        + "data: two\ndata:lines\nid: 1-2\n\n: hb\n\nevent: empty\n\ndata\n\nid: bad\0id\ndata: ü\n\n"
    private static let events = [
        ServerSentEvent(type: "call.updated", data: "{\"a\":1}", id: "1-1"),
        ServerSentEvent(type: "message", data: "two\nlines", id: "1-2"),
        ServerSentEvent(type: "message", data: "", id: nil),
        ServerSentEvent(type: "message", data: "ü", id: nil),
    ]

    @Test func givesTheSameEventsHoweverTheBytesAreSplit() throws {
        let bytes = Array(Self.text.utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var parser = EventStreamParser()
                var events = try parser.consume(bytes[..<first])
                events += try parser.consume(bytes[first..<second])
                events += try parser.consume(bytes[second...])
                #expect(events == Self.events, "split at \(first) and \(second)")
                #expect(parser.reconnectionTime == .milliseconds(1500))
                #expect(parser.lastEventID == "1-2")
            }
        }
    }

    @Test func anEventCutOffByTheEndNeverComes() throws {
        let bytes = Array("data: whole\nid: 7\n\n".utf8)
        for length in 0..<bytes.count {
            var parser = EventStreamParser(lastEventID: "6")
            let events = try parser.consume(bytes[..<length])
            #expect(events.isEmpty)
            #expect(parser.lastEventID == "6", "an id counts only with its event's end")
        }
    }

    @Test func refusesAnEndlessLineAndEndlessData() throws {
        var line = EventStreamParser(limit: 100)
        #expect(throws: EventStreamParser.ParseError.tooLong(limit: 100)) {
            try line.consume([UInt8](repeating: 0x61, count: 101))
        }
        var data = EventStreamParser(limit: 100)
        #expect(throws: EventStreamParser.ParseError.tooLong(limit: 100)) {
            for _ in 0..<20 { _ = try data.consume("data: 0123456789\n".utf8) }
        }
    }

    @Test(arguments: ["", "-1", "1s", "99999999999", "١"])
    func ignoresARetryThatIsNoNumber(value: String) throws {
        var parser = EventStreamParser()
        _ = try parser.consume("retry: \(value)\n".utf8)
        #expect(parser.reconnectionTime == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func survivesAnyBytes(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var parser = EventStreamParser(limit: 64)
        let alphabet: [UInt8] = Array("data:idevntry \r\n\u{0}".utf8) + [0xEF, 0xBB, 0xBF, 0xFF]
        let bytes = (0..<500).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] }
        let events = (try? parser.consume(bytes)) ?? []
        #expect(events.allSatisfy { $0.data.utf8.count < 64 * 3 && !$0.type.isEmpty })
    }

    @Test func dropsRepeatedIDsAndForgetsTheOldest() {
        var deduplicator = EventDeduplicator(capacity: 2)
        let verdicts = ["1", "2", "1", "3", "1", "3"].map { deduplicator.admits(id: $0) }
        #expect(verdicts == [true, true, false, true, true, false])
        let unnamed = [deduplicator.admits(id: nil), deduplicator.admits(id: nil)]
        #expect(unnamed == [true, true])
    }
}

/// A small generator, the same each time.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
