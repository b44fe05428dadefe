package import MediaTime

/// How well one source is received (RFC 3550 §6.4.1, §A.1, §A.3, §A.8).
///
/// Tell it every packet, in the order of arrival. Real-time safe.
package struct ReceptionStatistics: BitwiseCopyable, Sendable {
    /// What a packet's sequence number says about it.
    package enum Verdict: BitwiseCopyable, Hashable, Sendable {
        /// The next packet, or a later one with up to ``maximumDropout`` missing before it.
        case accepted
        /// Sent before one that has come already.
        case reordered
        /// One that has come already.
        case duplicate
        /// The source isn't valid yet: it hasn't sent enough packets in sequence. Not counted.
        case onProbation
        /// Far from where the sequence is. Drop it, not counted; if the next one follows it, the source has restarted.
        case outOfSequence
        /// The second packet of a sequence that begins anew: give up on what came before.
        case restarted
    }

    /// Steps ahead from which a packet counts as a restart, not as loss: a minute of 20 ms packets (§A.1).
    package static var maximumDropout: Int {
        @_noLocks @_noAllocation
        get { 3000 }
    }

    /// Steps behind from which a packet counts as a restart, not as late: 2 s of 20 ms packets (§A.1).
    package static var maximumMisorder: Int {
        @_noLocks @_noAllocation
        get { 100 }
    }

    private let ssrc: SSRC
    private let minimumInSequence: Int
    /// Packets in sequence that the source still has to send before it is believed.
    private var probation: Int
    /// The packet that would follow the last one on probation or out of sequence.
    private var awaited: SequenceNumber?

    /// The sequence since the start or the last restart, on an unwrapped line.
    private var base: Int64 = 0
    private var highest: Int64 = 0
    /// Bit n: whether packet `highest - n` has come.
    private var history: UInt128 = 0
    private var expectedBeforeRestart: Int64 = 0
    private var jitterEstimator: JitterEstimator

    private var expectedAtLastReport: Int64 = 0
    private var receivedAtLastReport: Int64 = 0
    private var atLastSummary: (highest: Int64, expected: Int64, received: Int64, duplicates: Int64)?

    /// Packets counted, duplicates included.
    package private(set) var received: Int64 = 0
    /// Packets that came after a later one, without duplicates.
    package private(set) var reordered: Int64 = 0
    /// Packets that came more than once.
    package private(set) var duplicates: Int64 = 0
    /// How often the source began a new sequence.
    package private(set) var restarts = 0

    /// Begins to count.
    ///
    /// - Parameters:
    ///   - ssrc: The source.
    ///   - clockRate: Units of the RTP timestamp in a second, at least 1.
    ///   - probation: Packets in sequence before the source is believed: 2 (§A.1 MIN_SEQUENTIAL), or 1 when each
    ///     packet is authenticated.
    @_noLocks @_noAllocation
    package init(ssrc: SSRC, clockRate: Int, probation: Int = 2) {
        self.ssrc = ssrc
        precondition(probation > 0, "a source is believed with its first packet or later")
        minimumInSequence = probation
        self.probation = probation
        jitterEstimator = JitterEstimator(clockRate: clockRate)
    }

    /// Packets sent between the first and the last that came.
    package var expected: Int64 {
        @_noLocks @_noAllocation
        get { expectedBeforeRestart + (history == 0 ? 0 : highest - base + 1) }
    }

    /// Packets expected and not received since the beginning; negative with more duplicates than losses (§6.4.1).
    package var cumulativeLost: Int64 {
        @_noLocks @_noAllocation
        get { expected - received }
    }

    /// Interarrival jitter in units of the RTP clock.
    package var jitter: UInt32 {
        @_noLocks @_noAllocation
        get { jitterEstimator.clockUnits }
    }

    /// Interarrival jitter in ms, or `nil` before two packets could be compared.
    package var jitterMilliseconds: Double? {
        @_noLocks @_noAllocation
        get { jitterEstimator.milliseconds }
    }

    /// Wraps in the upper 16 bits, the highest sequence number in the lower.
    package var extendedHighestSequenceNumber: UInt32 {
        @_noLocks @_noAllocation
        get { UInt32(truncatingIfNeeded: highest) }
    }

    /// Goes on at another RTP clock, as after a change of codec.
    ///
    /// The jitter so far is kept in time, not in units.
    @_noLocks @_noAllocation
    package mutating func changeClockRate(to clockRate: Int) {
        jitterEstimator.changeClockRate(to: clockRate)
    }

    /// Counts a packet.
    ///
    /// - Parameters:
    ///   - sequenceNumber: The packet's.
    ///   - timestamp: The packet's.
    ///   - arrival: When the kernel received it.
    ///   - marker: Whether it says that it begins a talk spurt.
    /// - Returns: Whether to go on with the packet: drop it on ``Verdict/outOfSequence`` and ``Verdict/duplicate``.
    @_noLocks @_noAllocation
    package mutating func receive(
        sequenceNumber: SequenceNumber, timestamp: UInt32, arrival: MonotonicInstant, marker: Bool = false
    ) -> Verdict {
        let verdict = judge(sequenceNumber)
        switch verdict {
        case .onProbation, .outOfSequence, .duplicate: break
        case .restarted:
            jitterEstimator.restart()
            jitterEstimator.receive(timestamp: timestamp, arrival: arrival, marker: marker)
        case .accepted, .reordered:
            jitterEstimator.receive(timestamp: timestamp, arrival: arrival, marker: marker)
        }
        return verdict
    }

    @_noLocks @_noAllocation
    private mutating func judge(_ number: SequenceNumber) -> Verdict {
        guard probation == 0 else { return judgeOnProbation(number) }

        let step = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest)).distance(to: number)
        if step > 0, step < Self.maximumDropout {
            highest += Int64(step)
            history = step < UInt128.bitWidth ? history &<< UInt128(step) | 1 : 1
            received += 1
            return .accepted
        }
        if step <= 0, step > -Self.maximumMisorder { return judgeBehind(by: -step) }

        guard follows(number) else {
            awaited = number.next
            return .outOfSequence
        }
        expectedBeforeRestart = expected
        restarts += 1
        begin(at: number)
        return .restarted
    }

    @_noLocks @_noAllocation
    private mutating func judgeOnProbation(_ number: SequenceNumber) -> Verdict {
        probation = (follows(number) ? probation : minimumInSequence) - 1
        guard probation == 0 else {
            awaited = number.next
            return .onProbation
        }
        begin(at: number)
        return .accepted
    }

    @_noLocks @_noAllocation
    private mutating func judgeBehind(by distance: Int) -> Verdict {
        received += 1
        let bit: UInt128 = 1 &<< UInt128(distance)
        guard history & bit == 0 else {
            duplicates += 1
            return .duplicate
        }
        history |= bit
        // The first to come need not have been the first sent.
        base = min(base, highest - Int64(distance))
        reordered += 1
        return .reordered
    }

    @_noLocks @_noAllocation
    private func follows(_ number: SequenceNumber) -> Bool {
        guard let awaited else { return false }
        return awaited == number
    }

    @_noLocks @_noAllocation
    private mutating func begin(at number: SequenceNumber) {
        base = Int64(number.rawValue)
        highest = base
        history = 1
        awaited = nil
        received += 1
    }
}

