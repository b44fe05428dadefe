package import FoundationEssentials

/// Why the platform didn't do what it was asked.
package enum PlatformError: Error, Hashable, Sendable {
    /// No answer came.
    case transport(HTTPTransportError)
    /// The platform refused.
    case problem(Problem)
    /// The answer to `path` isn't what the protocol says; `detail` names the place.
    case unreadable(path: String, detail: String)
    /// There is no token to ask with.
    case authentication(AuthenticationFailure)

    /// Why the program gave no token.
    package enum AuthenticationFailure: Hashable, Sendable {
        /// There is no delegate, or it is gone.
        case delegateMissing
        /// The delegate didn't answer in time.
        case delegateTimedOut
        /// The delegate returned `nil`.
        case refused
        /// The program logged out.
        case loggedOut
    }

    /// The platform's own word for the error, or `nil`.
    package var problemCode: String? {
        guard case .problem(let problem) = self else { return nil }
        return problem.code
    }

    /// Whether the request may have reached the platform although no answer came.
    package var leavesOutcomeUnknown: Bool {
        switch self {
        case .transport(.timedOut), .transport(.connectionLost), .transport(.cancelled), .unreadable: true
        case .transport(.responseTooLarge), .transport(.other): true
        case .transport, .authentication: false
        case .problem(let problem): problem.status >= 500 || problem.code == "in_progress"
        }
    }
}

/// An HTTP error answer, with what its problem document (RFC 9457) says.
package struct Problem: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The platform's word for the error (`menu_not_found`), or `nil` when the body holds none.
    package var code: String?
    /// The `detail`, else the `title`, for people.
    package var detail: String?
    /// Whether the platform says that trying again can help.
    package var isRetryable: Bool?
    /// The number to quote to the platform's operator.
    package var requestID: String?
    /// What `Retry-After` asks for; its date form is ignored.
    package var retryAfter: Duration?

    package init(status: Int, code: String? = nil, detail: String? = nil, retryAfter: Duration? = nil) {
        self.status = status
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Reads what can be read; a body that is no problem document leaves only the status.
    package init(_ response: HTTPResponse) {
        self.init(status: response.head.status)
        if let seconds = response.head.headers["retry-after"].flatMap({ UInt32($0) }) {
            retryAfter = .seconds(seconds)
        }
        requestID = response.head.headers["x-request-id"]
        guard let document = try? JSONDecoder().decode(ProblemDocument.self, from: response.body) else {
            return
        }
        code = document.code
        detail = document.detail ?? document.title
        isRetryable = document.retryable
        requestID = document.requestID ?? requestID
    }
}

private struct ProblemDocument: Decodable {
    let code: String?
    let title: String?
    let detail: String?
    let retryable: Bool?
    let requestID: String?

    enum CodingKeys: String, CodingKey {
        case code, title, detail, retryable
        case requestID = "request_id"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = container.readable(String.self, .code)
        title = container.readable(String.self, .title)
        detail = container.readable(String.self, .detail)
        retryable = container.readable(Bool.self, .retryable)
        requestID = container.readable(String.self, .requestID)
    }
}

extension KeyedDecodingContainer {
    /// The value of `key`, or `nil` when it is absent, null, or of another type.
    package func readable<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        (try? decodeIfPresent(type, forKey: key)) ?? nil
    }

    /// A whole number of `key`, also when it is written with a fraction.
    package func readableInteger(_ key: Key) -> Int? {
        readable(Int.self, key) ?? readable(Double.self, key).flatMap { Int(exactly: $0.rounded()) }
    }

    /// A time (RFC 3339) of `key`, with or without a fraction of the second.
    package func readableDate(_ key: Key) -> Date? {
        guard let text = readable(String.self, key) else { return nil }
        let whole = Date.ISO8601FormatStyle()
        return (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? whole.parse(text))
    }
}
