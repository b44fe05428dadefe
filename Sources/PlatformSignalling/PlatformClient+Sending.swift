internal import FoundationEssentials

extension PlatformClient {
    /// Sends, repeats what may be repeated, and reads the answer.
    func answer<Answer: Decodable>(to endpoint: Endpoint, _ persistence: Persistence = .standard)
        async throws(PlatformError) -> Answer
    {
        let response = try await send(endpoint, persistence)
        do {
            return try JSONDecoder().decode(Answer.self, from: response.body)
        } catch {
            throw .unreadable(path: endpoint.path, detail: Self.place(of: error))
        }
    }

    private func send(_ endpoint: Endpoint, _ persistence: Persistence) async throws(PlatformError)
        -> HTTPResponse
    {
        var generator = SystemRandomNumberGenerator()
        var token = try await token(for: endpoint, persistence)
        var hasRenewed = persistence != .standard
        var triesMade = 0
        while true {
            let failure: PlatformError
            do throws(PlatformError) {
                return try await sendOnce(request(endpoint, token: token, persistence))
            } catch {
                failure = error
            }
            if case .problem(let problem) = failure, problem.status == 401, let rejected = token, !hasRenewed
            {
                hasRenewed = true
                token = try await tokens.renew(rejected)
                continue
            }
            triesMade += 1
            guard persistence == .standard, endpoint.method == .get || endpoint.idempotencyKey != nil,
                let delay = RetryPolicy().delay(after: failure, triesMade: triesMade, using: &generator)
            else { throw failure }
            do {
                try await sleep(delay)
            } catch {
                throw .transport(.cancelled)
            }
        }
    }

    private func token(for endpoint: Endpoint, _ persistence: Persistence) async throws(PlatformError)
        -> String?
    {
        guard endpoint.needsToken else { return nil }
        guard persistence != .standard else { return try await tokens.current() }
        guard let token = tokens.inHand() else { throw .authentication(.loggedOut) }
        return token
    }

    private func sendOnce(_ request: HTTPRequest) async throws(PlatformError) -> HTTPResponse {
        let response: HTTPResponse
        do throws(HTTPTransportError) {
            response = try await http.send(request)
        } catch {
            throw .transport(error)
        }
        guard (200..<300).contains(response.head.status) else { throw .problem(Problem(response)) }
        return response
    }

    /// The request with the header fields of PROTOCOL 1.
    func request(_ endpoint: Endpoint, token: String?, _ persistence: Persistence = .standard) -> HTTPRequest
    {
        var components = URLComponents()
        let query = endpoint.query.sorted { $0.key < $1.key }
        components.queryItems = query.map { URLQueryItem(name: $0.key, value: $0.value) }
        // A plus would be read as a space.
        let suffix = (components.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        let url = configuration.address.base + endpoint.path + (query.isEmpty ? "" : "?\(suffix)")
        var request = HTTPRequest(endpoint.method, url, body: endpoint.body)
        if case .once(let limit) = persistence { request.answerLimit = limit }
        request.headers = [
            "Accept": "application/json",
            "Accept-Language": configuration.language,
            "X-Device-Id": configuration.deviceID,
            "X-Request-Id": UUID().uuidString,
        ]
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        if let key = endpoint.idempotencyKey { request.headers["Idempotency-Key"] = key }
        if endpoint.body != nil { request.headers["Content-Type"] = "application/json" }
        return request
    }

    /// Where a JSON text stops being what it should be, without any of its values.
    private static func place(of error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            let keys = context.codingPath.map(\.stringValue).joined(separator: ".")
            return keys.isEmpty ? "the top level" : keys
        }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "no \"\(key.stringValue)\" in \(path(context))"
        case .typeMismatch(_, let context): "another type expected at \(path(context))"
        case .valueNotFound(_, let context): "nothing at \(path(context))"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? "it is not JSON" : "unreadable at \(path(context))"
        case nil: "it is not JSON"
        @unknown default: "it is not as expected"
        }
    }
}
