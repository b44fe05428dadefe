internal import JitterBuffer
internal import MediaTime
package import QualityModel
internal import RTP

/// How the last interval sounded.
package struct RecentQuality: BitwiseCopyable, Hashable, Sendable {
    /// Share of the interval's sound that was made up, `0...1`.
    package var concealedShare: Double
    package var estimate: QualityEstimate
}

/// How one source's packets were there when their turn came.
struct PlayingRecord: BitwiseCopyable {
    private(set) var bursts = BurstCounter()
    /// Packets that came and were thrown away: late, or skipped to get the delay down.
    private(set) var discarded = 0
    /// The buffer's figures at the last look.
    private var last: JitterBufferStatistics?
    /// Its figures when the interval began that ``recent`` will be of.
    private var atInterval: JitterBufferStatistics?
    private(set) var recent: RecentQuality?

    /// Takes note of what the buffer did since the last look.
    mutating func update(from before: JitterBufferStatistics, to now: JitterBufferStatistics) {
        let last = last ?? before
        let skipped = now.packetsSkipped - last.packetsSkipped
        let missed = now.packetsLost - before.packetsLost + now.packetsSkipped - before.packetsSkipped
        // A gap as long as the buffer is all that one decision can pass.
        for _ in 0..<min(max(missed, 0), 256) { bursts.miss() }
        bursts.receive(now.packetsPlayed - before.packetsPlayed)
        discarded += skipped + now.packetsLate - last.packetsLate
        self.last = now
        if atInterval == nil { atInterval = before }
    }

    /// Ends the interval, and rates it.
    mutating func endInterval(of equipment: EquipmentImpairment, delay: Duration) {
        guard let from = atInterval, let to = last else { return }
        atInterval = to
        let made = to.ticksConcealed - from.ticksConcealed
        let heard = to.ticksPlayed - from.ticksPlayed + to.ticksRecovered - from.ticksRecovered
        recent = nil
        guard made + heard > 0 else { return }
        let share = Double(made) / Double(made + heard)
        let estimate = QualityEstimate(
            of: equipment, packetsReceived: to.packetsPlayed - from.packetsPlayed, lossFraction: share,
            mouthToEarDelay: delay)
        if let estimate { recent = RecentQuality(concealedShare: share, estimate: estimate) }
    }
}

extension MediaSession {
    /// What to play from `now` on, taken note of.
    mutating func nextDecision(at now: MonotonicInstant) -> PlayoutDecision {
        let before = jitterBuffer.statistics
        let decision = jitterBuffer.nextDecision(at: now)
        source?.playing.update(from: before, to: jitterBuffer.statistics)
        return decision
    }
}
