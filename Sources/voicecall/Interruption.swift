internal import Dispatch
internal import Glibc

/// Turns the first Ctrl-C, SIGTERM or lost terminal into a cancelled task, and the second into an exit at once.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter cancel: Called at most once.
    init(cancel: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "signals")
        let flag = SignalCount()
        sources = [SIGINT, SIGTERM, SIGHUP].filter(isHeeded).map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                guard flag.isFirst() else { _exit(Verdict.interrupted.exitCode) }
                cancel()
            }
            source.resume()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
    }
}

/// Whether the program was started to heed a signal: `nohup` starts it not to heed SIGHUP.
private func isHeeded(_ number: Int32) -> Bool {
    guard number == SIGHUP else { return true }
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return true }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1
}

private final class SignalCount: @unchecked Sendable {  // only ever used on the signals' serial queue
    private var count = 0

    func isFirst() -> Bool {
        count += 1
        return count == 1
    }
}
