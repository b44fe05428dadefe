import Dispatch
import Glibc
import Synchronization
import Testing
import voiceplatform

/// Says when it is asked, and answers no offer until it is released.
private final class StuckMedia: AgentMedia {
    let asked: AsyncStream<Void>
    private let isAsked: AsyncStream<Void>.Continuation
    private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

    init() {
        (asked, isAsked) = AsyncStream.makeStream()
    }

    func answer(
        offer: String, call: Int64, report: @escaping @Sendable (MediaReport) -> Void
    ) async throws(MediaFailure) -> String {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            isAsked.yield()
        }
        return "v=0 answer"
    }

    func setOnHold(_ isOnHold: Bool, call: Int64) {}
    func close(call: Int64) async {}
    func shutDown() async {}

    func release() {
        waiting.withLock { $0.take() }?.resume()
    }
}

/// A connection to the server, read by threads of Dispatch's: the few of Swift's own stay free for the server.
private final class Connection: Sendable {
    private let descriptor: CInt

    init(port: UInt16) throws {
        descriptor = try connectToLoopback(port: port)
    }

    deinit { close(descriptor) }

    func send(_ octets: [UInt8]) {
        _ = Glibc.send(descriptor, octets, octets.count, CInt(MSG_NOSIGNAL))
    }

    func readToEnd() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                var received: [UInt8] = []
                var block = [UInt8](repeating: 0, count: 4_096)
                while case let count = recv(descriptor, &block, block.count, 0), count > 0 {
                    received += block[..<count]
                }
                continuation.resume(returning: String(decoding: received, as: UTF8.self))
            }
        }
    }
}

@Suite("A server in trouble", .serialized)
struct StoppingTests {
    private let now = WallTime(millisecondsSince1970: 1_800_000_000_000)

    private func makeServer(media: any AgentMedia) throws -> PlatformServer {
        var configuration = try Fixture.configuration()
        configuration.port = 0
        return PlatformServer(configuration, media: media, logLevel: .quiet) { [now] in now }
    }

    private func post(_ path: String, token: String = "", _ body: String) -> [UInt8] {
        Array(
            ("POST /ccai/v1\(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
    }

    @Test func aRequestThatStillWaitsIsAnsweredAtAStop() async throws {
        let media = StuckMedia()
        let server = try makeServer(media: media)
        let port = try server.start()
        let signIn = try Connection(port: port)
        let jwt = try Fixture.jwt(at: now)
        signIn.send(
            post("/auth/end_user", #"{"company_key":"demo","jwt":"\#(jwt)","device":{"id":"d-1"}}"#))
        let parts = await signIn.readToEnd().split(separator: #""auth_token":""#)
        let token = try #require(parts.last).prefix { $0 != "\"" }
        let client = try Connection(port: port)
        client.send(
            post(
                "/calls", token: String(token),
                #"{"type":"instant","menu_id":1,"media":{"kind":"sdp","sdp":"v=0"}}"#))
        var asked = media.asked.makeAsyncIterator()
        await asked.next()
        await server.stop()
        let answer = await client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains(#""code":"unavailable""#))
        media.release()
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRequestWithOctetsChangedLeavesTheServerServing(seed: UInt64) async throws {
        var generator = SeededGenerator(state: seed)
        let server = try makeServer(media: StuckMedia())
        let port = try server.start()
        let valid = post("/calls", #"{"type":"instant"}"#)
        for _ in 0..<5 {
            var octets = valid
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let index = Int.random(in: octets.indices, using: &generator)
                octets[index] = .random(in: 0...255, using: &generator)
            }
            let connection = try Connection(port: port)
            connection.send(octets)
        }
        let connection = try Connection(port: port)
        connection.send(post("/calls", "{}"))
        #expect(await connection.readToEnd().hasPrefix("HTTP/1.1 401 "))
        await server.stop()
    }
}

@Suite("Any request")
struct AnyRequestTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func aRandomRequestIsAnswered(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var laboratory = try Laboratory.signedIn()
        let words = ["calls", "1", "menus", "end", "hold", "auth", "end_user", "company", "", "ü", "%00"]
        for _ in 0..<20 {
            let path = (0..<Int.random(in: 0...4, using: &generator))
                .map { _ in "/" + (words.randomElement(using: &generator) ?? "") }.joined()
            let octets = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let method = ["GET", "POST", "DELETE", "BREW"].randomElement(using: &generator) ?? "GET"
            let request = HTTPRequest(
                method: method, path: "/ccai/v1" + path,
                headers: ["authorization": "Bearer \(laboratory.token)"], body: octets)
            guard case .response(let response) = laboratory.state.handle(request, at: laboratory.now) else {
                continue
            }
            #expect((200..<600).contains(response.status))
            if response.status >= 400 { #expect(response.code != nil) }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func aConfigurationWithOctetsChangedIsReadOrRefused(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        var octets = Array(HelpText.sampleConfiguration.utf8)
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            octets[Int.random(in: octets.indices, using: &generator)] = .random(
                in: 0...255, using: &generator)
        }
        guard let json = try? JSONValue(parsing: octets) else { return }
        do throws(JSONShapeError) {
            _ = try PlatformConfiguration(json: json, folder: "") { _ in nil }
        } catch { #expect(!error.message.isEmpty) }
    }

    @Test func everyTruncationOfAConfigurationIsRefused() throws {
        let octets = Array(HelpText.sampleConfiguration.utf8)
        let end = try #require(octets.lastIndex(of: UInt8(ascii: "}")))
        for length in 0...end {
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(octets[..<length])) }
        }
    }

    @Test func aDeviceHearsOnlyOfItsOwnCalls() throws {
        var laboratory = try Laboratory()
        let mine = try laboratory.signIn(device: "d-1", identifier: nil)
        laboratory.token = try laboratory.signIn(device: "d-2", identifier: nil)
        _ = try laboratory.openStream()
        laboratory.token = mine
        _ = try laboratory.startCall()
        #expect(laboratory.state.takeEffects().sent.isEmpty)
    }

    @Test func anEndedCallIsForgottenAfterAnHour() throws {
        var laboratory = try Laboratory(
            json: Fixture.json.replacing("limits", with: ["token_seconds": 86_400]))
        laboratory.token = try laboratory.signIn()
        let id = try laboratory.startCall()
        _ = laboratory.send("POST", "/calls/\(id)/end")
        laboratory.advance(seconds: 3_500)
        #expect(laboratory.send("GET", "/calls/\(id)").status == 200)
        laboratory.advance(seconds: 200)
        #expect(laboratory.send("GET", "/calls/\(id)").code == "not_found")
    }
}

/// SplitMix64: the same numbers for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
