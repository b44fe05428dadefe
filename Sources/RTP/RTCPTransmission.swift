package import MediaTime

/// When to send reports (RFC 3550 §6.2, §6.3, §A.7): seldom enough that all members together stay within the bandwidth, and
/// at random, so that they don't all send at once.
///
/// Tell it what is sent and heard, and ask it at its ``deadline``. Without allocation; only ``heard(_:isMedia:at:)`` and
/// ``sentMedia(at:)`` are of each packet.
package struct RTCPTransmission: BitwiseCopyable, Sendable {
    /// What may be done about a BYE (§6.3.7).
    package enum Farewell: BitwiseCopyable, Hashable, Sendable {
        case now
        /// Many are leaving: at ``RTCPTransmission/deadline``, and only if ``RTCPTransmission/isDue(at:random:)`` then.
        case atDeadline
        /// Who has never sent anything leaves without a word.
        case never
    }

    /// IP and UDP headers, which count as bandwidth (§6.2), in octets.
    private static var headerOctets: Double { 28 }
    /// 5 s (§6.2).
    private static var minimumSeconds: Double { 5 }
    /// e - 3/2: what makes up for the intervals that reconsideration adds (§6.3.1).
    private static var compensation: Double { 2.718_281_828_459_045 - 1.5 }

    /// Octets a second for all members' reports.
    private let bandwidth: Double
    private let reducedMinimumSeconds: Double
    private var members = RTCPMembers()
    private var membersAtLastReport = 1
    private var averageOctets: Double
    private var isInitial = true
    private var hasSent = false
    private var isLeaving = false
    private var lastMedia: MonotonicInstant?
    /// Whether we sent media within the last two intervals: then our reports are sender reports (§6.4).
    package private(set) var isSender = false
    private var lastReport: MonotonicInstant

    /// When ``isDue(at:random:)`` is to be asked.
    package private(set) var deadline: MonotonicInstant

    /// - Parameters:
    ///   - sessionBandwidth: Of all media of all senders, headers included, bit/s, above 0. A twentieth of it is for reports.
    ///   - now: When the session begins; the first report follows after about half an interval.
    ///   - random: Where the intervals' randomness comes from.
    package init(sessionBandwidth: Int, at now: MonotonicInstant, random: inout SplitMix64) {
        precondition(sessionBandwidth > 0, "a session has a bandwidth")
        bandwidth = Double(sessionBandwidth) / 8 / 20
        // A session of two is unicast, so both may use the reduced minimum; only downwards, here.
        reducedMinimumSeconds = min(Self.minimumSeconds, 360_000 / Double(sessionBandwidth))
        // An SR with a block, and a CNAME.
        averageOctets = Self.headerOctets + 100
        lastReport = now
        deadline = now
        deadline = now.advanced(byNanoseconds: randomInterval(&random))
    }

    /// All that are known to take part, we too.
    package var memberCount: Int { members.count + 1 }

    /// Those of ``memberCount`` that have sent media of late.
    package var senderCount: Int { members.senderCount + (isSender ? 1 : 0) }

    // MARK: What happens

    /// Takes note of an authentic packet of `ssrc`, which is not ours: of media, or of a report.
    @_noLocks @_noAllocation
    package mutating func heard(_ ssrc: SSRC, isMedia: Bool, at now: MonotonicInstant) {
        // While leaving, only others that leave are counted (§6.3.7).
        if !isLeaving { members.heard(ssrc, isMedia: isMedia, at: now) }
    }

    /// Takes note of a compound that came, `octets` long.
    @_noLocks @_noAllocation
    package mutating func received(octets: Int) {
        if !isLeaving { average(octets) }
    }

    /// Takes note of a packet of media that we sent.
    @_noLocks @_noAllocation
    package mutating func sentMedia(at now: MonotonicInstant) {
        isSender = true
        hasSent = true
        lastMedia = now
    }

    /// Takes note of the farewell of `ssrc`: with fewer members, the next report comes sooner (§6.3.4).
    package mutating func left(_ ssrc: SSRC, octets: Int, at now: MonotonicInstant) {
        guard !isLeaving else {
            members.addLeaving(ssrc, at: now)
            return average(octets)
        }
        members.remove(ssrc)
        guard memberCount < membersAtLastReport else { return }
        let share = Double(memberCount) / Double(membersAtLastReport)
        deadline = now.advanced(byNanoseconds: Self.scaled(from: now, to: deadline, by: share))
        lastReport = now.advanced(byNanoseconds: -Self.scaled(from: lastReport, to: now, by: share))
        membersAtLastReport = memberCount
    }

    private static func scaled(from: MonotonicInstant, to: MonotonicInstant, by share: Double) -> Int64 {
        Int64(Double(to.nanoseconds - from.nanoseconds) * share)
    }

    @_noLocks @_noAllocation
    private mutating func average(_ octets: Int) {
        averageOctets += (Double(octets) + 28 - averageOctets) / 16
    }

    // MARK: When to send

    /// Whether to send the report, or the BYE that waits, now that ``deadline`` has come; otherwise it is moved (§6.3.6).
    ///
    /// When it is sent, tell ``sentReport(octets:at:random:)``.
    package mutating func isDue(at now: MonotonicInstant, random: inout SplitMix64) -> Bool {
        guard now >= deadline else { return false }
        if !isLeaving { forgetTheSilent(at: now) }
        let reconsidered = lastReport.advanced(byNanoseconds: randomInterval(&random))
        guard reconsidered > now else { return true }
        deadline = reconsidered
        membersAtLastReport = memberCount
        return false
    }

    /// Takes note of our report, `octets` long, and sets the next ``deadline``.
    package mutating func sentReport(octets: Int, at now: MonotonicInstant, random: inout SplitMix64) {
        average(octets)
        hasSent = true
        isInitial = false
        lastReport = now
        membersAtLastReport = memberCount
        deadline = now.advanced(byNanoseconds: randomInterval(&random))
    }

    /// Begins to leave with a BYE of `octets`.
    package mutating func leave(
        octets: Int, at now: MonotonicInstant, random: inout SplitMix64
    ) -> Farewell {
        guard hasSent else { return .never }
        // Few members may say goodbye at once; 50 is the RFC's number (§6.3.7).
        guard memberCount > 50 else { return .now }
        isLeaving = true
        members = RTCPMembers()
        membersAtLastReport = 1
        isInitial = true
        isSender = false
        averageOctets = Double(octets) + Self.headerOctets
        lastReport = now
        deadline = now.advanced(byNanoseconds: randomInterval(&random))
        return .atDeadline
    }

    /// A member is forgotten after five intervals of silence, a sender is none after two (§6.3.5, §6.3.8).
    private mutating func forgetTheSilent(at now: MonotonicInstant) {
        let interval = Self.nanoseconds(max(seconds(minimum: Self.minimumSeconds), Self.minimumSeconds))
        members.forget(
            silentSince: now.advanced(byNanoseconds: -5 * interval),
            withoutMediaSince: now.advanced(byNanoseconds: -2 * interval))
        if let lastMedia, lastMedia < now.advanced(byNanoseconds: -2 * interval) { isSender = false }
    }

    // MARK: Intervals

    private func randomInterval(_ random: inout SplitMix64) -> Int64 {
        // A Double's 53 bits, over 0.5..<1.5.
        let factor = 0.5 + Double(random.next() >> 11) * 0x1p-53
        return Self.nanoseconds(seconds(minimum: reducedMinimumSeconds) * factor / Self.compensation)
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 {
        // The bandwidth is at least 1/160 octet a second, and members and sizes are bounded: some 10 years at most.
        Int64(min(seconds * 1e9, 3e17))
    }

    /// The interval before randomisation (§6.3.1).
    private func seconds(minimum: Double) -> Double {
        let members = Double(memberCount)
        let senders = Double(senderCount)
        var counted = members
        var bandwidth = bandwidth
        if senders <= members / 4 {
            // A quarter of the bandwidth is the senders', so that new listeners soon learn their names.
            counted = isSender ? senders : members - senders
            bandwidth *= isSender ? 0.25 : 0.75
        }
        return max(averageOctets * counted / bandwidth, isInitial ? minimum / 2 : minimum)
    }
}
