/// Things that happened since the last look.
package struct MediaEvents: OptionSet, BitwiseCopyable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The first authentic packet came.
    package static let started = Self(rawValue: 1)
    /// Nothing authentic came for the agreed time.
    package static let timedOut = Self(rawValue: 2)
    /// Packets come again after ``timedOut``.
    package static let resumed = Self(rawValue: 4)
    /// The other side said goodbye.
    package static let remoteLeft = Self(rawValue: 8)
    /// No sound has come since the beginning, for 3 s.
    package static let oneWay = Self(rawValue: 16)
    /// Sound comes after ``oneWay``.
    package static let twoWay = Self(rawValue: 32)
}
