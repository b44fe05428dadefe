import FuzzSupport
import PlatformSignalling

/// The first octet decides where the stream is cut; the rest is the stream.
@main enum FuzzEventStream {
    /// Small, so that inputs reach it.
    private static let limit = 96

    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        var cuts = Cuts(seed: input.octet())
        let stream = input.remainder()
        let whole = Outcome(of: [stream[...]], limit: limit)
        let cut = Outcome(of: cuts.pieces(of: stream), limit: limit)
        precondition(whole.isRefused == cut.isRefused, "where a stream is cut decides not if it is refused")
        precondition(whole.lastEventID == cut.lastEventID, "… nor its last id")
        precondition(whole.reconnectionTime == cut.reconnectionTime, "… nor when to come back")
        guard !whole.isRefused else { return }
        precondition(whole.events == cut.events, "… nor its events")
        for event in whole.events { checkEvent(event) }
    }

    private static func checkEvent(_ event: ServerSentEvent) {
        precondition(!event.type.isEmpty, "an event has a type")
        // Each octet that isn't UTF-8 becomes one of three.
        precondition(event.data.utf8.count <= 3 * limit, "an event's data is within its limit")
        precondition(!event.data.utf8.contains(0x0D), "a carriage return ends a line")
        precondition(event.id?.utf8.contains(0) != true, "an id with a null octet is none")
    }
}

private struct Cuts {
    private var state: UInt64

    init(seed: UInt8) { state = UInt64(seed) }

    mutating func pieces(of stream: [UInt8]) -> [ArraySlice<UInt8>] {
        var rest = stream[...]
        var pieces: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let count = Int(state >> 61)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

private struct Outcome {
    private(set) var events: [ServerSentEvent] = []
    private(set) var isRefused = false
    let lastEventID: String
    let reconnectionTime: Duration?

    init(of pieces: [ArraySlice<UInt8>], limit: Int) {
        var parser = EventStreamParser(limit: limit, lastEventID: "before")
        do throws(EventStreamParser.ParseError) {
            for piece in pieces { events += try parser.consume(piece) }
        } catch { isRefused = true }
        lastEventID = parser.lastEventID
        reconnectionTime = parser.reconnectionTime
    }
}
