/// Why packets are refused, as far as a receiver can know (RFC 3711 §3.3).
package struct SRTPDiagnosis: BitwiseCopyable, Sendable {
    package enum Cause: BitwiseCopyable, Hashable, Sendable {
        /// Nothing has authenticated under the key, nor under it with another rollover counter: another key or suite.
        case wrongKey
        /// The packet names another master key than the one agreed on.
        case otherMasterKeyIdentifier
        /// The key is right, and the rollover counter wasn't: it was found again.
        case lostCount
        /// Others authenticate under the key, and this one didn't with any rollover counter that was tried.
        case damagedOrForged
    }

    /// Packets that didn't authenticate before any did under the key in use: key, suite or MKI are wrong.
    package internal(set) var failuresBeforeFirstSuccess: UInt64 = 0
    /// Packets that didn't authenticate after others had.
    package internal(set) var failuresAfterSuccess: UInt64 = 0
    /// Packets that authenticated after the rollover counter had been searched for.
    package internal(set) var recoveries: UInt64 = 0
    /// Searches that were due, and left out since there had been too many.
    package internal(set) var searchesLeftOut: UInt64 = 0
    /// Of the last packet that authenticated, the index (RFC 3711 §3.3.1).
    package internal(set) var lastGoodIndex: UInt64?
    /// From the last good index of its source to where the last refused packet was taken to be.
    ///
    /// Large with a lost count, small with damage.
    package internal(set) var lastGap: Int64?
    package internal(set) var lastCause: Cause?
    /// Rollover counters that the last search tried.
    package internal(set) var lastSearch = RolloverCounters()

    var hasSucceeded = false

    mutating func noteSuccess(at index: PacketIndex) {
        hasSucceeded = true
        lastGoodIndex = index.rawValue
    }

    mutating func noteFailure(_ error: SRTPError, at index: PacketIndex, after last: PacketIndex?) {
        guard error == .authentication || error == .masterKeyIdentifier else { return }
        lastGap = last.map { Int64(index.rawValue) - Int64($0.rawValue) }
        noteFailure(error)
    }

    /// Of RTCP, which says its index itself.
    mutating func noteFailure(_ error: SRTPError) {
        switch error {
        case .authentication: lastCause = hasSucceeded ? .damagedOrForged : .wrongKey
        case .masterKeyIdentifier: lastCause = .otherMasterKeyIdentifier
        default: return
        }
        if hasSucceeded { failuresAfterSuccess += 1 } else { failuresBeforeFirstSuccess += 1 }
    }
}

/// Up to eight rollover counters, each once, in the order in which they are tried.
package struct RolloverCounters: BitwiseCopyable, Sendable {
    /// What one packet is tried under at most, beside the first guess.
    package static var capacity: Int { 8 }

    private var values = InlineArray<8, UInt32>(repeating: 0)
    package private(set) var count = 0

    package init() {}

    package subscript(index: Int) -> UInt32 { values[index] }

    func contains(_ value: UInt32) -> Bool {
        for index in 0..<count where values[index] == value { return true }
        return false
    }

    /// Adds a value that isn't there, if there's room.
    mutating func append(_ value: UInt32) {
        guard count < Self.capacity, !contains(value) else { return }
        values[count] = value
        count += 1
    }
}
