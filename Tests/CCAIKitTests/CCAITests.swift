import CCAIKit
import Foundation
import ScriptedPlatform
import Synchronization
import Testing

/// A delegate that signs in with a JWT, or does as told.
private final class Delegate: CCAIDelegate, Sendable {
    private let answers = Mutex(0)
    private let answer: @Sendable () async -> String?

    init(_ answer: @escaping @Sendable () async -> String?) { self.answer = answer }

    var calls: Int { answers.withLock { $0 } }

    func ccaiShouldAuthenticate() async -> String? {
        answers.withLock { $0 += 1 }
        return await answer()
    }
}

/// A state directory of its own, removed at the end.
private final class Home: Sendable {
    let path = NSTemporaryDirectory() + "ccai-test-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func makeCCAI() -> CCAI { CCAI(environment: ["XDG_STATE_HOME": path]) }

    var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path + "/ccai").sorted()) ?? []
    }
}

struct CCAITests {
    private let home = Home()

    private func company(_ request: ScriptedRequest) -> ScriptedAnswer {
        switch request.line {
        case "POST /ccai/v1/auth/end_user":
            request.body.contains("good")
                ? .json(#"{"auth_token":"fresh","expires_at":"2030-01-01T00:00:00.000Z"}"#)
                : .problem(401, "jwt_expired")
        case "GET /ccai/v1/company" where request.headers["authorization"] == "Bearer fresh":
            .json(#"{"display_name":"Acme","prevent_direct_pstn_call":true,"languages":["en"],"other":{}}"#)
        default: .problem(401, "token_expired")
        }
    }

    @Test func servicesAreNilBeforeInitialize() {
        let ccai = home.makeCCAI()
        #expect(ccai.authService == nil)
        #expect(ccai.companyService == nil)
        #expect(ccai.queueMenuService == nil)
    }

    @Test(arguments: [
        ("", "host", "en"), ("a b", "host", "en"), ("key", "", "en"), ("key", "http://example.com", "en"),
        ("key", "host/path", "en"), ("key", "host", ""), ("key", "host", "e\r\nX: y"),
    ])
    func saysWhichOptionIsWrong(key: String, host: String, language: String) {
        let error = #expect(throws: CCAIError.self) {
            try home.makeCCAI().initialize(
                options: InitOptions(key: key, urlHost: host, languageCode: language))
        }
        #expect(error?.code == .invalidOptions)
        #expect(error?.errorDescription?.isEmpty == false)
    }

    @Test func refusesAnAuthorityFileThatIsNotThere() {
        var options = InitOptions(key: "key", urlHost: "host")
        options.caFile = home.path + "/missing.pem"
        let error = #expect(throws: CCAIError.self) { try home.makeCCAI().initialize(options: options) }
        #expect(error?.code == .invalidOptions)
    }

    @Test func asksTheDelegateOnceForManyRequests() async throws {
        let platform = ScriptedPlatform(company)
        let ccai = home.makeCCAI()
        let delegate = Delegate { [weak ccai] in try? await ccai?.authService?.authenticate("good") }
        try ccai.initialize(options: InitOptions(key: "key", urlHost: platform.url, delegate: delegate))
        let service = try #require(ccai.companyService)
        let names = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { try await service.get().displayName } }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(names == ["Acme"])
        #expect(delegate.calls == 1)
    }

