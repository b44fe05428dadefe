/// Answers by `Idempotency-Key`, so that a request that is sent again does nothing twice.
struct IdempotencyRecords {
    private struct Record {
        let fingerprint: String
        let at: WallTime
        var response: HTTPResponse?
    }

    enum Admission: Equatable {
        /// The first of its key: run it, then ``finish(_:with:)`` it.
        case run
        case replay(HTTPResponse)
        case mismatch
        case stillRunning
    }

    private static let keptSeconds: Int64 = 86_400
    private static let mostRecords = 10_000
    private var records: [String: Record] = [:]
    private var order: [String] = []

    mutating func admit(_ key: String, fingerprint: String, at now: WallTime) -> Admission {
        if let record = records[key], record.at + Self.keptSeconds > now {
            guard record.fingerprint == fingerprint else { return .mismatch }
            guard var response = record.response else { return .stillRunning }
            response.headers["Idempotent-Replayed"] = "true"
            return .replay(response)
        }
        if records[key] == nil { order.append(key) }
        records[key] = Record(fingerprint: fingerprint, at: now)
        if order.count > Self.mostRecords { records[order.removeFirst()] = nil }
        return .run
    }

    /// Keeps the answer; an answer that tells of our own fault isn't kept, so that a retry can do better.
    mutating func finish(_ key: String, with response: HTTPResponse) {
        guard response.status >= 500 else {
            records[key]?.response = response
            return
        }
        records[key] = nil
        order.removeAll { $0 == key }
    }
}
