// Octets in network order. Concrete, not generic: a generic function can't carry the marks, and every caller does.

extension Span<UInt8> {
    @inline(__always) @_noLocks @_noAllocation
    func uint16(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    @inline(__always) @_noLocks @_noAllocation
    func uint32(at offset: Int) -> UInt32 {
        UInt32(uint16(at: offset)) << 16 | UInt32(uint16(at: offset + 2))
    }

    @inline(__always) @_noLocks @_noAllocation
    func uint64(at offset: Int) -> UInt64 {
        UInt64(uint32(at: offset)) << 32 | UInt64(uint32(at: offset + 4))
    }
}

extension OutputSpan<UInt8> {
    @_noLocks @_noAllocation
    mutating func append(bigEndian value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    @_noLocks @_noAllocation
    mutating func append(bigEndian value: UInt32) {
        append(bigEndian: UInt16(truncatingIfNeeded: value >> 16))
        append(bigEndian: UInt16(truncatingIfNeeded: value))
    }

    @_noLocks @_noAllocation
    mutating func append(bigEndian value: UInt64) {
        append(bigEndian: UInt32(truncatingIfNeeded: value >> 32))
        append(bigEndian: UInt32(truncatingIfNeeded: value))
    }

    @_noLocks @_noAllocation
    mutating func append(first count: Int, of octets: Span<UInt8>) {
        var index = 0
        while index < count {
            append(octets[index])
            index += 1
        }
    }

    @_noLocks @_noAllocation
    mutating func append(nulls count: Int) {
        var remaining = count
        while remaining > 0 {
            append(0)
            remaining -= 1
        }
    }
}
