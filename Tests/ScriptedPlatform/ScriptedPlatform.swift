internal import Foundation
internal import Synchronization

/// A request as it came over the wire.
package struct ScriptedRequest: Hashable, Sendable {
    package var method: String
    /// Path and query.
    package var target: String
    /// By lower-case name.
    package var headers: [String: String]
    package var body: String

    /// `GET /path`, without the query.
    package var line: String { "\(method) \(target.prefix { $0 != "?" })" }
}

/// What to do with a request.
package enum ScriptedAnswer: Sendable {
    /// A whole answer; the connection stays open.
    case answer(status: Int, headers: [String: String] = [:], body: String)
    /// These bytes, then the end of the connection.
    case bytes(String)
    /// An answer whose body goes on.
    case stream(ScriptedStream)
    /// Nothing, ever.
    case nothing

    package static func json(_ body: String, status: Int = 200) -> ScriptedAnswer {
        .answer(status: status, headers: ["Content-Type": "application/json"], body: body)
    }

    package static func problem(_ status: Int, _ code: String, headers: [String: String] = [:])
        -> ScriptedAnswer
    {
        var headers = headers
        headers["Content-Type"] = "application/problem+json"
        return .answer(
            status: status, headers: headers,
            body: #"{"type":"about:blank","title":"T","status":\#(status),"code":"\#(code)","detail":"D"}"#)
    }
}

/// An event stream that a test writes to.
package final class ScriptedStream: Sendable {
    private struct State {
        var socket: Int32?
        var pending = ""
        var isClosed = false
    }
    private let state = Mutex(State())

    package init() {}

    /// Sends `text`, or keeps it until a client is there.
    package func send(_ text: String) {
        state.withLock { state in
            if let socket = state.socket { writeAll(text, to: socket) } else { state.pending += text }
        }
    }

    /// Sends an event with one line of data.
    package func send(event: String, id: String, data: String) {
        send("id: \(id)\nevent: \(event)\ndata: \(data)\n\n")
    }

    /// Breaks the connection.
    package func cut() {
        state.withLock { state in
            state.isClosed = true
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    fileprivate func attach(_ socket: Int32) {
        state.withLock { state in
            writeAll(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                    + state.pending,
                to: socket)
            state.pending = ""
            state.socket = socket
            if state.isClosed { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    fileprivate func detach() {
        state.withLock { $0.socket = nil }
    }
}

/// A small HTTP server that does exactly what a test says, faults included.
package final class ScriptedPlatform: Sendable {
    private struct State {
        var sockets: Set<Int32> = []
        var requests: [ScriptedRequest] = []
        var isKilled = false
    }
    private let listener: Int32
    private let state = Mutex(State())
    private let script: @Sendable (ScriptedRequest) -> ScriptedAnswer

    /// The port on 127.0.0.1.
    package let port: UInt16

    /// Starts a server that asks `script` for each answer, on the connection's own thread.
    package init(_ script: @escaping @Sendable (ScriptedRequest) -> ScriptedAnswer) {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let isListening = bind(listener, address, length) == 0 && listen(listener, 64) == 0
                precondition(isListening, "no port for the scripted platform")
                getsockname(listener, address, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// The address for the client.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// All requests so far, in the order of their arrival.
    package var requests: [ScriptedRequest] { state.withLock { $0.requests } }

    /// The connections that were accepted and still live.
    package var openConnections: Int { state.withLock { $0.sockets.count } }

    /// Dies like a killed process: connections are reset, and nobody listens.
    package func kill() {
        state.withLock { state in
            guard !state.isKilled else { return }
            state.isKilled = true
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptConnections() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            let isWanted = state.withLock { state in
                if !state.isKilled { state.sockets.insert(connection) }
                return !state.isKilled
            }
            guard isWanted else {
                close(connection)
                return
            }
            Thread.detachNewThread { [self] in
                serve(connection)
                state.withLock { _ = $0.sockets.remove(connection) }
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        var buffer: [UInt8] = []
        while let request = readRequest(from: connection, &buffer) {
            state.withLock { $0.requests.append(request) }
            switch script(request) {
            case .answer(let status, let headers, let body):
                let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
                let length = status == 204 ? "" : "Content-Length: \(body.utf8.count)\r\n"
                writeAll("HTTP/1.1 \(status) X\r\n\(length)\(fields)\r\n\(body)", to: connection)
            case .bytes(let text):
                return writeAll(text, to: connection)
            case .stream(let stream):
                stream.attach(connection)
                waitForEnd(of: connection)
                return stream.detach()
            case .nothing:
                return waitForEnd(of: connection)
            }
        }
    }

    private func waitForEnd(of connection: Int32) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }
}

private func readRequest(from connection: Int32, _ buffer: inout [UInt8]) -> ScriptedRequest? {
    while true {
        let text = String(decoding: buffer, as: UTF8.self)
        if let end = text.range(of: "\r\n\r\n") {
            let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers[line[..<colon].lowercased()] =
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            let length = headers["content-length"].flatMap(Int.init) ?? 0
            let body = text[end.upperBound...].utf8
            if words.count > 1, body.count >= length {
                buffer = Array(body.dropFirst(length))
                return ScriptedRequest(
                    method: String(words[0]), target: String(words[1]), headers: headers,
                    body: String(decoding: Array(body.prefix(length)), as: UTF8.self))
            }
        }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &piece, piece.count, 0)
        guard count > 0 else { return nil }
        buffer += piece.prefix(count)
    }
}

private func writeAll(_ text: String, to socket: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { return }
        rest = rest.dropFirst(sent)
    }
}
