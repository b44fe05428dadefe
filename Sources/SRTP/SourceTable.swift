/// The sources from which packets have authenticated: as many as are kept, and nothing of any other.
struct SourceTable: BitwiseCopyable {
    static let capacity = 32

    struct Source: BitwiseCopyable {
        var ssrc: UInt32 = 0
        /// Of its newest RTP packet, under whatever key; `nil` if none but RTCP has come.
        var newest: PacketIndex?
        /// Whether an RTP packet has authenticated under the key in use.
        var isEstablished = false

        /// Where a packet is, by what came before.
        func index(of sequenceNumber: UInt16) -> PacketIndex {
            guard let newest else { return PacketIndex(rolloverCounter: 0, sequenceNumber: sequenceNumber) }
            return PacketIndex(nearestTo: newest, sequenceNumber: sequenceNumber)
        }
    }

    private var sources = InlineArray<32, Source>(repeating: Source())
    private(set) var count = 0
    /// Where the last one was: packets come in rows.
    private var last = 0

    var isFull: Bool { count == Self.capacity }

    subscript(index: Int) -> Source {
        get { sources[index] }
        set { sources[index] = newValue }
    }

    mutating func find(_ ssrc: UInt32) -> Int? {
        if last < count, sources[last].ssrc == ssrc { return last }
        for index in 0..<count where sources[index].ssrc == ssrc {
            last = index
            return index
        }
        return nil
    }

    /// The place of a source that has authenticated, new or not.
    ///
    /// - Parameter ssrc: For a new one there's room.
    /// - Returns: Its index.
    mutating func insert(_ ssrc: UInt32) -> Int {
        if let index = find(ssrc) { return index }
        sources[count] = Source(ssrc: ssrc)
        last = count
        count += 1
        return last
    }

    mutating func forgetKey() {
        for index in 0..<count { sources[index].isEstablished = false }
    }
}
