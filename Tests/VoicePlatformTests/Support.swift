import Glibc
import JSONWebToken
import Testing
import voiceplatform

/// A company with one open, one closed, and one nested menu, and short limits.
enum Fixture {
    static let secretText = "for tests only, and long enough for each algorithm: sixty-four octets"
    static let json: JSONValue = [
        "company": [
            "key": "demo", "secret": .string(secretText), "display_name": "Demo", "languages": ["en", "de"],
        ],
        "menus": [
            ["id": 1, "name": "Echo", "channels": ["voice_call": [:]]],
            [
                "id": 2, "name": "Closed",
                "channels": ["voice_call": ["deflected": true, "deflected_reason": "after_hours"]],
            ],
            [
                "id": 3, "name": "More",
                "children": [["id": 4, "name": "Inner", "key": "inner", "channels": ["voice_call": [:]]]],
            ],
        ],
        "limits": ["max_call_seconds": 100, "media_start_seconds": 20, "body_octets": 4096],
    ]

    static func configuration() throws -> PlatformConfiguration {
        try PlatformConfiguration(json: json, folder: "") { _ in nil }
    }

    static func jwt(at now: WallTime, identifier: String? = "u-1", secret: String = secretText) throws
        -> String
    {
        let claims = JSONWebTokenClaims(
            issuedAt: now.secondsSince1970, expiresAt: now.secondsSince1970 + 300, identifier: identifier)
        return try JSONWebToken.sign(claims, secret: SigningSecret(Array(secret.utf8)), algorithm: .hs384)
    }
}

/// The same numbers in each run, and no two tokens alike.
struct CountingGenerator: RandomNumberGenerator, Sendable {
    private var value: UInt64 = 0x1234_5678_9ABC_DEF0

    mutating func next() -> UInt64 {
        value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return value ^ (value >> 29)
    }
}

/// A platform in virtual time, and what a client does with it.
struct Laboratory {
    var state: PlatformState
    var now = WallTime(millisecondsSince1970: 1_800_000_000_000)
    var token = ""

    init(json: JSONValue = Fixture.json) throws {
        let configuration = try PlatformConfiguration(json: json, folder: "") { _ in nil }
        state = PlatformState(configuration: configuration, generator: CountingGenerator())
    }

    /// A platform where someone is signed in already.
    static func signedIn() throws -> Laboratory {
        var laboratory = try Laboratory()
        laboratory.token = try laboratory.signIn()
        return laboratory
    }

    mutating func signIn(device: String = "d-1", identifier: String? = "u-1") throws -> String {
        let body: JSONValue = [
            "company_key": "demo", "jwt": .string(try Fixture.jwt(at: now, identifier: identifier)),
            "device": ["id": .string(device), "platform": "linux"],
        ]
        let response = send("POST", "/auth/end_user", body)
        #expect(response.status == 200)
        return response.member("auth_token")?.text ?? ""
    }

    mutating func outcome(
        _ method: String, _ path: String, _ body: JSONValue? = nil, query: [String: String] = [:],
        headers: [String: String] = [:]
    ) -> PlatformState.Outcome {
        var all = headers
        if !token.isEmpty, all["authorization"] == nil { all["authorization"] = "Bearer \(token)" }
        return state.handle(
            HTTPRequest(
                method: method, path: "/ccai/v1" + path, query: query, headers: all, body: body?.octets ?? []),
            at: now)
    }

    /// The response; an offer is answered with `media`.
    mutating func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, query: [String: String] = [:],
        headers: [String: String] = [:], media: Result<String, MediaFailure> = .success("v=0 answer")
    ) -> HTTPResponse {
        switch outcome(method, path, body, query: query, headers: headers) {
        case .response(let response): return response
        case .answer(let pending): return state.finishStart(pending, with: media, at: now)
        case .stream:
            Issue.record("a stream, not a response")
            return HTTPResponse(status: 0)
        }
    }

    /// Starts a call and gives its id.
    mutating func startCall(headers: [String: String] = [:]) throws -> Int64 {
        let response = send("POST", "/calls", Laboratory.callBody(), headers: headers)
        #expect(response.status == 201)
        return try #require(response.member("id")?.number)
    }

    mutating func openStream(lastEventID: String? = nil) throws -> (id: Int64, text: String) {
        let headers = lastEventID.map { ["last-event-id": $0] } ?? [:]
        guard case .stream(let id, let text) = outcome("GET", "/events", headers: headers) else {
            throw Refused()
        }
        return (id, text)
    }

    mutating func advance(seconds: Int64) {
        now = now + seconds
        state.advance(to: now)
    }

    static func callBody(menu: Int64 = 1) -> JSONValue {
        ["type": "instant", "menu_id": .integer(menu), "media": ["kind": "sdp", "sdp": "v=0 offer"]]
    }

    struct Refused: Error {}
}

extension HTTPResponse {
    func member(_ name: String) -> JSONValue? {
        guard case .object(let members)? = try? JSONValue(parsing: body) else { return nil }
        return members[name]
    }

    var code: String? { member("code")?.text }
}

extension JSONValue {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var number: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// With one member changed, or without it.
    func replacing(_ name: String, with value: JSONValue?) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}

extension [PlatformState.Effect] {
    var sent: [String] {
        compactMap { effect in
            guard case .send(_, let text) = effect else { return nil }
            return text
        }
    }
}

/// Connects to a server of this machine; reads end after ten minutes, which guards against a hang and is no check of time.
func connectToLoopback(port: UInt16) throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var limit = timeval(tv_sec: 600, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(result == 0)
    return descriptor
}
