/// A key's pair of tones (ITU-T Q.23), by the number that RFC 4733 §3.2 gives the key: `0...9`, `*` 10, `#` 11, `A-D` 12
/// to 15.
package struct DTMFSignal: RawRepresentable, BitwiseCopyable, Hashable, Sendable {
    package let rawValue: UInt8

    /// - Returns: `nil` above 15.
    @_noLocks @_noAllocation
    package init?(rawValue: UInt8) {
        guard rawValue <= 15 else { return nil }
        self.rawValue = rawValue
    }

    /// The key in `row` from the top and `column` from the left, `0...3` each.
    @_noLocks @_noAllocation
    init(row: Int, column: Int) {
        switch (row, column) {
        case (_, 3): rawValue = UInt8(truncatingIfNeeded: 12 + row)
        case (3, 0): rawValue = 10
        case (3, 1): rawValue = 0
        case (3, _): rawValue = 11
        default: rawValue = UInt8(truncatingIfNeeded: 1 + 3 * row + column)
        }
    }

    @_noLocks @_noAllocation
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }

    /// Its row from the top: 697, 770, 852 or 941 Hz.
    var row: Int {
        @_noLocks @_noAllocation
        get {
            switch rawValue {
            case 1...9: Int(rawValue - 1) / 3
            case 12...15: Int(rawValue) - 12
            default: 3
            }
        }
    }

    /// Its column from the left: 1209, 1336, 1477 or 1633 Hz.
    var column: Int {
        @_noLocks @_noAllocation
        get {
            switch rawValue {
            case 1...9: Int(rawValue - 1) % 3
            case 10: 0
            case 11: 2
            case 12...15: 3
            default: 1
            }
        }
    }
}
