internal import FoundationEssentials

/// What the platform tells over the event stream.
package enum PlatformEvent: Hashable, Sendable {
    /// A call changed.
    case callUpdated(CallSnapshot)
    /// Events may be missing: ask for the call anew.
    case resync
    /// Another stream of this device took over; this one doesn't come back.
    case sessionReplaced
    /// The token ends soon.
    case tokenExpiring
    /// An event this version doesn't know, or can't read: its type.
    case other(String)

    package init(_ event: ServerSentEvent) {
        switch event.type {
        case "call.updated":
            let snapshot = try? JSONDecoder().decode(CallSnapshot.self, from: Data(event.data.utf8))
            self = snapshot.map(PlatformEvent.callUpdated) ?? .other(event.type)
        case "resync": self = .resync
        case "session.replaced": self = .sessionReplaced
        case "token.expiring": self = .tokenExpiring
        default: self = .other(event.type)
        }
    }
}

/// Drops what the stream delivers twice: delivery is at least once.
package struct EventDeduplicator: Sendable {
    private let capacity: Int
    private var recent: [String] = []
    private var known: Set<String> = []
    private var oldest = 0
    private var versions: [Int: Int] = [:]

    /// Makes one that remembers the last `capacity` ids.
    package init(capacity: Int = 1024) {
        self.capacity = max(1, capacity)
    }

    /// Whether an event with `id` is new.
    ///
    /// Events without an id always are.
    package mutating func admits(id: String?) -> Bool {
        guard let id, !id.isEmpty else { return true }
        guard known.insert(id).inserted else { return false }
        if recent.count < capacity {
            recent.append(id)
        } else {
            known.remove(recent[oldest])
            recent[oldest] = id
            oldest = (oldest + 1) % capacity
        }
        return true
    }

    /// Whether `snapshot` is newer than all that were admitted of its call.
    ///
    /// Snapshots without a version always are.
    package mutating func admits(_ snapshot: CallSnapshot) -> Bool {
        guard let version = snapshot.version else { return true }
        if let newest = versions[snapshot.id], version <= newest { return false }
        if versions.count >= capacity, versions[snapshot.id] == nil { versions.removeAll() }
        versions[snapshot.id] = version
        return true
    }
}