    @Test func keepsTheTokenForTheNextStartReadableByTheUserOnly() async throws {
        let platform = ScriptedPlatform(company)
        let delegate = Delegate { "fresh" }
        let first = home.makeCCAI()
        try first.initialize(options: InitOptions(key: "key", urlHost: platform.url, delegate: delegate))
        _ = try await first.companyService?.get()
        let second = home.makeCCAI()
        try second.initialize(options: InitOptions(key: "key", urlHost: platform.url))
        #expect(try await second.companyService?.get().displayName == "Acme")
        #expect(home.files.count == 2)
        for file in home.files {
            let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/ccai/" + file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(Set(platform.requests.compactMap { $0.headers["x-device-id"] }).count == 1)
        let other = home.makeCCAI()
        try other.initialize(options: InitOptions(key: "other", urlHost: platform.url))
        await #expect(throws: CCAIError.self) { _ = try await other.companyService?.get() }
    }

    @Test func loggingOutRemovesTheToken() async throws {
        let platform = ScriptedPlatform(company)
        let ccai = home.makeCCAI()
        try ccai.initialize(options: InitOptions(key: "key", urlHost: platform.url))
        ccai.authService?.updateAuthToken("fresh")
        #expect(try await ccai.companyService?.get().displayName == "Acme")
        ccai.authService?.updateAuthToken(nil)
        #expect(home.files == ["device-id"])
        let error = await #expect(throws: CCAIError.self) { try await ccai.companyService?.get() }
        #expect(error?.code == .delegateMissing)
    }

    @Test func withoutCachingNoTokenIsWritten() async throws {
        let ccai = home.makeCCAI()
        try ccai.initialize(options: InitOptions(key: "key", urlHost: "host", cacheAuthToken: false))
        ccai.authService?.updateAuthToken("secret")
        #expect(home.files == ["device-id"])
    }

    @Test func aRefusedTokenIsRenewedByTheDelegate() async throws {
        let platform = ScriptedPlatform(company)
        let ccai = home.makeCCAI()
        let delegate = Delegate { [weak ccai] in try? await ccai?.authService?.authenticate("good") }
        try ccai.initialize(options: InitOptions(key: "key", urlHost: platform.url, delegate: delegate))
        ccai.authService?.updateAuthToken("stale")
        #expect(try await ccai.companyService?.get().displayName == "Acme")
        #expect(delegate.calls == 1)
    }

    @Test func saysThatTheJWTIsTheReasonAndWhatToDo() async throws {
        let platform = ScriptedPlatform(company)
        let ccai = home.makeCCAI()
        let delegate = Delegate { [weak ccai] in try? await ccai?.authService?.authenticate("bad") }
        try ccai.initialize(options: InitOptions(key: "key", urlHost: platform.url, delegate: delegate))
        let error = await #expect(throws: CCAIError.self) { try await ccai.companyService?.get() }
        #expect(error?.code == .jwt)
        #expect(error?.message.contains("Sign a fresh one") == true)
        #expect(error?.isRetryable == false)
    }

    @Test func saysThatTheDelegateGaveNothing() async throws {
        let ccai = home.makeCCAI()
        let delegate = Delegate { nil }
        try ccai.initialize(options: InitOptions(key: "key", urlHost: "host", delegate: delegate))
        let error = await #expect(throws: CCAIError.self) { try await ccai.companyService?.get() }
        #expect(error?.code == .authentication)
    }

    @Test func aDelegateThatNeverAnswersIsLeftBehind() async throws {
        let ccai = CCAI(environment: ["XDG_STATE_HOME": home.path], delegateTimeLimit: .milliseconds(20))
        let never = AsyncStream<String>.makeStream()
        let delegate = Delegate {
            // Deaf to cancellation, as a delegate may be.
            await Task {
                for await token in never.stream { return token }
                return nil
            }.value
        }
        try ccai.initialize(options: InitOptions(key: "key", urlHost: "host", delegate: delegate))
        let error = await #expect(throws: CCAIError.self) { try await ccai.companyService?.get() }
        #expect(error?.code == .authentication)
        #expect(error?.isRetryable == true)
        never.continuation.finish()
    }

    @Test func anInitializeWithOtherOptionsInUseIsRefused() throws {
        let ccai = home.makeCCAI()
        try ccai.initialize(options: InitOptions(key: "key", urlHost: "host"))
        try ccai.initialize(options: InitOptions(key: "other", urlHost: "host"))
        ccai.attachCallService(home)
        try ccai.initialize(options: InitOptions(key: "other", urlHost: "host"))
        let error = #expect(throws: CCAIError.self) {
            try ccai.initialize(options: InitOptions(key: "key", urlHost: "host"))
        }
        #expect(error?.code == .callInProgress)
    }

    @Test func theDelegateIsHeldWeakly() async throws {
        let ccai = home.makeCCAI()
        try ccai.initialize(options: InitOptions(key: "key", urlHost: "host", delegate: Delegate { "x" }))
        #expect(ccai.delegate == nil)
        let error = await #expect(throws: CCAIError.self) { try await ccai.companyService?.get() }
        #expect(error?.code == .delegateMissing)
    }

    @Test func saysThatNobodyListens() async throws {
        let platform = ScriptedPlatform(company)
        platform.kill()
        let ccai = home.makeCCAI()
        try ccai.initialize(options: InitOptions(key: "key", urlHost: platform.url))
        let error = await #expect(throws: CCAIError.self) { try await ccai.authService?.authenticate("good") }
        #expect(error?.code == .network)
        #expect(error?.isRetryable == true)
    }
}
