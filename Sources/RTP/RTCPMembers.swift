import MediaTime

/// Who takes part in a session, apart from us, and who of them sends (RFC 3550 §6.2.1).
///
/// Of more than ``capacity``, the one not heard for longest is forgotten: a flood of made-up sources costs no memory.
struct RTCPMembers: BitwiseCopyable, Sendable {
    static var capacity: Int {
        @_noLocks @_noAllocation
        get { 64 }
    }

    private struct Member: BitwiseCopyable {
        var ssrc: UInt32
        var lastHeard: Int64
        /// When media last came of it; `Int64.min` if none did.
        var lastMedia: Int64
    }

    private var entries = InlineArray<64, Member>(
        repeating: Member(ssrc: 0, lastHeard: .min, lastMedia: .min))
    private(set) var count = 0
    /// Where the last one heard is, which is likely the next one.
    private var recent = 0

    var senderCount: Int {
        var senders = 0
        for index in 0..<count where entries[index].lastMedia != .min { senders += 1 }
        return senders
    }

    @_noLocks @_noAllocation
    mutating func heard(_ ssrc: SSRC, isMedia: Bool, at now: MonotonicInstant) {
        let index = place(of: ssrc.rawValue)
        entries[index].lastHeard = now.nanoseconds
        if isMedia { entries[index].lastMedia = now.nanoseconds }
        recent = index
    }

    mutating func addLeaving(_ ssrc: SSRC, at now: MonotonicInstant) {
        heard(ssrc, isMedia: false, at: now)
    }

    mutating func remove(_ ssrc: SSRC) {
        var index = 0
        while index < count {
            if entries[index].ssrc == ssrc.rawValue { return remove(at: index) }
            index += 1
        }
    }

    /// Removes whom nothing has come from after the first instant, and takes those without media after the second for
    /// listeners.
    mutating func forget(silentSince silent: MonotonicInstant, withoutMediaSince still: MonotonicInstant) {
        var index = count - 1
        while index >= 0 {
            if entries[index].lastHeard < silent.nanoseconds {
                remove(at: index)
            } else if entries[index].lastMedia < still.nanoseconds {
                entries[index].lastMedia = .min
            }
            index -= 1
        }
    }

    private mutating func remove(at index: Int) {
        count -= 1
        entries[index] = entries[count]
        recent = 0
    }

    /// The entry of `ssrc`, made if there is none.
    @_noLocks @_noAllocation
    private mutating func place(of ssrc: UInt32) -> Int {
        if recent < count, entries[recent].ssrc == ssrc { return recent }
        var oldest = 0
        var index = 0
        while index < count {
            if entries[index].ssrc == ssrc { return index }
            if entries[index].lastHeard < entries[oldest].lastHeard { oldest = index }
            index += 1
        }
        if count < Self.capacity {
            oldest = count
            count += 1
        }
        entries[oldest] = Member(ssrc: ssrc, lastHeard: .min, lastMedia: .min)
        return oldest
    }
}
