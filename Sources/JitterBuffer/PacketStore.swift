internal import MediaTime

/// Packets with their payloads, kept by extended sequence number in memory of a fixed size.
struct PacketStore: ~Copyable {
    static var payloadCapacity: Int { 1_500 }

    struct Entry: BitwiseCopyable {
        /// The extended sequence number, or -1 for a free slot.
        var sequence: Int64 = -1
        /// The extended timestamp.
        var timestamp: Int64 = 0
        var packet = BufferedPacket(sequenceNumber: 0, timestamp: 0, durationTicks: 1, payloadType: 0)
        var payloadLength = 0
    }

    let capacity: Int
    private(set) var count = 0
    private var entries: FixedBuffer<Entry>
    private var payloads: FixedBuffer<UInt8>

    init(capacity: Int) {
        self.capacity = capacity
        entries = FixedBuffer(repeating: Entry(), count: capacity)
        payloads = FixedBuffer(repeating: 0, count: capacity * Self.payloadCapacity)
    }

    func slot(of sequence: Int64) -> Int { Int(sequence % Int64(capacity)) }

    func holds(_ sequence: Int64) -> Bool {
        sequence >= 0 && entries[slot(of: sequence)].sequence == sequence
    }

    func entry(_ sequence: Int64) -> Entry { entries[slot(of: sequence)] }

    func entry(inSlot slot: Int) -> Entry { entries[slot] }

    @_lifetime(borrow self)
    func payload(inSlot slot: Int) -> Span<UInt8> {
        let start = slot * Self.payloadCapacity
        return payloads.span.extracting(start..<(start + entries[slot].payloadLength))
    }

    /// Keeps a packet; an older one in its place is gone.
    mutating func insert(_ entry: Entry, payload: Span<UInt8>) {
        let slot = slot(of: entry.sequence)
        if entries[slot].sequence < 0 { count += 1 }
        var kept = entry
        kept.payloadLength = min(payload.count, Self.payloadCapacity)
        entries[slot] = kept
        let start = slot * Self.payloadCapacity
        payloads.replace(at: start, with: payload.extracting(0..<kept.payloadLength))
    }

    /// Frees a packet's slot; its payload stays readable until the next ``insert(_:payload:)``.
    mutating func remove(_ sequence: Int64) {
        guard holds(sequence) else { return }
        entries[slot(of: sequence)].sequence = -1
        count -= 1
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        for slot in 0..<capacity { entries[slot].sequence = -1 }
        count = 0
    }

    /// The first sequence in `range` that is held; the ranges asked for span at most ``capacity``.
    func first(in range: ClosedRange<Int64>) -> Int64? {
        guard count > 0 else { return nil }
        var sequence = range.lowerBound
        while sequence <= range.upperBound {
            if holds(sequence) { return sequence }
            sequence += 1
        }
        return nil
    }
}
