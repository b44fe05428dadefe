public import Foundation
package import PlatformSignalling

/// What an SDK operation can fail with: a code to act on, and a message that says what went wrong and what to do.
public struct CCAIError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// A kind of failure; more may be added, so always handle `default`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The SDK's number.
        public let rawValue: Int

        /// Makes a code from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The platform can't be reached, or the connection to it broke.
        ///
        /// Try again later.
        public static let network = Self(rawValue: 1)
        /// There is no valid token: no delegate, no answer from it, or the platform refuses what it gave.
        public static let authentication = Self(rawValue: 100)
        /// The platform refuses the JWT: expired, not signed with the company's secret, or malformed.
        public static let jwt = Self(rawValue: 101)
        /// The call's media could not be set up, or broke.
        public static let voipConnection = Self(rawValue: 1000)
        /// ``InitOptions`` can't be used: an empty key, a malformed host, or `http` to another machine.
        public static let invalidOptions = Self(rawValue: 2000)
        /// ``CCAI/initialize(options:)`` comes first.
        public static let notInitialized = Self(rawValue: 2001)
        /// ``CCAI/delegate`` is gone: keep a strong reference to it.
        public static let delegateMissing = Self(rawValue: 2002)
        /// A call is active; end it first.
        public static let callInProgress = Self(rawValue: 2003)
        /// The call is over, or the platform doesn't know it.
        public static let callEnded = Self(rawValue: 2004)
        /// There is no such menu.
        public static let menuNotFound = Self(rawValue: 2005)
        /// The menu takes no instant calls now; its channel names other ways.
        public static let channelUnavailable = Self(rawValue: 2006)
        /// The menu deflects calls; the message holds the reason the company gives.
        public static let deflected = Self(rawValue: 2007)
        /// The request isn't valid; the message names what.
        public static let invalidRequest = Self(rawValue: 2008)
        /// The platform wants a smart action or a recording consent before the call.
        public static let actionRequired = Self(rawValue: 2009)
        /// The end user isn't allowed to do this.
        public static let forbidden = Self(rawValue: 2010)
        /// Too many requests.
        ///
        /// Try again later.
        public static let rateLimited = Self(rawValue: 2011)
        /// The platform can't serve now.
        ///
        /// Try again later.
        public static let unavailable = Self(rawValue: 2012)
        /// The platform's answer isn't what the protocol says: probably the wrong host, or another version.
        public static let invalidAnswer = Self(rawValue: 2013)
        /// An audio or recording file can't be used; the message says why.
        public static let audioFile = Self(rawValue: 2014)
        /// The task was cancelled, or the call was ended while it was being set up.
        public static let cancelled = Self(rawValue: 2015)
    }

    /// What to act on.
    public let code: Code
    /// What went wrong and what to do about it, for people; not for parsing.
    public let message: String
    /// Whether the same again may succeed later.
    public let isRetryable: Bool
    /// The number to quote to the platform's operator, if the platform answered.
    public let requestID: String?

    package init(_ code: Code, _ message: String, isRetryable: Bool = false, requestID: String? = nil) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.requestID = requestID
    }

    /// ``message``.
    public var errorDescription: String? { message }

    /// Message and number.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension CCAIError {
    /// Says in the SDK's words what the platform, or the way to it, did.
    package init(_ error: PlatformError) {
        switch error {
        case .transport(let error): self.init(error)
        case .problem(let problem): self.init(problem)
        case .authentication(let failure): self.init(failure)
        case .unreadable(let path, let detail):
            self.init(
                .invalidAnswer,
                "The platform's answer to \(path) can't be read: \(detail). Check the host, and that its version fits."
            )
        }
    }

    private init(_ error: HTTPTransportError) {
        switch error {
        case .unresolvable:
            self.init(
                .network, "The platform's host name has no address. Check urlHost and the name service.")
        case .unreachable:
            self.init(
                .network, "The platform can't be reached. Check urlHost, its port, and that it runs.",
                isRetryable: true)
        case .untrusted(let reason):
            self.init(
                .network,
                "The platform's certificate isn't trusted: \(reason). For a private authority set caFile.")
        case .timedOut:
            self.init(.network, "The platform didn't answer in time. Try again later.", isRetryable: true)
        case .connectionLost:
            self.init(.network, "The connection to the platform broke. Try again later.", isRetryable: true)
        case .notHTTP:
            self.init(
                .network, "What answers at urlHost doesn't speak HTTP as expected. Check host and port.")
        case .responseTooLarge:
            self.init(.invalidAnswer, "The platform's answer is over 4 MiB. Check the host.")
        case .invalidHeader(let name):
            self.init(
                .invalidRequest, "A value holds a control character and can't be sent as \(name). Remove it.")
        case .cancelled:
            self.init(.cancelled, "The request was cancelled.")
        case .other(let code, let text):
            self.init(.network, "The platform can't be asked: \(text) (libcurl \(code)).", isRetryable: true)
        }
    }

    private init(_ failure: PlatformError.AuthenticationFailure) {
        switch failure {
        case .delegateMissing:
            self.init(
                .delegateMissing,
                "The SDK needs a token and there is no delegate. Set one, and keep a strong reference to it.")
        case .delegateTimedOut:
            self.init(
                .authentication,
                "The delegate gave no token within 15 s. Check the server that signs the JWT.",
                isRetryable: true)
        case .refused:
            self.init(.authentication, "The delegate returned no token. Sign the user in, then try again.")
        case .loggedOut:
            self.init(.authentication, "The user was logged out meanwhile. Sign in again.")
        }
    }

    private init(_ problem: Problem) {
        let (code, advice) = Self.meaning(of: problem)
        let said = problem.detail.map { " The platform says: \($0)" } ?? ""
        let isRetryable = problem.isRetryable ?? ([.rateLimited, .unavailable].contains(code))
        self.init(code, advice + said, isRetryable: isRetryable, requestID: problem.requestID)
    }

    private static func meaning(of problem: Problem) -> (Code, String) {
        switch (problem.code, problem.status) {
        case ("jwt_expired", _): (.jwt, "The JWT has expired. Sign a fresh one for each sign-in.")
        case ("jwt_not_yet_valid", _):
            (.jwt, "The JWT isn't valid yet. Check the clock of the server that signs it.")
        case ("jwt_alg_refused", _):
            (.jwt, "The JWT's algorithm is refused. Sign with HS256, HS384 or HS512.")
        case ("jwt_invalid", _):
            (.jwt, "The JWT is refused. Check that it is signed with this company's secret, and its claims.")
        case ("company_disabled", _):
            (.authentication, "The company is disabled on the platform. Ask its operator.")
        case ("menu_not_found", _):
            (.menuNotFound, "There is no such menu. Fetch the menus, and use an id from them.")
        case ("call_in_progress", _): (.callInProgress, "The user has a call already. End it first.")
        case ("deflected", _): (.deflected, "The menu takes no calls now. Offer its other channels.")
        case ("call_ended", _), ("call_gone", _): (.callEnded, "The call is over.")
        case ("recording_consent_required", _):
            (
                .actionRequired,
                "The menu asks for a recording consent. Ask, and pass the recording permission."
            )
        case ("pre_session_action_required", _):
            (.actionRequired, "The menu asks for a smart action first, which this SDK can't do.")
        case ("language_unavailable", _):
            (.invalidRequest, "The platform doesn't have this language. Use one of the company's.")
        case ("media_rejected", _):
            (.voipConnection, "The platform refuses the call's audio. Check the codecs.")
        case (_, 401): (.authentication, "The platform refuses the token. Sign in again.")
        case (_, 403): (.forbidden, "The platform doesn't allow this. Check key and user.")
        case (_, 404): (.invalidAnswer, "The platform doesn't know this resource. Check host, key and id.")
        case (_, 410): (.callEnded, "The call is over.")
        case (_, 429): (.rateLimited, "Too many requests. Try again later.")
        case (_, 400..<500): (.invalidRequest, "The platform refuses the request (HTTP \(problem.status)).")
        case (_, 500...):
            (.unavailable, "The platform can't serve now (HTTP \(problem.status)). Try again later.")
        default: (.invalidAnswer, "The platform answered with HTTP \(problem.status). Check the host.")
        }
    }
}

/// Runs `body`, and says its errors in the SDK's words.
package func withCCAIErrors<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(PlatformError) -> sending Result
) async throws(CCAIError) -> sending Result {
    do throws(PlatformError) {
        return try await body()
    } catch {
        throw CCAIError(error)
    }
}
