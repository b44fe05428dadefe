/// A request as it came, its path and query percent-decoded.
package struct HTTPRequest: Sendable {
    package var method: String
    package var path: String
    package var query: [String: String]
    /// By lower-case name; of repeated ones the last.
    package var headers: [String: String]
    package var body: [UInt8]
    /// Whether the body was longer than the limit, and `body` is therefore not all of it.
    package var isBodyTooLarge: Bool

    package init(
        method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
        body: [UInt8] = [], isBodyTooLarge: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.isBodyTooLarge = isBodyTooLarge
    }
}

/// A whole answer.
package struct HTTPResponse: Hashable, Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: value.octets)
    }

    static let noContent = HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])

    /// `value` with an entity tag, or 304 if the client's copy has the same one (RFC 9110 §13.1.2).
    static func tagged(_ value: JSONValue, for request: HTTPRequest) -> HTTPResponse {
        let body = value.octets
        let tag = "\"\(ContentDigest.hexadecimal(of: body).prefix(32))\""
        let headers = ["Content-Type": "application/json", "Cache-Control": "no-cache", "ETag": tag]
        let known = (request.headers["if-none-match"] ?? "").split(separator: ",").map { candidate in
            var text = candidate.drop { $0 == " " }
            if text.hasPrefix("W/") { text = text.dropFirst(2) }
            return String(text.prefix { $0 != " " })
        }
        guard !known.contains(tag), !known.contains("*") else {
            return HTTPResponse(status: 304, headers: ["Cache-Control": "no-cache", "ETag": tag])
        }
        return HTTPResponse(status: 200, headers: headers, body: body)
    }
}
