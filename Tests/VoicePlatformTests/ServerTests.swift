import Dispatch
import Glibc
import Synchronization
import Testing
import voiceplatform

/// Answers each offer at once, and remembers what was closed.
private final class ScriptedMedia: AgentMedia {
    let closed = Mutex<[Int64]>([])

    func answer(
        offer: String, call: Int64, report: @escaping @Sendable (MediaReport) -> Void
    ) async throws(MediaFailure) -> String {
        guard offer.hasPrefix("v=0") else { throw .invalidOffer("line 1") }
        return "v=0 answer"
    }

    func setOnHold(_ isOnHold: Bool, call: Int64) {}

    func close(call: Int64) async {
        closed.withLock { $0.append(call) }
    }

    func shutDown() async {}
}

/// A plain TCP client that reads until it has seen what it waits for, or the end.
///
/// It reads on threads of Dispatch's: the few of Swift's own stay free for the server.
private final class Client: Sendable {
    private let descriptor: CInt
    private let received = Mutex("")

    init(port: UInt16) throws {
        descriptor = try connectToLoopback(port: port)
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let octets = Array(text.utf8)
        _ = Glibc.send(descriptor, octets, octets.count, CInt(MSG_NOSIGNAL))
    }

    /// Everything up to and with `mark`, or to the end of the connection.
    func read(until mark: String) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.readNow(until: mark)) }
        }
    }

    func readToEnd() async -> String { await read(until: "\u{0}") }

    private func readNow(until mark: String) -> String {
        var block = [UInt8](repeating: 0, count: 4_096)
        while !received.withLock({ $0.contains(mark) }) {
            let count = recv(descriptor, &block, block.count, 0)
            guard count > 0 else { break }
            received.withLock { $0 += String(decoding: block[..<count], as: UTF8.self) }
        }
        return received.withLock { $0 }
    }
}

@Suite("The server on real sockets", .serialized)
struct ServerTests {
    private let media = ScriptedMedia()
    private let now = WallTime(millisecondsSince1970: 1_800_000_000_000)

    private func withServer(_ body: (UInt16) async throws -> Void) async throws {
        var configuration = try Fixture.configuration()
        configuration.port = 0
        let server = PlatformServer(configuration, media: media, logLevel: .quiet) { [now] in now }
        let port = try server.start()
        do {
            try await body(port)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func text(
        _ method: String, _ path: String, token: String = "", _ body: String = "", more: String = ""
    ) -> String {
        "\(method) /ccai/v1\(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\(more)"
            + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func exchange(_ request: String, port: UInt16) async throws -> String {
        let client = try Client(port: port)
        client.send(request)
        return await client.readToEnd()
    }

    private func signIn(port: UInt16) async throws -> String {
        let body =
            #"{"company_key":"demo","jwt":"\#(try Fixture.jwt(at: now))","device":{"id":"d-1"}}"#
        let response = try await exchange(text("POST", "/auth/end_user", body), port: port)
        let parts = response.split(separator: #""auth_token":""#)
        return String(try #require(parts.last).prefix { $0 != "\"" })
    }

    private let offer = #"{"type":"instant","menu_id":1,"media":{"kind":"sdp","sdp":"v=0"}}"#

    @Test func aStreamThatBreaksIsReplayedOnAnother() async throws {
        try await withServer { port in
            let token = try await signIn(port: port)
            let first = try Client(port: port)
            first.send(text("GET", "/events", token: token))
            #expect(await first.read(until: "retry: 1000\n\n").contains("Content-Type: text/event-stream"))
            let started = try await exchange(text("POST", "/calls", token: token, offer), port: port)
            #expect(started.hasPrefix("HTTP/1.1 201 "))
            let seen = await first.read(until: #""status":"connected""#)
            let place = try #require(seen.split(separator: "id: ").dropFirst().first?.prefix { $0 != "\n" })
            let second = try Client(port: port)
            second.send(text("GET", "/events", token: token, more: "Last-Event-ID: \(place)\r\n"))
            let replayed = await second.read(until: #""status":"connected""#)
            #expect(!replayed.contains(#""status":"connecting""#))
            #expect(await first.readToEnd().contains("event: session.replaced"))
        }
        #expect(media.closed.withLock { $0.count } == 1)
    }

    @Test func stoppingTellsTheStreamBeforeItEnds() async throws {
        var configuration = try Fixture.configuration()
        configuration.port = 0
        let server = PlatformServer(configuration, media: media, logLevel: .quiet) { [now] in now }
        let port = try server.start()
        let token = try await signIn(port: port)
        let stream = try Client(port: port)
        stream.send(text("GET", "/events", token: token))
        _ = await stream.read(until: "retry: 1000\n\n")
        _ = try await exchange(text("POST", "/calls", token: token, offer), port: port)
        await server.stop()
        let all = await stream.readToEnd()
        #expect(all.contains("voip_conn_general"))
        #expect(all.hasSuffix("0\r\n\r\n"))
        #expect(media.closed.withLock { $0.count } == 1)
    }

    @Test func aBodyThatIsTooLongIsRefusedHoweverItIsSent() async throws {
        try await withServer { port in
            let long = String(repeating: "x", count: 5_000)
            let announced = try await exchange(text("POST", "/auth/end_user", long), port: port)
            #expect(announced.hasPrefix("HTTP/1.1 413 "))
            #expect(announced.contains("body_too_large"))
            let head = "POST /ccai/v1/auth/end_user HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            let chunked = head + "Transfer-Encoding: chunked\r\n\r\n1388\r\n\(long)\r\n0\r\n\r\n"
            #expect(try await exchange(chunked, port: port).hasPrefix("HTTP/1.1 413 "))
            let enormous = head + "Content-Length: 99999999999999999999\r\n\r\n"
            #expect(try await exchange(enormous, port: port).hasPrefix("HTTP/1.1 4"))
        }
    }

    @Test(arguments: [
        "\r\n\r\n", "GARBAGE\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET /%00%ff/../../x?%=&&= HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "POST /ccai/v1/calls HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
        "GET /ccai/v1/company HTTP/1.1\r\n: \r\n\r\n",
    ])
    func garbageLeavesTheServerServing(request: String) async throws {
        try await withServer { port in
            let client = try Client(port: port)
            client.send(request)
            let response = try await exchange(text("GET", "/company"), port: port)
            #expect(response.hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test func aRefusedOfferIsAProblemWithTheRequestsId() async throws {
        try await withServer { port in
            let token = try await signIn(port: port)
            let body = offer.replacing("v=0", with: "junk")
            let response = try await exchange(
                text("POST", "/calls", token: token, body, more: "X-Request-Id: r-9\r\n"), port: port)
            #expect(response.hasPrefix("HTTP/1.1 422 "))
            #expect(response.contains("X-Request-Id: r-9"))
            #expect(response.contains("media.sdp"))
        }
    }

    @Test func aBusyPortIsTold() async throws {
        try await withServer { port in
            var configuration = try Fixture.configuration()
            configuration.port = port
            let second = PlatformServer(configuration, media: media, logLevel: .quiet) { [now] in now }
            #expect(throws: HTTPServerError.portInUse) { try second.start() }
        }
    }

    @Test func anAddressOfAnotherMachineIsNoBusyPort() throws {
        var configuration = try Fixture.configuration()
        configuration.address = "192.0.2.1"
        let server = PlatformServer(configuration, media: media, logLevel: .quiet) { [now] in now }
        #expect(throws: HTTPServerError.cannotListen(EADDRNOTAVAIL)) { try server.start() }
    }
}
