internal import Glibc

/// A standard stream that may go away at any time, as in `voicecall … | head -1`: what can't be written is
/// dropped.
enum Console: Int32 {
    case output = 1
    case error = 2

    /// Makes a closed pipe an error of `write` instead of the program's end.
    ///
    /// To be called first.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    var isTerminal: Bool { isatty(rawValue) == 1 }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            rest.removeFirst(written)
        }
    }
}