extension ReceptionStatistics {
    /// How packets came since the last summary (RFC 3611 §4.6), or since the beginning.
    ///
    /// - Returns: `nil` before the source is valid.
    package mutating func makeSummary() -> StatisticsSummary? {
        guard expected > 0 else { return nil }
        let before = atLastSummary ?? (highest: base - 1, expected: 0, received: 0, duplicates: 0)
        atLastSummary = (highest, expected, received, duplicates)
        let copies = duplicates - before.duplicates
        let lost = (expected - before.expected) - (received - before.received - copies)
        // A restart in between leaves no interval from the old numbers to the new.
        let begin = before.highest <= highest ? max(before.highest + 1, base) : base
        return StatisticsSummary(
            ssrc: ssrc, begin: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: begin)),
            end: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest + 1)),
            lost: UInt32(clamping: lost), duplicates: UInt32(clamping: copies),
            jitter: jitterEstimator.takeSummary())
    }

    /// What to report to the source now; the next block's share of loss counts from here (§A.3).
    ///
    /// - Parameters:
    ///   - lastSenderReport: ``NTPTimestamp/middle32`` of the source's last SR, 0 if none has come.
    ///   - delay: Time since that SR came.
    /// - Returns: A block about the source.
    package mutating func makeReportBlock(lastSenderReport: UInt32, delay: Duration) -> ReportBlock {
        let expectedSince = expected - expectedAtLastReport
        let lostSince = expectedSince - (received - receivedAtLastReport)
        expectedAtLastReport = expected
        receivedAtLastReport = received

        let fraction = expectedSince > 0 && lostSince > 0 ? min(lostSince << 8 / expectedSince, 255) : 0
        return ReportBlock(
            ssrc: ssrc, fractionLost: UInt8(fraction), cumulativeLost: Int32(clamping: cumulativeLost),
            extendedHighestSequenceNumber: extendedHighestSequenceNumber, jitter: jitter,
            lastSenderReport: lastSenderReport,
            delaySinceLastSenderReport: lastSenderReport == 0 ? 0 : ReportBlock.units(of: delay))
    }
}
