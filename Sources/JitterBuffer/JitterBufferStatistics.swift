/// What a jitter buffer did since it was made.
///
/// Ticks are the RTP clock's.
package struct JitterBufferStatistics: BitwiseCopyable, Hashable, Sendable {
    package var packetsPlayed = 0
    package var packetsRecovered = 0
    /// Packets whose turn passed without them, and that have not come since.
    package var packetsLost = 0
    /// Packets that came after their turn.
    package var packetsLate = 0
    package var packetsDuplicated = 0
    /// Packets thrown away to get back to the target delay.
    package var packetsSkipped = 0
    package var restarts = 0

    package var ticksPlayed: Int64 = 0
    package var ticksRecovered: Int64 = 0
    package var ticksConcealed: Int64 = 0
    package var ticksRested: Int64 = 0

    /// Sum of the delays of all played packets, for the mean.
    package var delayTickSum: Int64 = 0

    /// Share of the sound that was made up, `0...1`; `nil` before any sound.
    package var concealedShare: Double? {
        let sound = ticksPlayed + ticksRecovered + ticksConcealed
        return sound > 0 ? Double(ticksConcealed) / Double(sound) : nil
    }
}
