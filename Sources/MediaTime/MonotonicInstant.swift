/// A point on the one monotonic clock that the shells read and the cores are told.
///
/// Unit: nanoseconds since an arbitrary origin. Cores never read a clock; they take `now`.
package struct MonotonicInstant: InstantProtocol, BitwiseCopyable, Hashable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// As ``advanced(by:)``, without the arithmetic of 128 bits that `Duration` brings.
    package func advanced(byNanoseconds nanoseconds: Int64) -> Self {
        Self(nanoseconds: self.nanoseconds + nanoseconds)
    }

    package func advanced(by duration: Duration) -> Self {
        Self(nanoseconds: nanoseconds + duration.wholeNanoseconds)
    }

    package func duration(to other: Self) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    // Said out loud, since the defaults of the standard library are generic, and slow on the media path.
    package static func <= (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds <= rhs.nanoseconds }
    package static func > (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds > rhs.nanoseconds }
    package static func >= (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds >= rhs.nanoseconds }
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds == rhs.nanoseconds }
}

extension Duration {
    /// The duration in nanoseconds, rounded toward zero.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in milliseconds, with its fraction.
    package var inMilliseconds: Double { Double(wholeNanoseconds) / 1e6 }
}
