package import FoundationEssentials

/// One HTTP request, before it is put on a connection.
package struct HTTPRequest: Sendable {
    /// A request method (RFC 9110 §9).
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// What to do with the resource.
    package var method: Method
    /// The absolute URL.
    package var url: String
    /// Header fields by name.
    ///
    /// A value with a control character fails the request.
    package var headers: [String: String]
    /// The body, or `nil` for none.
    package var body: Data?
    /// How long the whole answer may take.
    ///
    /// Ignored by streams.
    package var answerLimit: Duration

    package init(
        _ method: Method, _ url: String, headers: [String: String] = [:], body: Data? = nil,
        answerLimit: Duration = .seconds(15)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.answerLimit = answerLimit
    }
}

/// The start of an answer: everything before its body.
package struct HTTPHead: Hashable, Sendable {
    /// The status code (RFC 9110 §15).
    package var status: Int
    /// Header fields by lower-case name; of repeated fields the last.
    package var headers: [String: String]

    package init(status: Int, headers: [String: String] = [:]) {
        self.status = status
        self.headers = headers
    }
}

/// A whole answer.
package struct HTTPResponse: Hashable, Sendable {
    /// Status and header fields.
    package var head: HTTPHead
    /// The body, at most ``HTTPClient/bodyLimit`` bytes.
    package var body: Data

    package init(head: HTTPHead, body: Data) {
        self.head = head
        self.body = body
    }
}

/// A part of an answer that is read while it comes.
package enum HTTPStreamPart: Hashable, Sendable {
    /// Status and header fields; always first.
    case head(HTTPHead)
    /// Some more of the body.
    case bytes(Data)
}

/// Why no answer, or no whole answer, came.
package enum HTTPTransportError: Error, Hashable, Sendable {
    /// The host's name has no address.
    case unresolvable
    /// Nothing accepts connections there, or no connection came about in 5 s.
    case unreachable
    /// TLS failed: an unknown authority, the wrong name, or an unreadable CA file. The text is libcurl's.
    case untrusted(String)
    /// The answer didn't come in time, or a stream was silent too long.
    case timedOut
    /// The connection broke after it had been made.
    case connectionLost
    /// What answered doesn't speak HTTP.
    case notHTTP
    /// The body is over ``HTTPClient/bodyLimit``.
    case responseTooLarge
    /// A header field's value holds a control character: the field's name.
    case invalidHeader(String)
    /// The request's task was cancelled, or the client was shut down.
    case cancelled
    /// Something rare; libcurl's code and text.
    case other(code: Int, text: String)
}
