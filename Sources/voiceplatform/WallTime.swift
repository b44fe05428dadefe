import FoundationEssentials

/// A time of day and year, in UTC, to the millisecond.
package struct WallTime: Hashable, Sendable, Comparable {
    package var millisecondsSince1970: Int64

    package init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Whole seconds, rounded down.
    package var secondsSince1970: Int64 {
        millisecondsSince1970.quotientAndFloorRemainder.quotient
    }

    /// RFC 3339 with milliseconds: `2026-12-01T02:52:00.000Z`.
    package var text: String {
        let (seconds, milliseconds) = millisecondsSince1970.quotientAndFloorRemainder
        let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast()
        let fraction = String(milliseconds + 1000).dropFirst()
        return "\(whole).\(fraction)Z"
    }

    package static func < (one: Self, other: Self) -> Bool {
        one.millisecondsSince1970 < other.millisecondsSince1970
    }

    package static func + (time: Self, seconds: Int64) -> Self {
        WallTime(millisecondsSince1970: time.millisecondsSince1970 + seconds * 1000)
    }

    package static func - (time: Self, seconds: Int64) -> Self {
        time + -seconds
    }
}

extension Int64 {
    fileprivate var quotientAndFloorRemainder: (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? (quotient - 1, remainder + 1000) : (quotient, remainder)
    }
}
