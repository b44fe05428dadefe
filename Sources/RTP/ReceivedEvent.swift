/// A telephone-event packet with what its header and arrival add.
struct EventPacket: BitwiseCopyable {
    let payload: TelephoneEvent
    let ssrc: SSRC
    let sequenceNumber: SequenceNumber
    let timestamp: UInt32
    let marker: Bool
    let clockRate: Int
    /// Nanoseconds on the receiver's clock.
    let arrival: Int64

    @_noLocks @_noAllocation
    init(
        payload: TelephoneEvent, ssrc: SSRC, sequenceNumber: SequenceNumber, timestamp: UInt32, marker: Bool,
        clockRate: Int, arrival: Int64
    ) {
        self.payload = payload
        self.ssrc = ssrc
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.marker = marker
        self.clockRate = clockRate
        self.arrival = arrival
    }
}

/// A key press as far as its packets have told.
struct ReceivedEvent: BitwiseCopyable {
    let digit: DTMFDigit
    let ssrc: SSRC
    let clockRate: Int
    /// The timestamp of the newest segment, and the longest duration told of it.
    private(set) var segment: UInt32
    private(set) var reported: UInt16 = 0
    /// Clock units in segments before the newest.
    private var finished: UInt64 = 0
    /// The highest sequence number of its packets.
    private(set) var highest: SequenceNumber
    private(set) var lastHeard: Int64
    /// Until it ended, by its end bit or otherwise.
    private(set) var isOpen = true
    private var hasEnd = false

    @_noLocks @_noAllocation
    init(digit: DTMFDigit, packet: EventPacket) {
        self.digit = digit
        ssrc = packet.ssrc
        clockRate = packet.clockRate
        segment = packet.timestamp
        highest = packet.sequenceNumber
        lastHeard = packet.arrival
    }

    /// Whether `packet`, of another timestamp, belongs to this press.
    ///
    /// The next segment begins where one of 0xFFFF ended (RFC 4733 §2.5.1.3). A broken sender moves the timestamp
    /// on with each packet: it then is no more than the told duration ahead for each sequence number, which no
    /// second press of the same key can be without an end between, or a marker.
    @_noLocks @_noAllocation
    func isContinued(by packet: EventPacket, steps: Int) -> Bool {
        guard packet.payload.eventCode == digit.eventCode, steps > 0, !packet.marker else { return false }
        guard packet.payload.isEnd || !hasEnd else { return false }
        let ahead = Int64(Int32(bitPattern: packet.timestamp &- segment))
        guard ahead > 0 else { return false }
        if ahead == 0xFFFF, !hasEnd { return true }
        return steps <= 2 && ahead <= Int64(reported) * Int64(steps)
    }

    /// Whether `packet`, of this press's timestamp, is nonetheless another press: of a sender whose clock stands still
    /// between digits.
    @_noLocks @_noAllocation
    func isRepeatedOnAStandingClock(_ packet: EventPacket, steps: Int) -> Bool {
        guard hasEnd, steps > 0 else { return false }
        if packet.payload.eventCode != digit.eventCode { return true }
        return packet.marker && !packet.payload.isEnd
    }

    /// Takes what `packet`, one of this press, tells.
    ///
    /// - Returns: The press, if this ended it.
    @_noLocks @_noAllocation
    mutating func update(with packet: EventPacket) -> CompletedDigit? {
        guard packet.payload.eventCode == digit.eventCode else { return nil }
        if packet.arrival > lastHeard { lastHeard = packet.arrival }
        if highest.distance(to: packet.sequenceNumber) > 0 { highest = packet.sequenceNumber }
        if packet.timestamp != segment { advance(to: packet) }
        if packet.payload.duration > reported { reported = packet.payload.duration }
        guard packet.payload.isEnd else { return nil }
        hasEnd = true
        return close()
    }

    /// Ends the press with the duration told so far.
    ///
    /// - Returns: `nil` if it had ended before.
    @_noLocks @_noAllocation
    mutating func close() -> CompletedDigit? {
        guard isOpen else { return nil }
        isOpen = false
        let units = finished + UInt64(reported)
        return CompletedDigit(digit: digit, milliseconds: Int(units * 1_000 / UInt64(clockRate)))
    }

    @_noLocks @_noAllocation
    private mutating func advance(to packet: EventPacket) {
        let ahead = packet.timestamp &- segment
        // Of senders that move the timestamp, some tell the whole duration all the same.
        let tellsTheWhole = packet.payload.duration > reported && ahead < 0xFFFF
        if !tellsTheWhole {
            finished += UInt64(ahead)
            reported = 0
        }
        segment = packet.timestamp
    }
}

/// The presses before the current one, so that their late packets are known.
struct RecentEvents: BitwiseCopyable {
    private struct Key: BitwiseCopyable {
        var ssrc: UInt32 = 0
        var timestamp: UInt32 = 0
    }

    private var keys = InlineArray<8, Key>(repeating: Key())
    private var inserted = 0

    init() {}

    @_noLocks @_noAllocation
    mutating func insert(_ event: ReceivedEvent) {
        keys[inserted & 7] = Key(ssrc: event.ssrc.rawValue, timestamp: event.segment)
        inserted &+= 1
    }

    @_noLocks @_noAllocation
    func contains(_ packet: EventPacket) -> Bool {
        var index = 0
        while index < 8, index < inserted {
            let key = keys[index]
            if key.ssrc == packet.ssrc.rawValue, key.timestamp == packet.timestamp { return true }
            index += 1
        }
        return false
    }
}
