import CMicrohttpd
import Glibc
import Synchronization

/// Why the server can't listen.
package enum HTTPServerError: Error, Hashable, Sendable {
    case invalidAddress
    /// Another program listens there.
    case portInUse
    /// The system's number for anything else; 0 with TLS is an unusable key or certificate.
    case cannotListen(CInt)
}

/// HTTP/1.1 by libmicrohttpd: gathers a request, hands it over, and sends the reply whenever it comes.
final class HTTPServer: Sendable {
    typealias Handler = @Sendable (HTTPRequest, HTTPExchange) -> Void

    private let handler: Handler
    private let bodyLimit: Int
    /// The pointer is used from one thread at a time: at start, and once by `stop`.
    private struct Daemon: @unchecked Sendable {  // libmicrohttpd's daemon is safe from any thread.
        var pointer: OpaquePointer?
    }
    private let daemon = Mutex(Daemon())

    /// - Parameters:
    ///   - bodyLimit: Octets of a body that are kept.
    ///   - handler: Called on the server's thread; it must not block, and must reply once, then or later.
    init(bodyLimit: Int, handler: @escaping Handler) {
        self.bodyLimit = bodyLimit
        self.handler = handler
    }

    /// Begins to listen, and keeps itself alive until ``stop()``.
    ///
    /// - Returns: The port, also if 0 asked for any.
    func start(
        address: String, port: UInt16, tls: PlatformConfiguration.TLS?
    ) throws(HTTPServerError) -> UInt16 {
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &socketAddress.sin_addr) == 1 else { throw .invalidAddress }
        let flags =
            MHD_USE_AUTO.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue
        let context = Unmanaged.passRetained(self).toOpaque()
        errno = 0
        let started = withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                cmicrohttpd_start(
                    flags, generic, Self.onRequest, context, Self.onCompletion, context, tls?.privateKey,
                    tls?.certificate)
            }
        }
        guard let started else {
            let reason = errno
            Unmanaged<HTTPServer>.fromOpaque(context).release()
            throw reason == EADDRINUSE ? .portInUse : .cannotListen(reason)
        }
        daemon.withLock { $0.pointer = started }
        return UInt16(truncatingIfNeeded: cmicrohttpd_port(started))
    }

    /// Ends at once; every exchange must have been replied to, and every stream closed.
    func stop() {
        let pointer = daemon.withLock { daemon in
            defer { daemon.pointer = nil }
            return daemon.pointer
        }
        guard let pointer else { return }
        MHD_stop_daemon(pointer)
        Unmanaged.passUnretained(self).release()
    }

    // MARK: Callbacks, on the server's thread

    private static let onRequest: MHD_AccessHandlerCallback = {
        context, connection, url, method, _, data, size, state in
        guard let context, let connection, let url, let method, let size, let state else { return .NO }
        let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        guard let known = state.pointee else {
            let exchange = HTTPExchange(
                HTTPRequest(
                    method: String(cString: method), path: String(cString: url),
                    query: HTTPServer.values(of: connection, .GET_ARGUMENT_KIND, lowercased: false),
                    headers: HTTPServer.values(of: connection, .HEADER_KIND, lowercased: true)))
            state.pointee = Unmanaged.passRetained(exchange).toOpaque()
            return server.begin(exchange, on: connection)
        }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
        guard size.pointee > 0, let data else { return server.finish(exchange, on: connection) }
        let octets = UnsafeRawBufferPointer(start: data, count: size.pointee)
        size.pointee = 0
        return exchange.append(octets, limit: server.bodyLimit) ? .YES : .NO
    }

    private static let onCompletion: MHD_RequestCompletedCallback = { _, _, state, _ in
        guard let state, let known = state.pointee else { return }
        Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue().markOver()
        state.pointee = nil
    }

    /// A body that says that it is too long isn't waited for.
    private func begin(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
        guard let text = exchange.contentLength, (Int(text) ?? .max) > bodyLimit else { return .YES }
        exchange.markBodyTooLarge()
        return finish(exchange, on: connection)
    }

    /// Hands the request over the first time, and sends the reply once there is one.
    private func finish(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
        if let request = exchange.takeRequest() { handler(request, exchange) }
        return exchange.sendOrSuspend(connection)
    }

    private static func values(
        of connection: OpaquePointer, _ kind: MHD_ValueKind, lowercased: Bool
    ) -> [String: String] {
        var values: [String: String] = [:]
        withUnsafeMutablePointer(to: &values) { pointer in
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, key, value in
                    guard let context, let key else { return .YES }
                    let name = String(cString: key)
                    context.assumingMemoryBound(to: [String: String].self)
                        .pointee[name] = value.map { String(cString: $0) } ?? ""
                    return .YES
                }, pointer)
        }
        guard lowercased else { return values }
        return Dictionary(values.map { ($0.key.lowercased(), $0.value) }) { _, last in last }
    }
}
