import CMicrohttpd
import Synchronization

/// One request and its reply, which may come later and from any thread.
final class HTTPExchange: Sendable {
    private enum Reply {
        case response(HTTPResponse)
        case stream(EventStream)
    }

    private struct State: @unchecked Sendable {  // The pointer is libmicrohttpd's, safe from any thread.
        var request: HTTPRequest
        /// Octets of the body so far, also the dropped ones.
        var received = 0
        var isHandedOver = false
        var reply: Reply?
        var suspended: OpaquePointer?
        var isOver = false
    }

    private let state: Mutex<State>

    init(_ request: HTTPRequest) {
        state = Mutex(State(request: request))
    }

    var contentLength: String? { state.withLock { $0.request.headers["content-length"] } }

    /// Whether the reply is out, or the client gone.
    var isOver: Bool { state.withLock { $0.isOver } }

    func markOver() {
        state.withLock { $0.isOver = true }
    }

    func markBodyTooLarge() {
        state.withLock { $0.request.isBodyTooLarge = true }
    }

    /// Adds to the body; past `limit` it only notes that there was more.
    ///
    /// - Returns: `false` when the client goes on so long that the connection is better closed.
    func append(_ octets: UnsafeRawBufferPointer, limit: Int) -> Bool {
        state.withLock { state in
            state.received += octets.count
            guard state.received > limit else {
                state.request.body += octets
                return true
            }
            state.request.isBodyTooLarge = true
            state.request.body = []
            // As much again is read and dropped, so that the client gets to see the answer.
            return state.received <= 2 * limit
        }
    }

    /// The request, the first time that it is asked for.
    func takeRequest() -> HTTPRequest? {
        state.withLock { state in
            guard !state.isHandedOver else { return nil }
            state.isHandedOver = true
            return state.request
        }
    }

    func reply(_ response: HTTPResponse) {
        resume(with: .response(response))
    }

    func reply(_ stream: EventStream) {
        resume(with: .stream(stream))
    }

    private func resume(with reply: Reply) {
        state.withLock { state in
            state.reply = reply
            guard let connection = state.suspended else { return }
            state.suspended = nil
            MHD_resume_connection(connection)
        }
    }

    /// Sends the reply, or lets the connection rest until there is one; server's thread only.
    func sendOrSuspend(_ connection: OpaquePointer) -> MHD_Result {
        state.withLock { state in
            switch state.reply {
            case .response(let response):
                return Self.send(response, on: connection)
            case .stream(let stream):
                return stream.start(on: connection)
            case nil:
                state.suspended = connection
                MHD_suspend_connection(connection)
                return .YES
            }
        }
    }

    private static func send(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
        var body = response.body
        guard let message = MHD_create_response_from_buffer(body.count, &body, .RESPMEM_MUST_COPY) else {
            return .NO
        }
        defer { MHD_destroy_response(message) }
        for (name, value) in response.headers { MHD_add_response_header(message, name, value) }
        return MHD_queue_response(connection, UInt32(response.status), message)
    }
}
