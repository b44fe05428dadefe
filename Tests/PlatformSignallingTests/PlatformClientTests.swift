import FoundationEssentials
import PlatformSignalling
import ScriptedPlatform
import Synchronization
import Testing

/// A client with the tokens `token-0`, `token-1` …, whose waits are written down and not waited for.
struct TestClient {
    let client: PlatformClient
    let waits: Waits

    final class Waits: Sendable {
        private let all = Mutex<[Duration]>([])
        var durations: [Duration] { all.withLock { $0 } }
        func add(_ duration: Duration) { all.withLock { $0.append(duration) } }
    }

    init(_ platform: ScriptedPlatform, renewal: PlatformError? = nil) throws {
        let waits = Waits()
        let renewals = Waits()
        let tokens = TokenSource {
            "token-\(renewals.durations.count)"
        } current: { () throws(PlatformError) in
            "token-\(renewals.durations.count)"
        } renew: { (_) throws(PlatformError) in
            if let renewal { throw renewal }
            renewals.add(.zero)
            return "token-\(renewals.durations.count)"
        }
        let configuration = PlatformConfiguration(
            address: try PlatformAddress(parsing: platform.url), companyKey: "key", language: "de",
            deviceID: "6C0A2F6E-54C4-4E2B-9D8B-0D4C4C1F0001", applicationID: "test", version: "0")
        self.waits = waits
        client = PlatformClient(configuration: configuration, http: HTTPClient(), tokens: tokens) {
            waits.add($0)
            try Task.checkCancellation()
        }
    }
}

struct PlatformClientTests {
    private static let call =
        #"{"id":5,"version":2,"status":"waiting","future":{"x":[1]},"estimated_wait":9.0}"#

    @Test func sendsTheHeadersOfTheProtocol() async throws {
        let platform = ScriptedPlatform { _ in .json(Self.call) }
        _ = try await TestClient(platform).client.endCall(5, .once(limit: .seconds(5)))
        let request = try #require(platform.requests.first)
        #expect(request.line == "POST /ccai/v1/calls/5/end")
        #expect(request.headers["authorization"] == "Bearer token-0")
        #expect(request.headers["accept-language"] == "de")
        #expect(request.headers["x-device-id"] == "6C0A2F6E-54C4-4E2B-9D8B-0D4C4C1F0001")
        #expect(request.headers["x-request-id"].flatMap(UUID.init(uuidString:)) != nil)
        #expect(request.headers["idempotency-key"].flatMap(UUID.init(uuidString:)) != nil)
    }

    @Test func encodesAQueryWhole() async throws {
        let platform = ScriptedPlatform { _ in .json(Self.call) }
        let _: CallSnapshot = try await TestClient(platform).client.get("/menus", query: ["key": "a+b&c=d ü"])
        #expect(platform.requests.first?.target == "/ccai/v1/menus?key=a%2Bb%26c%3Dd%20%C3%BC")
    }

    @Test func readsACallAndLeavesOutWhatItDoesNotKnow() async throws {
        let platform = ScriptedPlatform { _ in .json(Self.call) }
        let call = try await TestClient(platform).client.call(5)
        #expect(call.version == 2)
        #expect(call.status == "waiting")
        #expect(call.estimatedWait == 9)
    }

    @Test func repeatsUnderTheSameKeyUntilThePlatformCan() async throws {
        let count = Mutex(0)
        let platform = ScriptedPlatform { _ in
            let turn = count.withLock { count in
                count += 1
                return count
            }
            return switch turn {
            case 1: .problem(503, "unavailable", headers: ["Retry-After": "4", "Connection": "close"])
            case 2: .bytes("")
            default: .json(Self.call, status: 201)
            }
        }
        let test = try TestClient(platform)
        let creation = try CallCreation(
            menuID: 1, language: "en", recordingPermission: "not_asked", ticketID: nil, customData: nil,
            offer: "v=0")
        #expect(try await test.client.create(creation).id == 5)
        #expect(Set(platform.requests.map(\.body)).count == 1)
        #expect(Set(platform.requests.map { $0.headers["idempotency-key"] }) == [creation.idempotencyKey])
        #expect(test.waits.durations.first == .seconds(4))
        #expect(test.waits.durations.count == 2)
    }

    @Test func givesUpAfterFiveTries() async throws {
        let platform = ScriptedPlatform { _ in .problem(503, "unavailable") }
        let test = try TestClient(platform)
        await #expect(throws: PlatformError.self) { try await test.client.call(5) }
        #expect(platform.requests.count == 5)
    }

    @Test func renewsARefusedTokenOnce() async throws {
        let platform = ScriptedPlatform { request in
            request.headers["authorization"] == "Bearer token-1"
                ? .json(Self.call) : .problem(401, "token_expired")
        }
        #expect(try await TestClient(platform).client.call(5).id == 5)
        #expect(platform.requests.count == 2)
    }

    @Test func doesNotRenewForever() async throws {
        let platform = ScriptedPlatform { _ in .problem(401, "token_expired") }
        let test = try TestClient(platform)
        let error = await #expect(throws: PlatformError.self) { try await test.client.call(5) }
        #expect(error?.problemCode == "token_expired")
        #expect(platform.requests.count == 2)
    }

    @Test func aSignInIsNotAnsweredByRenewing() async throws {
        let platform = ScriptedPlatform { _ in .problem(401, "jwt_expired") }
        let test = try TestClient(platform)
        let error = await #expect(throws: PlatformError.self) {
            try await test.client.authenticate(jwt: "x.y.z")
        }
        #expect(error?.problemCode == "jwt_expired")
        #expect(platform.requests.count == 1)
        #expect(platform.requests.first?.headers["authorization"] == nil)
    }

    @Test(arguments: [
        "", "<html>", "[]", "{}", #"{"id":"5"}"#, #"{"id":5}"#, #"{"id":1e99,"status":"waiting"}"#,
    ])
    func saysWhichAnswerCannotBeRead(body: String) async throws {
        let platform = ScriptedPlatform { _ in .json(body) }
        let test = try TestClient(platform)
        let error = await #expect(throws: PlatformError.self) { try await test.client.call(5) }
        guard case .unreadable(let path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path == "/calls/5")
    }

    @Test func everyTruncationOfAnAnswerIsAnErrorAndNoTrap() async throws {
        let lengths = Mutex(0)
        let platform = ScriptedPlatform { _ in
            let length = lengths.withLock { length in
                defer { length += 1 }
                return length
            }
            return .json(String(Self.call.prefix(length)))
        }
        let test = try TestClient(platform)
        for _ in 0..<Self.call.count {
            await #expect(throws: PlatformError.self) { try await test.client.call(5) }
        }
        #expect(try await test.client.call(5).id == 5)
    }

    @Test func readsAProblemThatIsNoProblemDocument() async throws {
        let platform = ScriptedPlatform { _ in .answer(status: 418, body: "<html>teapot") }
        let test = try TestClient(platform)
        let error = await #expect(throws: PlatformError.self) { try await test.client.call(5) }
        #expect(error == .problem(Problem(status: 418)))
    }
}
