internal import CLinux
internal import Glibc

/// A thread of the system, with real-time priority if it wants and gets that.
package struct SystemThread: ~Copyable, Sendable {
    private final class Work: Sendable {
        let name: String
        let priority: Int32?
        let body: @Sendable (_ hasRealTimePriority: Bool) -> Void

        init(name: String, priority: Int32?, body: @escaping @Sendable (Bool) -> Void) {
            self.name = name
            self.priority = priority
            self.body = body
        }

        func run() {
            clinux_name_thread(name)
            body(priority.map { clinux_request_real_time($0) == 0 } ?? false)
        }
    }

    private let thread: pthread_t

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: At most 15 octets count.
    ///   - realTimePriority: `1...99` asks for SCHED_FIFO. Refused, the thread runs all the same, and `body` is told.
    ///   - body: What it does; the thread ends with it.
    /// - Throws: ``SystemError`` when the system has no thread left.
    package init(
        name: String, realTimePriority: Int32? = nil,
        body: @escaping @Sendable (_ hasRealTimePriority: Bool) -> Void
    ) throws(SystemError) {
        let work = Unmanaged.passRetained(
            Work(name: String(name.prefix(15)), priority: realTimePriority, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError("pthread_create", code: code)
        }
        self.thread = thread
    }

    /// Waits for the thread's end.
    package consuming func join() { pthread_join(thread, nil) }

    /// Lets the thread end by itself.
    package consuming func detach() { pthread_detach(thread) }
}
