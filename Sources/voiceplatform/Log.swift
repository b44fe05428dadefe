import Glibc

/// How much is logged.
package enum LogLevel: Sendable {
    case quiet
    case normal
    case verbose
}

/// Lines on standard error.
///
/// No body, header, query or SDP ever gets here: they hold tokens and keys.
struct Log: Sendable {
    let level: LogLevel

    /// Something that happened to a call.
    func event(_ line: String) {
        if level != .quiet { Terminal.write("voiceplatform: \(line)\n", to: STDERR_FILENO) }
    }

    /// A request and its status.
    func request(_ request: HTTPRequest, status: Int, id: String?) {
        guard level == .verbose else { return }
        let path = String(
            decoding: request.path.utf8.map { (0x21...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        event("\(request.method) \(path.prefix(200)) \(status)\(id.map { " \($0)" } ?? "")")
    }
}

/// Standard output and error, which may be closed or broken at any time.
enum Terminal {
    /// Opens what of the three standard descriptors is closed, so that no socket takes its number.
    static func secureStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes all of `text`, or as much as goes.
    static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
