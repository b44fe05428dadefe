internal import AudioCodecs
internal import MediaTime

/// Decoded samples on their way to the next frames: packets are of one length, frames of another.
struct PlayoutQueue: ~Copyable {
    private var memory = FixedBuffer<Int16>(
        repeating: 0, count: AudioProcessingRate.maximumPacketSamples + 480)
    private var start = 0
    private(set) var count = 0

    /// Room for a packet, behind what waits.
    @_lifetime(&self)
    mutating func room() -> MutableSpan<Int16> {
        if start > 0 {
            memory.moveToFront(start..<(start + count))
            start = 0
        }
        return memory.mutableSpan(count..<memory.count)
    }

    /// Takes the first `samples` of ``room()`` in.
    mutating func commit(_ samples: Int) {
        count = min(count + max(0, samples), memory.count)
    }

    /// The last `samples` that wait, or all if these are fewer.
    @_lifetime(&self)
    mutating func last(_ samples: Int) -> MutableSpan<Int16> {
        let end = start + count
        return memory.mutableSpan((end - max(0, min(samples, count)))..<end)
    }

    mutating func appendSilence(_ samples: Int) {
        var room = room()
        let added = min(samples, room.count)
        for index in 0..<added { room[index] = 0 }
        commit(added)
    }

    /// Moves the first samples to `frame`, which must not be longer than ``count``.
    mutating func read(into frame: inout MutableSpan<Int16>) {
        memory.copy(start..<(start + frame.count), into: &frame)
        start += frame.count
        count -= frame.count
    }

    mutating func removeAll() {
        start = 0
        count = 0
    }
}
