package import MediaTime

/// A key press that is over.
package struct CompletedDigit: BitwiseCopyable, Hashable, Sendable {
    package let digit: DTMFDigit
    /// As far as the sender told: less than was pressed if its last packets were lost.
    package let milliseconds: Int

    @_noLocks @_noAllocation
    package init(digit: DTMFDigit, milliseconds: Int) {
        self.digit = digit
        self.milliseconds = milliseconds
    }
}

/// What one packet told: read its parts in their order.
package struct TelephoneEventNews: BitwiseCopyable, Hashable, Sendable {
    /// The press before this packet's, all of whose ends were lost.
    package var endedBefore: CompletedDigit?
    /// A press seen for the first time.
    package var began: DTMFDigit?
    /// The press that this packet belongs to.
    package var ended: CompletedDigit?

    @_noLocks @_noAllocation
    package init(endedBefore: CompletedDigit? = nil, began: DTMFDigit? = nil, ended: CompletedDigit? = nil) {
        self.endedBefore = endedBefore
        self.began = began
        self.ended = ended
    }
}

/// Makes key presses of telephone-event packets (RFC 4733 §2.5.2): each press begins once and ends once, whatever is
/// lost, doubled or late.
///
/// A press is told from others by its SSRC and timestamp. Packets of a sender whose timestamp grows within a press,
/// and the segments of a long one, are joined. Real-time safe.
package struct TelephoneEventReceiver: BitwiseCopyable, Sendable {
    /// A press ends by itself this long after its last packet, ns.
    ///
    /// RFC 4733 §2.5.2 lets a receiver give up after three update intervals. They are 50 ms at most in the RFC, and 172 ms were met.
    package static var patience: Int64 {
        @_noLocks @_noAllocation
        get { 250_000_000 }
    }
    /// So long after a press its sequence numbers no longer tell what is late from what is new, ns.
    private static var memory: Int64 {
        @_noLocks @_noAllocation
        get { 2_000_000_000 }
    }

    private var current: ReceivedEvent?
    private var recent = RecentEvents()

    package init() {}

    /// When to call ``handleDeadline(at:)``; `nil` with no press going on.
    package var deadline: MonotonicInstant? {
        guard let current, current.isOpen else { return nil }
        return MonotonicInstant(nanoseconds: current.lastHeard + Self.patience)
    }

    /// Takes one telephone-event packet, already authenticated.
    ///
    /// Events that are no keys end the press before them, and are otherwise ignored. `clockRate` is the payload
    /// type's, in Hz, above 0.
    ///
    /// - Returns: Nothing at all for most packets.
    @_noLocks @_noAllocation
    package mutating func receive(
        _ payload: TelephoneEvent, ssrc: SSRC, sequenceNumber: SequenceNumber, timestamp: UInt32,
        marker: Bool,
        clockRate: Int, at now: MonotonicInstant
    ) -> TelephoneEventNews {
        precondition(clockRate > 0, "an RTP clock runs")
        let packet = EventPacket(
            payload: payload, ssrc: ssrc, sequenceNumber: sequenceNumber, timestamp: timestamp,
            marker: marker,
            clockRate: clockRate, arrival: now.nanoseconds)
        guard var event = current else { return begin(with: packet) }
        switch relation(of: packet, to: event) {
        case .late:
            return TelephoneEventNews()
        case .same:
            let ended = event.update(with: packet)
            current = event
            return TelephoneEventNews(ended: ended)
        case .new:
            let endedBefore = event.close()
            current = event
            var news = begin(with: packet)
            news.endedBefore = endedBefore
            if case .some = news.began { recent.insert(event) }
            return news
        }
    }

    /// Takes note of an audio packet, which ends a press when it is 60 ms or more past what was told of it.
    ///
    /// No earlier, since some senders go on sending audio beside their events.
    ///
    /// The timestamp is in units of the press's clock, as RFC 4733 §2.2 has it for events among audio.
    ///
    /// - Returns: The press that it ended.
    @_noLocks @_noAllocation
    package mutating func receiveAudio(
        ssrc: SSRC, sequenceNumber: SequenceNumber, timestamp: UInt32
    ) -> CompletedDigit? {
        guard var event = current, event.isOpen, event.ssrc == ssrc else { return nil }
        guard event.highest.distance(to: sequenceNumber) > 0 else { return nil }
        let past = Int64(Int32(bitPattern: timestamp &- event.segment)) - Int64(event.reported)
        guard past * 1_000 >= 60 * Int64(event.clockRate) else { return nil }
        let ended = event.close()
        current = event
        return ended
    }

    /// Ends the press whose packets have stopped coming, if ``deadline`` has passed.
    @_noLocks @_noAllocation
    package mutating func handleDeadline(at now: MonotonicInstant) -> CompletedDigit? {
        guard var event = current, event.isOpen else { return nil }
        guard now.nanoseconds - event.lastHeard >= Self.patience else { return nil }
        let ended = event.close()
        current = event
        return ended
    }

    private enum Relation: BitwiseCopyable {
        case same, new, late
    }

    @_noLocks @_noAllocation
    private func relation(of packet: EventPacket, to event: ReceivedEvent) -> Relation {
        guard packet.ssrc == event.ssrc else { return recent.contains(packet) ? .late : .new }
        let steps = event.highest.distance(to: packet.sequenceNumber)
        if packet.timestamp == event.segment {
            return event.isRepeatedOnAStandingClock(packet, steps: steps) ? .new : .same
        }
        if event.isContinued(by: packet, steps: steps) { return .same }
        if recent.contains(packet) { return .late }
        let isRemembered = packet.arrival - event.lastHeard < Self.memory
        return steps <= 0 && isRemembered ? .late : .new
    }

    @_noLocks @_noAllocation
    private mutating func begin(with packet: EventPacket) -> TelephoneEventNews {
        // A duration of 0 is to be ignored (RFC 4733 §2.3): the press begins with the packet after it.
        guard packet.payload.duration > 0 else { return TelephoneEventNews() }
        guard let digit = DTMFDigit(eventCode: packet.payload.eventCode) else { return TelephoneEventNews() }
        var event = ReceivedEvent(digit: digit, packet: packet)
        let ended = event.update(with: packet)
        current = event
        return TelephoneEventNews(began: digit, ended: ended)
    }
}
