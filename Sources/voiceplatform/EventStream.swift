import CMicrohttpd
import Synchronization

/// The body of an event stream: anyone may send, the server's thread takes, and rests while there is nothing.
final class EventStream: Sendable {
    /// What a client that doesn't read may leave behind; it then loses the stream, not us our memory.
    private static let mostWaitingOctets = 4 << 20

    private struct State: @unchecked Sendable {  // The pointer is libmicrohttpd's, safe from any thread.
        var waiting: [UInt8]
        var isClosed = false
        var connection: OpaquePointer?
        var isSuspended = false

        mutating func wake() {
            guard isSuspended, let connection else { return }
            isSuspended = false
            MHD_resume_connection(connection)
        }
    }

    private let state: Mutex<State>
    private let onEnd: @Sendable () -> Void

    /// - Parameters:
    ///   - text: What is sent first.
    ///   - onEnd: Called once the client is gone or has all; on the server's thread.
    init(text: String, onEnd: @escaping @Sendable () -> Void) {
        state = Mutex(State(waiting: Array(text.utf8)))
        self.onEnd = onEnd
    }

    /// Whether the server's thread is done with it: the client has all, or is gone.
    var isOver: Bool { state.withLock { $0.connection == nil } }

    func send(_ text: String) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.waiting += text.utf8
            if state.waiting.count > Self.mostWaitingOctets {
                state.waiting = []
                state.isClosed = true
            }
            state.wake()
        }
    }

    /// Ends the stream after what was sent.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wake()
        }
    }

    /// Begins the response; server's thread only.
    func start(on connection: OpaquePointer) -> MHD_Result {
        state.withLock { $0.connection = connection }
        let unknownSize = UInt64.max
        guard
            let message = MHD_create_response_from_callback(
                unknownSize, 16_384, Self.onPull, Unmanaged.passRetained(self).toOpaque(), Self.onFree)
        else {
            Unmanaged.passUnretained(self).release()
            return .NO
        }
        defer { MHD_destroy_response(message) }
        MHD_add_response_header(message, "Content-Type", "text/event-stream")
        MHD_add_response_header(message, "Cache-Control", "no-store")
        return MHD_queue_response(connection, 200, message)
    }

    private static let onPull: MHD_ContentReaderCallback = { context, _, buffer, size in
        guard let context, let buffer else { return Int(MHD_CONTENT_READER_END_WITH_ERROR) }
        return Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
            .pull(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }

    private static let onFree: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        let stream = Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue()
        stream.state.withLock { state in
            state.isClosed = true
            state.connection = nil
        }
        stream.onEnd()
    }

    private func pull(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            guard state.waiting.isEmpty else {
                let count = min(buffer.count, state.waiting.count)
                buffer.copyBytes(from: state.waiting[..<count])
                state.waiting.removeFirst(count)
                return count
            }
            guard !state.isClosed else { return Int(MHD_CONTENT_READER_END_OF_STREAM) }
            guard let connection = state.connection else { return Int(MHD_CONTENT_READER_END_WITH_ERROR) }
            state.isSuspended = true
            MHD_suspend_connection(connection)
            return 0
        }
    }
}
