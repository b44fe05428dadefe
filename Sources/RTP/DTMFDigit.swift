/// A key of a telephone's pad, numbered as its telephone event: `0...15` (RFC 4733 §3.2).
package enum DTMFDigit: UInt8, BitwiseCopyable, CaseIterable, Hashable, Sendable {
    case zero, one, two, three, four, five, six, seven, eight, nine
    case star, pound
    case a, b, c, d

    /// - Returns: `nil` for an event that is no key: 16, the hook flash, and above.
    @_noLocks @_noAllocation
    package init?(eventCode: UInt8) {
        guard let digit = Self(rawValue: eventCode) else { return nil }
        self = digit
    }

    package var eventCode: UInt8 {
        @_noLocks @_noAllocation
        get { rawValue }
    }

    /// - Parameter character: One of `0-9`, `*`, `#`, `A-D`, `a-d`; for all others `nil`.
    package init?(_ character: Character) {
        switch character {
        case "*": self = .star
        case "#": self = .pound
        case "A", "a": self = .a
        case "B", "b": self = .b
        case "C", "c": self = .c
        case "D", "d": self = .d
        case "0"..."9":
            guard let value = character.asciiValue, let digit = Self(rawValue: value - 48) else { return nil }
            self = digit
        default: return nil
        }
    }

    /// What stands on the key, letters in upper case.
    package var character: Character {
        switch self {
        case .star: "*"
        case .pound: "#"
        case .a: "A"
        case .b: "B"
        case .c: "C"
        case .d: "D"
        case .zero, .one, .two, .three, .four, .five, .six, .seven, .eight, .nine:
            Character(Unicode.Scalar(48 + rawValue))
        }
    }
}
