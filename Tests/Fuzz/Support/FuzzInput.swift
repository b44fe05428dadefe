/// Decisions read from an input, octet by octet; past its end every octet is 0.
package struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    package init(_ octets: [UInt8]) {
        rest = octets[...]
    }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func octet() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// A number in `0..<bound`; `bound` is at most 256.
    package mutating func number(below bound: Int) -> Int {
        Int(octet()) % bound
    }

    package mutating func uint16() -> UInt16 {
        UInt16(octet()) << 8 | UInt16(octet())
    }

    package mutating func uint32() -> UInt32 {
        UInt32(uint16()) << 16 | UInt32(uint16())
    }

    /// As many of the next octets as their first says: up to 255, fewer at the end.
    package mutating func piece() -> [UInt8] {
        let count = Int(octet())
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// All that is left.
    package mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
