import FoundationEssentials
import PlatformSignalling
import ScriptedPlatform
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPClientTests {
    @Test func keepsTheConnectionForTheNextRequest() async throws {
        let platform = ScriptedPlatform { _ in .json("{}") }
        let client = HTTPClient()
        for _ in 0..<5 { _ = try await client.send(HTTPRequest(.get, platform.url)) }
        #expect(platform.requests.count == 5)
        #expect(platform.openConnections == 1)
    }

    @Test func sendsMethodHeadersAndBody() async throws {
        let platform = ScriptedPlatform { .json($0.body, status: 201) }
        let request = HTTPRequest(
            .post, platform.url + "/x?y=1", headers: ["X-A": "b"], body: Data("{\"ü\":1}".utf8))
        let response = try await HTTPClient().send(request)
        #expect(response.head.status == 201)
        #expect(response.head.headers["content-type"] == "application/json")
        #expect(response.body == Data("{\"ü\":1}".utf8))
        #expect(platform.requests.first?.target == "/x?y=1")
        #expect(platform.requests.first?.headers["x-a"] == "b")
    }

    @Test func doesNotFollowARedirect() async throws {
        let platform = ScriptedPlatform { _ in
            .answer(status: 302, headers: ["Location": "file:///etc/passwd"], body: "")
        }
        let response = try await HTTPClient().send(HTTPRequest(.get, platform.url))
        #expect(response.head.status == 302)
        #expect(platform.requests.count == 1)
    }

    @Test func saysThatNobodyListens() async {
        let platform = ScriptedPlatform { _ in .json("{}") }
        platform.kill()
        await #expect(throws: HTTPTransportError.unreachable) {
            try await HTTPClient().send(HTTPRequest(.get, platform.url))
        }
    }

    @Test func refusesAnotherScheme() async {
        await #expect(throws: HTTPTransportError.self) {
            try await HTTPClient().send(HTTPRequest(.get, "file:///etc/passwd"))
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
    func saysThatTheConnectionBroke(bytes: String) async {
        let platform = ScriptedPlatform { _ in .bytes(bytes) }
        await #expect(throws: HTTPTransportError.connectionLost) {
            try await HTTPClient().send(HTTPRequest(.get, platform.url))
        }
    }

    @Test func saysThatItIsNotHTTP() async {
        let platform = ScriptedPlatform { _ in .bytes("220 mail.example.com ESMTP\r\n") }
        await #expect(throws: HTTPTransportError.notHTTP) {
            try await HTTPClient().send(HTTPRequest(.get, platform.url))
        }
    }

    @Test func stopsAtABodyThatIsTooLarge() async {
        let body = String(repeating: "x", count: HTTPClient.bodyLimit + 1)
        let platform = ScriptedPlatform { _ in .answer(status: 200, body: body) }
        await #expect(throws: HTTPTransportError.responseTooLarge) {
            try await HTTPClient().send(HTTPRequest(.get, platform.url))
        }
    }

    @Test func givesUpASilentServer() async {
        let platform = ScriptedPlatform { _ in .nothing }
        await #expect(throws: HTTPTransportError.timedOut) {
            try await HTTPClient().send(HTTPRequest(.get, platform.url, answerLimit: .milliseconds(50)))
        }
    }

    @Test func aCancelledTaskGivesItsRequestUp() async {
        let asked = AsyncStream<Void>.makeStream()
        let platform = ScriptedPlatform { _ in
            asked.continuation.yield()
            return .nothing
        }
        let client = HTTPClient()
        let task = Task { try await client.send(HTTPRequest(.get, platform.url)) }
        for await _ in asked.stream { break }
        task.cancel()
        await #expect(throws: HTTPTransportError.cancelled) { try await task.value }
    }

    @Test func refusesAHeaderThatWouldBecomeTwo() async {
        await #expect(throws: HTTPTransportError.invalidHeader("Authorization")) {
            let headers = ["Authorization": "Bearer x\r\nX-Evil: 1"]
            return try await HTTPClient().send(HTTPRequest(.get, "http://127.0.0.1:1", headers: headers))
        }
    }

    @Test func aSilentStreamIsGivenUp() async {
        let platform = ScriptedPlatform { _ in .stream(ScriptedStream()) }
        let client = HTTPClient()
        var statuses: [Int] = []
        await #expect(throws: HTTPTransportError.timedOut) {
            let parts = client.stream(HTTPRequest(.get, platform.url), silenceLimit: .milliseconds(100))
            for try await part in parts {
                if case .head(let head) = part { statuses.append(head.status) }
            }
        }
        #expect(statuses == [200])
    }
}
