internal import FoundationEssentials

/// Who asks the platform, and where it is.
package struct PlatformConfiguration: Sendable {
    /// The platform's address.
    package var address: PlatformAddress
    /// The company's public key.
    package var companyKey: String
    /// An ISO 639 code, sent as `Accept-Language`.
    package var language: String
    /// A UUID that stays the same for this installation.
    package var deviceID: String
    /// The program's name, for the platform's logs.
    package var applicationID: String
    /// The version of this package.
    package var version: String

    package init(
        address: PlatformAddress, companyKey: String, language: String, deviceID: String,
        applicationID: String, version: String
    ) {
        self.address = address
        self.companyKey = companyKey
        self.language = language
        self.deviceID = deviceID
        self.applicationID = applicationID
        self.version = version
    }
}

/// Speaks the open voice platform protocol, version 1.
///
/// Safe from any thread.
package final class PlatformClient: Sendable {
    /// How a request is sent.
    package enum Persistence: Hashable, Sendable {
        /// Repeated by ``RetryPolicy``; a refused token is renewed once.
        case standard
        /// Sent once with the token in hand, and answered within the limit.
        case once(limit: Duration)
    }

    let configuration: PlatformConfiguration
    let http: HTTPClient
    let tokens: TokenSource
    let sleep: @Sendable (Duration) async throws -> Void

    /// Makes a client.
    ///
    /// `http` decides whom TLS trusts; `sleep` is how to wait between tries.
    package init(
        configuration: PlatformConfiguration, http: HTTPClient, tokens: TokenSource,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.configuration = configuration
        self.http = http
        self.tokens = tokens
        self.sleep = sleep
    }

    /// The platform's host, without a port.
    package var host: String { configuration.address.host }

    /// The language of the requests.
    package var language: String { configuration.language }

    /// Exchanges a signed JWT for a token.
    package func authenticate(jwt: String) async throws(PlatformError) -> AuthenticationAnswer {
        let device = AuthenticationRequest.Device(
            id: configuration.deviceID, applicationID: configuration.applicationID,
            version: configuration.version)
        let body = try? JSONEncoder().encode(
            AuthenticationRequest(companyKey: configuration.companyKey, jwt: jwt, device: device))
        let endpoint = Endpoint(
            .post, "/auth/end_user", body: body, idempotencyKey: UUID().uuidString, needsToken: false)
        return try await answer(to: endpoint)
    }

    /// Makes sure that there is a token.
    package func ensureAuthenticated() async throws(PlatformError) {
        _ = try await tokens.current()
    }

    /// Reads a resource.
    package func get<Answer: Decodable>(_ path: String, query: [String: String] = [:])
        async throws(PlatformError) -> Answer
    {
        try await answer(to: Endpoint(.get, path, query: query))
    }

    /// Asks for a call; `once` when only the outcome of an earlier try is wanted.
    package func create(_ creation: CallCreation, _ persistence: Persistence = .standard)
        async throws(PlatformError) -> CallSnapshot
    {
        let endpoint = Endpoint(.post, "/calls", body: creation.body, idempotencyKey: creation.idempotencyKey)
        return try await answer(to: endpoint, persistence)
    }

    /// The call as it is now.
    package func call(_ id: Int, _ persistence: Persistence = .standard) async throws(PlatformError)
        -> CallSnapshot
    {
        try await answer(to: Endpoint(.get, "/calls/\(id)"), persistence)
    }

    /// The user's last call that isn't over, or `nil`.
    package func callInProgress() async throws(PlatformError) -> CallSnapshot? {
        let query = ["state": "in_progress", "limit": "1"]
        let list: CallList = try await answer(to: Endpoint(.get, "/calls", query: query))
        return list.calls.first
    }

    /// Ends the call; repeatable.
    package func endCall(_ id: Int, _ persistence: Persistence) async throws(PlatformError) -> CallSnapshot {
        try await act("/calls/\(id)/end", persistence)
    }

    /// Tells the platform that the user holds the call, or no longer does.
    package func setOnHold(_ isOnHold: Bool, call id: Int) async throws(PlatformError) -> CallSnapshot {
        try await act("/calls/\(id)/\(isOnHold ? "hold" : "unhold")", .standard)
    }

    private func act(_ path: String, _ persistence: Persistence) async throws(PlatformError) -> CallSnapshot {
        let endpoint = Endpoint(.post, path, body: Data("{}".utf8), idempotencyKey: UUID().uuidString)
        return try await answer(to: endpoint, persistence)
    }
}

/// One thing to ask, of the platform's API.
struct Endpoint: Sendable {
    var method: HTTPRequest.Method
    var path: String
    var query: [String: String]
    var body: Data?
    var idempotencyKey: String?
    var needsToken: Bool

    init(
        _ method: HTTPRequest.Method, _ path: String, query: [String: String] = [:], body: Data? = nil,
        idempotencyKey: String? = nil, needsToken: Bool = true
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.needsToken = needsToken
    }
}
