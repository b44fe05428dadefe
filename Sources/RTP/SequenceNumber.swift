/// An RTP sequence number: 16 bits, wrapping (RFC 3550 §5.1).
///
/// There is no `<`: on a circle it isn't an order. Ask for ``distance(to:)``, or extend to 64 bits
/// with ``SequenceUnwrapper`` and compare those.
package struct SequenceNumber: RawRepresentable, BitwiseCopyable, Hashable, Sendable {
    package var rawValue: UInt16

    @_noLocks @_noAllocation
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    @_noLocks @_noAllocation
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }

    /// The number of the packet sent after this one.
    package var next: Self {
        @_noLocks @_noAllocation
        get { Self(rawValue: rawValue &+ 1) }
    }

    /// The signed number of steps to `other`, the short way round: `-32768...32767`.
    @_noLocks @_noAllocation
    package func distance(to other: Self) -> Int {
        Int(Int16(bitPattern: other.rawValue &- rawValue))
    }
}

/// Extends wrapping sequence numbers to a 64-bit line, each to the place nearest to the highest so far.
///
/// Right as long as no packet is 2^15 or more behind or ahead. After a restart of the source
/// (``ReceptionStatistics/Verdict/restarted``) begin with a new one.
package struct SequenceUnwrapper: BitwiseCopyable, Sendable {
    private var highest: Int64?

    package init() {}

    /// - Returns: Equal to `number` modulo 2^16; negative for a packet from before the first, across a wrap.
    @_noLocks @_noAllocation
    package mutating func unwrap(_ number: SequenceNumber) -> Int64 {
        guard let highest else {
            self.highest = Int64(number.rawValue)
            return Int64(number.rawValue)
        }
        let reference = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest))
        let extended = highest &+ Int64(reference.distance(to: number))
        if extended > highest { self.highest = extended }
        return extended
    }
}

/// Extends wrapping RTP timestamps to a 64-bit line, each to the place nearest to the highest so far.
///
/// Right as long as no packet is 2^31 units or more behind or ahead: 12 hours at 48 kHz.
package struct TimestampUnwrapper: BitwiseCopyable, Sendable {
    private var highest: Int64?

    package init() {}

    /// - Returns: Equal to `timestamp` modulo 2^32; negative for a packet from before the first, across a wrap.
    @_noLocks @_noAllocation
    package mutating func unwrap(_ timestamp: UInt32) -> Int64 {
        guard let highest else {
            self.highest = Int64(timestamp)
            return Int64(timestamp)
        }
        let step = Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: highest))
        let extended = highest &+ Int64(step)
        if extended > highest { self.highest = extended }
        return extended
    }
}
