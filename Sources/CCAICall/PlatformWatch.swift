/// Decides when the platform is lost: it doesn't answer, and no media comes from it either.
///
/// Each of the two alone is left to heal: media goes on without HTTP, and the platform ends a call without media by itself.
package struct PlatformWatch: Hashable, Sendable {
    private enum Media {
        case awaited
        case flowing
        case missing
    }
    private var media: Media = .awaited
    private var failuresInARow = 0

    package init() {}

    /// Authentic media arrives.
    package mutating func mediaArrived() { media = .flowing }

    /// Media stopped, by time-out or with a goodbye.
    ///
    /// Ask the platform.
    package mutating func mediaStopped() {
        media = .missing
        failuresInARow = 0
    }

    /// Whether media came and stopped.
    package var isMediaMissing: Bool { media == .missing }

    /// The platform was heard over HTTP.
    package mutating func platformAnswered() { failuresInARow = 0 }

    /// The platform was asked and didn't answer.
    ///
    /// - Returns: Whether it is lost. Before media ever came, only the second failure in a row tells, a few seconds later.
    package mutating func platformSilent() -> Bool {
        failuresInARow += 1
        return switch media {
        case .flowing: false
        case .missing: true
        case .awaited: failuresInARow >= 2
        }
    }
}
