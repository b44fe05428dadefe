internal import MediaTime

/// A few datagrams on their way out.
///
/// A full queue drops what comes, since late audio is worth nothing.
struct DatagramQueue: ~Copyable {
    private static var capacity: Int { 8 }

    private var memory = FixedBuffer<UInt8>(
        repeating: 0, count: capacity * MediaSession.maximumDatagramLength)
    private var lengths = InlineArray<8, Int>(repeating: 0)
    private var first = 0
    private var count = 0

    /// Takes the first `length` octets of `datagram`.
    mutating func append(_ datagram: borrowing FixedBuffer<UInt8>, length: Int) {
        guard count < Self.capacity, length <= MediaSession.maximumDatagramLength else { return }
        let slot = (first + count) % Self.capacity
        let start = slot * MediaSession.maximumDatagramLength
        memory.replace(at: start, with: datagram.span.extracting(0..<length))
        lengths[slot] = length
        count += 1
    }

    mutating func take(into target: inout MutableSpan<UInt8>) -> Int? {
        guard count > 0 else { return nil }
        let start = first * MediaSession.maximumDatagramLength
        let length = min(lengths[first], target.count)
        memory.copy(start..<(start + length), into: &target)
        first = (first + 1) % Self.capacity
        count -= 1
        return length
    }

    mutating func removeAll() { count = 0 }
}
