/// A device's latest events, for a stream that comes back and says what it saw last.
struct EventRing {
    private struct Entry {
        let sequence: Int64
        let at: WallTime
        let text: String
    }

    private static let leastEntries = 1_000
    private static let mostEntries = 10_000
    private static let leastSeconds: Int64 = 600

    private let epoch: String
    private var entries: [Entry] = []
    private var lastSequence: Int64 = 0

    /// - Parameter epoch: Differs between any two rings, which share no events.
    init(epoch: String) {
        self.epoch = epoch
    }

    /// Whether nothing in it can still be asked for.
    func isStale(at now: WallTime) -> Bool {
        guard let last = entries.last else { return true }
        return last.at + Self.leastSeconds < now
    }

    /// Keeps an event and gives its text for the stream.
    mutating func append(_ name: String, _ data: JSONValue, at now: WallTime) -> String {
        lastSequence += 1
        let text = EventText.event(name, data, id: "\(epoch)-\(lastSequence)")
        entries.append(Entry(sequence: lastSequence, at: now, text: text))
        let isOld = (entries.first?.at ?? now) + Self.leastSeconds < now
        if entries.count > Self.mostEntries || (entries.count > Self.leastEntries && isOld) {
            entries.removeFirst()
        }
        return text
    }

    /// What a stream gets first whose client saw `lastEventID`: what it missed, or `resync`.
    func replay(after lastEventID: String?) -> String {
        guard let lastEventID else { return "" }
        let resync = EventText.event("resync", [:], id: "\(epoch)-\(lastSequence)")
        let parts = lastEventID.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == epoch, let seen = Int64(parts[1]) else { return resync }
        let oldest = entries.first?.sequence ?? lastSequence + 1
        guard seen >= oldest - 1, seen <= lastSequence else { return resync }
        return entries.lazy.filter { $0.sequence > seen }.map(\.text).joined()
    }
}

/// The wire form of server-sent events.
enum EventText {
    static let heartbeat = ": hb\n\n"
    static let retry = "retry: 1000\n\n"

    /// JSON on one line has no line break that would need a second `data:`.
    static func event(_ name: String, _ data: JSONValue, id: String? = nil) -> String {
        let head = id.map { "id: \($0)\n" } ?? ""
        return "\(head)event: \(name)\ndata: \(String(decoding: data.octets, as: UTF8.self))\n\n"
    }
}
