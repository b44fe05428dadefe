/// One event of a `text/event-stream` (WHATWG HTML §9.2).
package struct ServerSentEvent: Hashable, Sendable {
    /// The `event` field, `message` when there is none.
    package var type: String
    /// The `data` lines, joined by line feeds.
    package var data: String
    /// The `id` that came with this very event, or `nil`.
    package var id: String?

    package init(type: String, data: String, id: String?) {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// Reads a `text/event-stream` (WHATWG HTML §9.2.6) from pieces of any size.
package struct EventStreamParser: Sendable {
    /// The stream can't be read on; open it anew.
    package enum ParseError: Error, Hashable, Sendable {
        /// A line, or an event's data, is longer than `limit` bytes.
        case tooLong(limit: Int)
    }

    /// What the server last asked to wait before reconnecting, or `nil`.
    package private(set) var reconnectionTime: Duration?
    /// The last `id` of a dispatched event; empty when there was none.
    package private(set) var lastEventID = ""

    private let limit: Int
    private var line: [UInt8] = []
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var pendingID: String?
    private var endedWithReturn = false
    private var isFirstLine = true

    /// Makes a parser for a new connection.
    ///
    /// - Parameters:
    ///   - limit: The longest line, and the most data of one event, in bytes.
    ///   - lastEventID: The id reached on an earlier connection.
    package init(limit: Int = 1024 * 1024, lastEventID: String = "") {
        self.limit = limit
        self.lastEventID = lastEventID
    }

    /// Reads the next bytes.
    ///
    /// - Returns: The events that became complete. One that the stream's end cuts off never does.
    package mutating func consume(_ bytes: some Sequence<UInt8>) throws(ParseError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let followsReturn = endedWithReturn
            endedWithReturn = byte == 0x0D
            switch byte {
            case 0x0A where followsReturn:
                continue
            case 0x0A, 0x0D:
                if let event = try endLine() { events.append(event) }
            default:
                guard line.count < limit else { throw .tooLong(limit: limit) }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(ParseError) -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: 0x3A)
        let name = String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self)
        var value = line[(colon.map { $0 + 1 } ?? line.endIndex)...]
        if value.first == 0x20 { value.removeFirst() }
        try setField(name, value)
        return nil
    }

    private mutating func setField(_ name: String, _ value: ArraySlice<UInt8>) throws(ParseError) {
        switch name {
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < limit else { throw .tooLong(limit: limit) }
            if hasData { data.append(0x0A) }
            hasData = true
            data.append(contentsOf: value)
        case "id":
            if !value.contains(0) { pendingID = String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let milliseconds = Int32(String(decoding: value, as: UTF8.self)) else { return }
            reconnectionTime = .milliseconds(milliseconds)
        default:
            return
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
            pendingID = nil
        }
        if let pendingID { lastEventID = pendingID }
        guard hasData else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self),
            id: pendingID)
    }
}
