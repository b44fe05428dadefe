import PlatformSignalling
import ScriptedPlatform
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    private static func call(_ version: Int) -> String {
        #"{"id":5,"version":\#(version),"status":"waiting"}"#
    }

    /// Plays `connections` in their order, the last one again and again, and returns what the client told until `enough`.
    private func signals(
        _ connections: [ScriptedAnswer], renewal: PlatformError? = nil,
        until enough: ([String]) -> Bool
    ) async throws -> (told: [String], requests: [ScriptedRequest]) {
        let turn = Mutex(0)
        let platform = ScriptedPlatform { _ in
            connections[
                turn.withLock { turn in
                    defer { turn += 1 }
                    return min(turn, connections.count - 1)
                }]
        }
        let test = try TestClient(platform, renewal: renewal)
        var told: [String] = []
        for await signal in test.client.events(silenceLimit: .seconds(45)) {
            switch signal {
            case .opened: told.append("opened")
            case .event(.callUpdated(let call)): told.append("call \(call.version ?? 0)")
            case .event(.other(let type)): told.append(type)
            case .event(let event): told.append("\(event)")
            case .interrupted: told.append("interrupted")
            case .stopped(let error): told.append(error == nil ? "stopped" : "refused")
            }
            if enough(told) { break }
        }
        return (told, platform.requests)
    }

    private func stream(_ text: String) -> ScriptedAnswer {
        let stream = ScriptedStream()
        stream.send(text)
        return .stream(stream)
    }

    @Test func goesOnWhereItBroke() async throws {
        let first =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1-1\ndata: a\n\nid: 1-2\ndata: cut"
        let (told, requests) = try await signals([.bytes(first), stream("id: 1-2\ndata: b\n\n")]) {
            $0.count == 5
        }
        #expect(told == ["opened", "message", "interrupted", "opened", "message"])
        #expect(requests.map { $0.headers["last-event-id"] } == [nil, "1-1"])
        #expect(requests.first?.headers["accept"] == "text/event-stream")
    }

    @Test func dropsRepeatedIDsAndOldVersions() async throws {
        func event(_ id: String, _ version: Int) -> String {
            "id: \(id)\nevent: call.updated\ndata: \(Self.call(version))\n\n"
        }
        let text =
            event("1", 1) + event("1", 1) + event("2", 3) + event("3", 2) + event("4", 3) + event("5", 4)
        let (told, _) = try await signals([stream(text)]) { $0.last == "call 4" }
        #expect(told == ["opened", "call 1", "call 3", "call 4"])
    }

    @Test func aCallThatCannotBeReadEndsNothing() async throws {
        let text = "event: call.updated\ndata: {\"id\":\n\nevent: resync\ndata: {}\n\n"
        let (told, _) = try await signals([stream(text)]) { $0.last == "resync" }
        #expect(told == ["opened", "call.updated", "resync"])
    }

    @Test func stopsWhenLoggedOut() async throws {
        let (told, requests) = try await signals([.answer(status: 204, body: "")]) { _ in false }
        #expect(told == ["stopped"])
        #expect(requests.count == 1)
    }

    @Test func doesNotFightTheStreamThatReplacedIt() async throws {
        let (told, requests) = try await signals([stream("event: session.replaced\ndata: {}\n\n")]) { _ in
            false
        }
        #expect(told == ["opened", "sessionReplaced", "stopped"])
        #expect(requests.count == 1)
    }

    @Test func renewsItsTokenOnce() async throws {
        let (told, requests) = try await signals([.problem(401, "token_expired"), stream("")]) {
            $0 == ["opened"]
        }
        #expect(told == ["opened"])
        #expect(requests.map { $0.headers["authorization"] } == ["Bearer token-0", "Bearer token-1"])
        let refused = try await signals([.problem(401, "token_expired")]) { _ in false }
        #expect(refused.told == ["refused"])
        #expect(refused.requests.count == 2)
    }

    @Test func triesAgainWhenThePlatformIsBusy() async throws {
        // libcurl itself repeats a request on a kept connection that turns out dead, so don't keep it.
        let busy = ScriptedAnswer.problem(503, "unavailable", headers: ["Connection": "close"])
        let (told, _) = try await signals([busy, .bytes(""), .json("{}"), stream("")]) { $0.last == "opened" }
        #expect(told == ["interrupted", "interrupted", "interrupted", "opened"])
    }

    @Test func aStreamCutAtAnyByteIsOpenedAgain() async throws {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\nevent: resync\ndata: {}\n\n"
        let cuts = (0..<text.utf8.count).map { length in
            ScriptedAnswer.bytes(String(decoding: text.utf8.prefix(length), as: UTF8.self))
        }
        let (told, requests) = try await signals(cuts + [stream("id: 2\nevent: resync\ndata: {}\n\n")]) {
            $0.last == "resync"
        }
        #expect(told.filter { $0 == "resync" }.count == 1)
        #expect(requests.count == cuts.count + 1)
    }
}
