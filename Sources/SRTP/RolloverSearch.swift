internal import MediaTime

extension RolloverCounters {
    /// What to try for a packet of a source that has authenticated under the key before, and was guessed to be at `guess`.
    ///
    /// Only what lies ahead: a counter that goes back under one key would let old packets in again.
    init(after guess: PacketIndex) {
        for step in 1...4 as ClosedRange<UInt32> where guess.rolloverCounter <= .max - step {
            append(guess.rolloverCounter + step)
        }
    }

    /// What to try for the first packet of a source under a key.
    ///
    /// Its old counter, since a change of keys doesn't reset it (RFC 3711 §3.3.1); 0, since some reset it all the same;
    /// what lies beside; and the first few, for a source that has sent longer than we listened.
    ///
    /// - Parameters:
    ///   - kept: Where the packet is by the counter that the source had under the last key, if it had one.
    ///   - tried: What it was tried under already.
    init(kept: PacketIndex?, except tried: UInt32?) {
        var wanted = RolloverCounters()
        if let counter = kept?.rolloverCounter {
            wanted.append(counter)
            wanted.append(0)
            if counter < .max { wanted.append(counter + 1) }
            if counter > 0 { wanted.append(counter - 1) }
        }
        for counter in 0..<8 as Range<UInt32> { wanted.append(counter) }
        for index in 0..<wanted.count where wanted[index] != tried { append(wanted[index]) }
    }
}

/// How often rollover counters may be searched for: four times at once, and four times a second on average.
///
/// So a flood of forged packets costs at most 32 checks of a tag a second more than its own.
struct SearchBudget: BitwiseCopyable {
    static let perSecond = 4
    private var searches = Self.perSecond
    private var lastRefill = MonotonicInstant(nanoseconds: 0)

    /// Spends one search, if there's one left at `now`.
    mutating func take(at now: MonotonicInstant) -> Bool {
        let interval = 1_000_000_000 / Int64(Self.perSecond)
        let earned = (now.nanoseconds - lastRefill.nanoseconds) / interval
        if searches == Self.perSecond || earned >= Int64(Self.perSecond) {
            searches = Self.perSecond
            lastRefill = now
        } else if earned > 0 {
            searches = min(Self.perSecond, searches + Int(earned))
            lastRefill = lastRefill.advanced(byNanoseconds: earned * interval)
        }
        guard searches > 0 else { return false }
        searches -= 1
        return true
    }
}
