internal import Foundation

/// One moment of a running call, for the user to watch.
package struct ProgressLine: Hashable, Sendable {
    package var elapsed: Duration
    package var status: String
    package var packetsSent: Int
    package var packetsReceived: Int
    /// What we hear, dBov.
    package var level: Double?

    package init(
        elapsed: Duration, status: String, packetsSent: Int = 0, packetsReceived: Int = 0,
        level: Double? = nil
    ) {
        self.elapsed = elapsed
        self.status = status
        self.packetsSent = packetsSent
        self.packetsReceived = packetsReceived
        self.level = level
    }

    package var text: String {
        let seconds = Int(elapsed / .seconds(1))
        let level = level.map { String(format: "%.0f dBov", $0) } ?? "no sound yet"
        return String(format: "%d:%02d  ", seconds / 60, seconds % 60)
            + "\(status)  \(packetsSent) out  \(packetsReceived) in  \(level)"
    }
}

/// Decides what of the progress is written: a line that rewrites itself on a terminal, a line every 2 s
/// elsewhere.
package struct ProgressPrinter: Sendable {
    private let isTerminal: Bool
    private var lastElapsed: Duration?
    private var lastLength = 0

    package init(isTerminal: Bool) {
        self.isTerminal = isTerminal
    }

    /// What to write for `line` now, with its line ends; empty for nothing.
    package mutating func output(for line: ProgressLine) -> String {
        guard isTerminal else {
            if let lastElapsed, line.elapsed - lastElapsed < .seconds(2) { return "" }
            lastElapsed = line.elapsed
            return line.text + "\n"
        }
        let text = line.text
        let padding = String(repeating: " ", count: max(0, lastLength - text.count))
        lastLength = text.count
        return "\r" + text + padding
    }

    /// Ends a line that rewrites itself.
    package mutating func end() -> String {
        defer { lastLength = 0 }
        return isTerminal && lastLength > 0 ? "\n" : ""
    }
}
