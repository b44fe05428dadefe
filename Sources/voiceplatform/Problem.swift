/// An error answer (RFC 9457) with one of the protocol's codes.
package struct Problem: Error, Hashable, Sendable {
    /// The protocol's codes, and those of HTTP itself.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case jwtInvalid = "jwt_invalid"
        case jwtExpired = "jwt_expired"
        case jwtNotYetValid = "jwt_not_yet_valid"
        case jwtAlgorithmRefused = "jwt_alg_refused"
        case tokenExpired = "token_expired"
        case companyDisabled = "company_disabled"
        case notFound = "not_found"
        case menuNotFound = "menu_not_found"
        case methodNotAllowed = "method_not_allowed"
        case callInProgress = "call_in_progress"
        case deflected
        case callEnded = "call_ended"
        case escalationNotAllowed = "escalation_not_allowed"
        case idempotencyMismatch = "idempotency_mismatch"
        case inProgress = "in_progress"
        case bodyTooLarge = "body_too_large"
        case validationFailed = "validation_failed"
        case languageUnavailable = "language_unavailable"
        case mediaRejected = "media_rejected"
        case notImplemented = "not_implemented"
        case noMediaPort = "no_media_port"
        case unavailable

        package var status: Int {
            switch self {
            case .jwtInvalid, .jwtExpired, .jwtNotYetValid, .jwtAlgorithmRefused, .tokenExpired: 401
            case .companyDisabled: 403
            case .notFound, .menuNotFound: 404
            case .methodNotAllowed: 405
            case .callInProgress, .deflected, .callEnded, .escalationNotAllowed, .idempotencyMismatch,
                .inProgress:
                409
            case .bodyTooLarge: 413
            case .validationFailed, .languageUnavailable, .mediaRejected: 422
            case .notImplemented: 501
            case .noMediaPort, .unavailable: 503
            }
        }

        var title: String {
            switch self {
            case .jwtInvalid: "The sign-in token is not valid"
            case .jwtExpired: "The sign-in token has expired"
            case .jwtNotYetValid: "The sign-in token is not valid yet"
            case .jwtAlgorithmRefused: "The sign-in token's algorithm is not accepted"
            case .tokenExpired: "Sign in again"
            case .companyDisabled: "The company is disabled"
            case .notFound: "There is nothing here"
            case .menuNotFound: "There is no such menu"
            case .methodNotAllowed: "The method does not fit this resource"
            case .callInProgress: "A call is in progress already"
            case .deflected: "This menu takes no calls now"
            case .callEnded: "The call has ended"
            case .escalationNotAllowed: "The call can not be escalated"
            case .idempotencyMismatch: "The Idempotency-Key was used for another request"
            case .inProgress: "The first request with this Idempotency-Key is still running"
            case .bodyTooLarge: "The body is too large"
            case .validationFailed: "The request is not valid"
            case .languageUnavailable: "The language is not available"
            case .mediaRejected: "The media is not acceptable"
            case .notImplemented: "This platform does not have this part of the protocol"
            case .noMediaPort: "No port is free for media"
            case .unavailable: "The platform is not available"
            }
        }

        var isRetryable: Bool {
            switch self {
            case .inProgress, .noMediaPort, .unavailable: true
            default: false
            }
        }
    }

    package var code: Code
    /// For people.
    package var detail: String
    /// What is wrong, by the path of the member.
    package var fields: [String: String] = [:]
    /// Members beside the standard ones: `reason`, `deflection`.
    package var extensions: [String: JSONValue] = [:]
    package var headers: [String: String] = [:]

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    init(_ error: JSONShapeError) {
        self.init(.validationFailed, error.description)
        fields = [error.path.isEmpty ? "body" : error.path: error.message]
    }

    /// The answer, which carries `requestID` so that both sides' logs can be put together.
    package func response(requestID: String) -> HTTPResponse {
        var members = extensions
        members["type"] = .string("urn:ccai:problem:\(code.rawValue)")
        members["title"] = .string(code.title)
        members["status"] = .integer(Int64(code.status))
        members["code"] = .string(code.rawValue)
        members["detail"] = .string(detail)
        members["retryable"] = .bool(code.isRetryable)
        members["request_id"] = .string(requestID)
        if !fields.isEmpty { members["fields"] = .object(fields.mapValues(JSONValue.string)) }
        var response = HTTPResponse.json(.object(members), status: code.status)
        response.headers["Content-Type"] = "application/problem+json"
        response.headers.merge(headers) { _, new in new }
        if code.status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        return response
    }
}
