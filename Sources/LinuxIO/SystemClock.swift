internal import CLinux
package import MediaTime

/// The machine's clocks: the one place that reads them for the engine.
package enum SystemClock {
    /// Now, on the clock that never jumps.
    package static func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: clinux_monotonic_nanoseconds())
    }

    /// Nanoseconds since 1970, by a clock that may be set.
    package static func wallClock() -> Int64 { clinux_real_nanoseconds() }
}
