package import MediaTime

/// Puts packets back in order and in time.
///
/// Packets go in when they arrive, by time and never by count; ``nextDecision(at:)`` is asked by whoever plays, at the
/// pace of the playing device's clock. Deciding is here, doing is the caller's: ``PlayoutDecision``.
///
/// *Delay* is how long after its fastest possible arrival a packet is played. It follows the target where that is not
/// heard: in pauses, by starting later after an underrun, and by skipping when a queue has built up.
///
/// Real-time safe after `init`.
package struct JitterBuffer: ~Copyable {
    /// What a buffer is made for.
    package struct Configuration: Hashable, Sendable {
        /// Of the RTP clock, Hz.
        package var clockRate: Int
        package var minimumDelay: Duration
        package var maximumDelay: Duration

        package init(
            clockRate: Int, minimumDelay: Duration = .milliseconds(20),
            maximumDelay: Duration = .milliseconds(500)
        ) {
            self.clockRate = clockRate
            self.minimumDelay = minimumDelay
            self.maximumDelay = maximumDelay
        }
    }

    private enum State: BitwiseCopyable {
        /// Nothing plays; the first packet to come is played ``targetTicks`` after its fastest arrival.
        case waiting
        case playing
    }

    /// Packets held at most; at 20 ms, five seconds.
    private static var capacity: Int { 256 }

    package private(set) var statistics = JitterBufferStatistics()

    private let configuration: Configuration
    private var clockRate: Int64
    private var minimumTicks: Int64
    private var maximumTicks: Int64
    private var store = PacketStore(capacity: Self.capacity)
    private var estimator: DelayEstimator
    private var state = State.waiting

    /// The newest packet's place: what unwraps the next one.
    private var newest: (sequence: Int64, timestamp: Int64, arrival: Int64)?
    private var stray: UInt16?

    /// The packet that playing began with: those before it are late, but were never missed.
    private var firstSequence: Int64 = 0
    /// The next packet to play, and the next tick.
    private var nextSequence: Int64 = 0
    private var playTimestamp: Int64 = 0
    /// Bit n: whether packet `nextSequence - 1 - n` was there when its turn came.
    private var history: UInt64 = 0
    private var packetTicks: Int64
    /// Whether the sender has announced that nothing comes for a while.
    package private(set) var isInPause = false
    /// Concealed in the present underrun.
    private var stalledTicks: Int64 = 0
    private var excessSince: Int64?

    package init(_ configuration: Configuration) {
        precondition(configuration.clockRate > 0, "an RTP clock runs")
        self.configuration = configuration
        clockRate = Int64(configuration.clockRate)
        minimumTicks = Self.ticks(configuration.minimumDelay, clockRate: clockRate)
        maximumTicks = Self.ticks(configuration.maximumDelay, clockRate: clockRate)
        estimator = DelayEstimator(clockRate: configuration.clockRate)
        packetTicks = clockRate / 50
    }

    // MARK: Observing

    /// The delay aimed at.
    package var targetDelay: Duration { duration(targetTicks) }

    /// The delay of what is played at `now`; `nil` while nothing plays.
    package func currentDelay(at now: MonotonicInstant) -> Duration? {
        guard state == .playing, let floor = estimator.floor else { return nil }
        return duration(max(0, ticks(now) - floor - playTimestamp))
    }

    /// The mean delay of all packets played; `nil` before the first.
    package var meanDelay: Duration? {
        guard statistics.packetsPlayed > 0 else { return nil }
        return duration(statistics.delayTickSum / Int64(statistics.packetsPlayed))
    }

    /// The packet in a slot that a decision named.
    package func packet(inSlot slot: Int) -> BufferedPacket { store.entry(inSlot: slot).packet }

    /// The payload in a slot that a decision named; valid until the next ``insert(_:payload:at:)``.
    @_lifetime(borrow self)
    package func payload(inSlot slot: Int) -> Span<UInt8> { store.payload(inSlot: slot) }

    // MARK: Packets in

    /// Takes a packet.
    ///
    /// - Parameters:
    ///   - packet: Its place and length.
    ///   - payload: At most 1500 octets; copied.
    ///   - arrival: When it arrived: the kernel's time, where there is one.
    /// - Returns: What became of it.
    package mutating func insert(
        _ packet: BufferedPacket, payload: Span<UInt8>, at arrival: MonotonicInstant
    ) -> InsertionOutcome {
        guard payload.count <= PacketStore.payloadCapacity else { return .oversized }
        let arrivalTicks = ticks(arrival)
        guard let newest else {
            begin(with: packet, payload: payload, at: arrivalTicks)
            return .kept
        }
        let step = Int64(
            Int16(bitPattern: packet.sequenceNumber &- UInt16(truncatingIfNeeded: newest.sequence)))
        let timestampStep = Int64(
            Int32(bitPattern: packet.timestamp &- UInt32(truncatingIfNeeded: newest.timestamp)))
        let sequence = newest.sequence + step
        let timestamp = newest.timestamp + timestampStep

        // Far off in number, or in time against the clock on the wall: another stream, or a stray.
        let slip = timestampStep - (arrivalTicks - newest.arrival)
        let isFar = step > Int64(Self.capacity / 2) || step < -Int64(Self.capacity / 2)
        if isFar || abs(slip) > 3 * clockRate / 2 {
            // The next number at a far time is no stray: a sender that stopped its clock in a pause, or jumped it.
            guard step == 1 || stray.map({ packet.sequenceNumber &- $0 == 1 }) == true else {
                stray = packet.sequenceNumber
                return .stray
            }
            restart(with: packet, payload: payload, at: arrivalTicks)
            return .restarted
        }
        stray = nil

        estimator.record(transit: arrivalTicks - timestamp, arrival: arrivalTicks)
        if step > 0 { self.newest = (sequence, timestamp, arrivalTicks) }
        if state == .playing, sequence < nextSequence {
            guard !hasPlayed(sequence) else {
                statistics.packetsDuplicated += 1
                return .duplicate
            }
            statistics.packetsLate += 1
            if sequence >= firstSequence { statistics.packetsLost -= 1 }
            return .late
        }
        if store.holds(sequence) {
            statistics.packetsDuplicated += 1
            return .duplicate
        }
        keep(packet, payload: payload, sequence: sequence, timestamp: timestamp)
        return .kept
    }

    /// Drops what waits, as at the end of a hold: the next packet begins anew.
    package mutating func flush() {
        store.removeAll()
        estimator.forgetFloor()
        newest = nil
        stray = nil
        state = .waiting
        isInPause = false
        stalledTicks = 0
        excessSince = nil
        history = 0
    }

    /// Begins anew with packets of another RTP clock, in Hz; what is known of the network's jitter is kept.
    package mutating func changeClockRate(to rate: Int) {
        precondition(rate > 0, "an RTP clock runs")
        flush()
        clockRate = Int64(rate)
        minimumTicks = Self.ticks(configuration.minimumDelay, clockRate: clockRate)
        maximumTicks = Self.ticks(configuration.maximumDelay, clockRate: clockRate)
        packetTicks = clockRate / 50
        estimator.changeClockRate(to: rate)
    }

    private mutating func restart(with packet: BufferedPacket, payload: Span<UInt8>, at arrival: Int64) {
        flush()
        statistics.restarts += 1
        begin(with: packet, payload: payload, at: arrival)
    }

    private mutating func begin(with packet: BufferedPacket, payload: Span<UInt8>, at arrival: Int64) {
        // One turn of the number circle up, so that packets that this one overtook have a place too.
        let sequence = Int64(packet.sequenceNumber) + 65_536
        let timestamp = Int64(packet.timestamp) + 1 << 32
        newest = (sequence, timestamp, arrival)
        estimator.record(transit: arrival - timestamp, arrival: arrival)
        nextSequence = sequence
        keep(packet, payload: payload, sequence: sequence, timestamp: timestamp)
    }

    private mutating func keep(
        _ packet: BufferedPacket, payload: Span<UInt8>, sequence: Int64, timestamp: Int64
    ) {
        if state == .waiting { nextSequence = min(nextSequence, sequence) }
        if packet.durationTicks > 0 { packetTicks = Int64(packet.durationTicks) }
        store.insert(.init(sequence: sequence, timestamp: timestamp, packet: packet), payload: payload)
    }

    // MARK: Decisions out

    /// Says what to play from `now` on.
    ///
    /// Ask again when that has been played.
    package mutating func nextDecision(at now: MonotonicInstant) -> PlayoutDecision {
        let nowTicks = ticks(now)
        guard let newest, let floor = estimator.floor else { return rest(clockRate / 100) }
        passSoundlessPackets()
        guard let head = store.first(in: nextSequence...max(nextSequence, newest.sequence)) else {
            return state == .waiting ? rest(clockRate / 100) : underrun()
        }
        let entry = store.entry(head)
        let delay = nowTicks - floor - entry.timestamp
        if state == .waiting {
            guard delay >= targetTicks else { return rest(min(targetTicks - delay, clockRate / 100)) }
            return begin(playingFrom: head, upTo: newest.sequence, at: nowTicks, floor: floor)
        }
        accountForStall(upTo: entry.timestamp, current: nowTicks - floor - playTimestamp)
        let gap = entry.timestamp - playTimestamp
        if gap <= 0 { return playOrSkip(head, delay: delay, at: nowTicks, floor: floor) }
        if head == nextSequence { return endPause(before: head, delay: delay) }
        return bridge(gap: gap, to: head, current: nowTicks - floor - playTimestamp)
    }

    /// Takes the packets of padding only that are next as played: nothing is missing there.
    private mutating func passSoundlessPackets() {
        while store.holds(nextSequence), store.entry(nextSequence).packet.durationTicks <= 0 {
            if store.entry(nextSequence).packet.startsPause { isInPause = true }
            store.remove(nextSequence)
            advance(past: nextSequence, played: true)
        }
    }

    /// Starts with the last packet that is due, so that what came while nobody played doesn't stay as delay.
    private mutating func begin(
        playingFrom head: Int64, upTo newest: Int64, at now: Int64, floor: Int64
    ) -> PlayoutDecision {
        var first = head
        while let next = store.first(in: (first + 1)...max(first + 1, newest)),
            now - floor - store.entry(next).timestamp >= targetTicks
        {
            store.remove(first)
            statistics.packetsSkipped += 1
            first = next
        }
        firstSequence = first
        nextSequence = first
        history = 0
        state = .playing
        return play(first, delay: now - floor - store.entry(first).timestamp)
    }

    private mutating func underrun() -> PlayoutDecision {
        if isInPause { return rest(packetTicks) }
        // Nothing for a second: whatever comes then begins anew, at the target delay.
        if stalledTicks >= clockRate {
            state = .waiting
            stalledTicks = 0
            return rest(packetTicks)
        }
        stalledTicks += packetTicks
        statistics.ticksConcealed += packetTicks
        return .conceal(ticks: Int(packetTicks), reason: .underrun)
    }

    /// Sound made up in an underrun stands for packets that turn out to be missing, so that a loss adds no delay beyond
    /// the target.
    private mutating func accountForStall(upTo timestamp: Int64, current delay: Int64) {
        guard stalledTicks > 0 else { return }
        playTimestamp += max(0, min(stalledTicks, timestamp - playTimestamp, delay - targetTicks))
        stalledTicks = 0
    }

    /// The sender paused: the free place to get to the target delay.
    private mutating func endPause(before head: Int64, delay: Int64) -> PlayoutDecision {
        guard delay >= targetTicks else { return rest(min(targetTicks - delay, packetTicks)) }
        return play(head, delay: delay)
    }

    /// Packets before `head` are missing, and the turn of the first of them is now, `delay` after its fastest arrival.
    private mutating func bridge(gap: Int64, to head: Int64, current delay: Int64) -> PlayoutDecision {
        // Something must be made up anyway, and the delay is too small: wait for the packet instead of giving it up.
        let shortfall = targetTicks - delay
        if shortfall > clockRate / 500, !isInPause {
            // In steps of 2.5 ms, which every codec can make up.
            let step = clockRate / 400
            let ticks = min((shortfall + step - 1) / step * step, packetTicks)
            statistics.ticksConcealed += ticks
            return .conceal(ticks: Int(ticks), reason: .underrun)
        }
        let ticks = min(gap, packetTicks)
        playTimestamp += ticks
        if isInPause { return rest(ticks) }
        let isNeighbour = head - nextSequence == 1
        // One packet is missing and more than its usual time: it comes last, where its successor can restore it.
        if !isNeighbour || gap <= ticks {
            advance(past: nextSequence, played: false)
            statistics.packetsLost += 1
        }
        if isNeighbour, gap <= ticks {
            statistics.packetsRecovered += 1
            statistics.ticksRecovered += ticks
            return .recover(slot: store.slot(of: head), ticks: Int(ticks))
        }
        statistics.ticksConcealed += ticks
        return .conceal(ticks: Int(ticks), reason: .missing)
    }

    /// Plays `head`, or the first packet behind it that brings the delay back when a queue has built up.
    private mutating func playOrSkip(
        _ head: Int64, delay: Int64, at now: Int64, floor: Int64
    ) -> PlayoutDecision {
        let excess = delay - targetTicks
        guard excess > clockRate / 25 else {
            excessSince = nil
            return play(head, delay: delay)
        }
        let since = excessSince ?? now
        excessSince = since
        let isLarge = excess > 3 * clockRate / 10
        guard isLarge || now - since >= clockRate, let newest else { return play(head, delay: delay) }

        var skipped = head
        var packetsToSkip = isLarge ? excess / packetTicks : 1
        while packetsToSkip > 0, let next = store.first(in: (skipped + 1)...max(skipped + 1, newest.sequence))
        {
            statistics.packetsSkipped += 1
            store.remove(skipped)
            skipped = next
            packetsToSkip -= 1
        }
        if skipped > head { advance(past: skipped - 1, played: true) }
        excessSince = now
        return play(skipped, delay: now - floor - store.entry(skipped).timestamp)
    }

    private mutating func play(_ sequence: Int64, delay: Int64) -> PlayoutDecision {
        let entry = store.entry(sequence)
        let slot = store.slot(of: sequence)
        statistics.packetsLost += Int(max(0, sequence - nextSequence))
        statistics.packetsPlayed += 1
        statistics.ticksPlayed += Int64(entry.packet.durationTicks)
        statistics.delayTickSum += max(0, delay)
        advance(past: sequence, played: true)
        playTimestamp = entry.timestamp + Int64(entry.packet.durationTicks)
        isInPause = entry.packet.startsPause
        stalledTicks = 0
        store.remove(sequence)
        return .play(slot: slot)
    }

    /// Moves on to the packet after `sequence`, and remembers which of the last 64 were there.
    private mutating func advance(past sequence: Int64, played: Bool) {
        let steps = sequence + 1 - nextSequence
        history = steps < 64 ? history << UInt64(steps) : 0
        if played { history |= 1 }
        nextSequence = sequence + 1
    }

    private func hasPlayed(_ sequence: Int64) -> Bool {
        let age = nextSequence - 1 - sequence
        return age >= 0 && age < 64 && history & (1 << UInt64(age)) != 0
    }

    private mutating func rest(_ ticks: Int64) -> PlayoutDecision {
        let ticks = max(1, ticks)
        statistics.ticksRested += ticks
        return .rest(ticks: Int(ticks))
    }

    // MARK: Units

    private var targetTicks: Int64 { min(maximumTicks, max(minimumTicks, estimator.coveredExcess)) }

    private func ticks(_ instant: MonotonicInstant) -> Int64 {
        // In two steps, since nanoseconds times a clock rate leave 64 bits after two days.
        let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * clockRate + rest * clockRate / 1_000_000_000
    }

    private static func ticks(_ duration: Duration, clockRate: Int64) -> Int64 {
        duration.wholeNanoseconds / 1_000 * clockRate / 1_000_000
    }

    private func duration(_ ticks: Int64) -> Duration { .nanoseconds(ticks * 1_000_000_000 / clockRate) }
}
