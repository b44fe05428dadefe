import JSONWebToken

extension PlatformState {
    /// Answers a request, or says what must be done to answer it; whatever the request holds.
    package mutating func handle(_ request: HTTPRequest, at now: WallTime) -> Outcome {
        let requestID = requestID(of: request)
        var outcome: Outcome
        do throws(Problem) {
            outcome = try route(request, requestID: requestID, at: now)
        } catch {
            outcome = .response(error.response(requestID: requestID))
        }
        guard case .response(var response) = outcome else { return outcome }
        response.headers["X-Request-Id"] = requestID
        return .response(response)
    }

    /// The client's id for the request if it is fit to be echoed, else one of ours.
    private mutating func requestID(of request: HTTPRequest) -> String {
        let isPlain = { (octet: UInt8) in (0x21...0x7E).contains(octet) }
        if let given = request.headers["x-request-id"], (1...128).contains(given.utf8.count),
            given.utf8.allSatisfy(isPlain)
        {
            return given
        }
        return ContentDigest.hexadecimalText(randomOctets(8))
    }

    private mutating func route(
        _ request: HTTPRequest, requestID: String, at now: WallTime
    ) throws(Problem) -> Outcome {
        guard let route = Route(path: request.path) else {
            throw Problem(.notFound, "The protocol has no resource at this path.")
        }
        if let methods = route.methods, !methods.contains(request.method) {
            let list = methods.joined(separator: ", ")
            var problem = Problem(.methodNotAllowed, "This resource has: \(list).")
            problem.headers["Allow"] = list
            throw problem
        }
        guard !request.isBodyTooLarge else {
            throw Problem(
                .bodyTooLarge, "A body has at most \(configuration.limits.bodyOctets) octets here.")
        }
        if route == .endUser { return .response(try signIn(request, at: now)) }
        let token = bearerToken(of: request)
        switch signIns.lookup(token, at: now) {
        case .valid(let signIn):
            return try answer(request, route, signIn: signIn, requestID: requestID, at: now)
        case .revoked where route == .events || route == .session:
            return .response(.noContent)
        case .revoked, .unknown:
            throw Problem(
                .tokenExpired, "The Authorization header holds no auth token that is valid now.")
        }
    }

    private func bearerToken(of request: HTTPRequest) -> String {
        let parts = (request.headers["authorization"] ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return String(parts[1])
    }

    private mutating func answer(
        _ request: HTTPRequest, _ route: Route, signIn: SignIns.SignIn, requestID: String, at now: WallTime
    ) throws(Problem) -> Outcome {
        switch route {
        case .endUser, .unsupported:
            throw Problem(.notImplemented, "The reference platform has no such resource.")
        case .session:
            signIns.revoke(bearerToken(of: request))
            closeStream(device: signIn.device)
            return .response(.noContent)
        case .company:
            return .response(.tagged(configuration.company.json, for: request))
        case .menus:
            return .response(.tagged(try menus(request), for: request))
        case .waitTimes(let menu):
            return .response(.json(try waitTimes(menu: menu)))
        case .calls where request.method == "GET":
            return .response(.json(try callList(request, signIn: signIn)))
        case .call(let id):
            return .response(.json(json(try ownCall(id, signIn: signIn))))
        case .calls, .action:
            return try once(request, signIn: signIn, requestID: requestID, at: now) {
                (state, key) throws(Problem) in
                guard case .action(let action, let call) = route else {
                    return .answer(
                        try state.startCall(request, signIn: signIn, key: key, requestID: requestID))
                }
                return .response(try state.act(action, on: call, request, signIn: signIn, at: now))
            }
        case .events:
            return openStream(signIn, lastEventID: request.headers["last-event-id"], at: now)
        }
    }

    /// Runs `body` unless the request's `Idempotency-Key` was seen before.
    private mutating func once(
        _ request: HTTPRequest, signIn: SignIns.SignIn, requestID: String, at now: WallTime,
        _ body: (inout PlatformState, String?) throws(Problem) -> Outcome
    ) throws(Problem) -> Outcome {
        guard let given = request.headers["idempotency-key"] else { return try body(&self, nil) }
        guard (1...128).contains(given.utf8.count) else {
            throw Problem(JSONShapeError(path: "Idempotency-Key", message: "expected 1 to 128 octets"))
        }
        let key = "\(signIn.user) \(given)"
        let content = Array("\(request.method) \(request.path)\n".utf8) + request.body
        switch records.admit(key, fingerprint: ContentDigest.hexadecimal(of: content), at: now) {
        case .run: break
        case .replay(let response): return .response(response)
        case .mismatch:
            throw Problem(.idempotencyMismatch, "Use a new key for a new request.")
        case .stillRunning:
            var problem = Problem(.inProgress, "Ask again for its answer.")
            problem.headers["Retry-After"] = "1"
            throw problem
        }
        do throws(Problem) {
            let outcome = try body(&self, key)
            if case .response(let response) = outcome { records.finish(key, with: response) }
            return outcome
        } catch {
            records.finish(key, with: error.response(requestID: requestID))
            throw error
        }
    }

    /// The body as an object; an empty one counts as `{}`.
    func body(of request: HTTPRequest) throws(Problem) -> JSONReader {
        guard !request.body.isEmpty else { return JSONReader([:]) }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: request.body)
        } catch {
            throw Problem(JSONShapeError(path: "", message: "not JSON: \(error)"))
        }
        let reader = JSONReader(value)
        guard case .object = value else { throw Problem(reader.wrong("expected an object")) }
        return reader
    }

    /// Runs a reading of the body, an error of which is the client's.
    func reading<Value>(_ read: () throws(JSONShapeError) -> Value) throws(Problem) -> Value {
        do throws(JSONShapeError) {
            return try read()
        } catch {
            throw Problem(error)
        }
    }

    // MARK: Signing in

    private mutating func signIn(_ request: HTTPRequest, at now: WallTime) throws(Problem) -> HTTPResponse {
        let body = try body(of: request)
        let (key, jwt, device) = try reading { () throws(JSONShapeError) in
            (
                try body.required("company_key").text(), try body.required("jwt").text(),
                try body.required("device").required("id").text()
            )
        }
        guard device.utf8.count <= 128 else {
            throw Problem(JSONShapeError(path: "device.id", message: "expected at most 128 octets"))
        }
        let company = configuration.company
        guard key == company.key else {
            throw Problem(.jwtInvalid, "No company has this key, or its secret did not sign the token.")
        }
        guard !company.isDisabled else {
            throw Problem(.companyDisabled, "Ask the company's administrator.")
        }
        let claims = try verified(jwt, at: now)
        let user = claims.identifier.map { "user \($0)" } ?? "device \(device)"
        let token = Base64URL.text(randomOctets(32))
        let expiresAt = now + configuration.limits.tokenSeconds
        signIns.add(token, user: user, device: device, expiresAt: expiresAt)
        return .json([
            "auth_token": .string(token), "expires_at": .string(expiresAt.text),
            "end_user": [
                "id": JSONValue(claims.identifier), "name": JSONValue(claims.name),
                "email": JSONValue(claims.email), "phone": JSONValue(claims.phone),
                "anonymous": .bool(claims.identifier == nil),
            ],
        ])
    }

    private func verified(_ jwt: String, at now: WallTime) throws(Problem) -> JSONWebTokenClaims {
        do throws(JSONWebTokenError) {
            return try JSONWebToken.verify(
                jwt, secret: configuration.company.secret, allowed: configuration.company.algorithms,
                now: now.secondsSince1970)
        } catch {
            throw Problem(Problem.Code(rawValue: error.code) ?? .jwtInvalid, error.advice)
        }
    }
}

extension JSONWebTokenError {
    /// What whoever made the token can do about it.
    fileprivate var advice: String {
        switch self {
        case .malformed, .unreadable(.header): "The text is not a JSON Web Token in compact form."
        case .unreadable(.claims): "The claims are not a JSON object with integers iat and exp."
        case .signatureMismatch: "No company has this key, or its secret did not sign the token."
        case .criticalParameter: "The header asks for an extension that is not known here."
        case .algorithmRefused:
            "Sign with HS256, HS384 or HS512, as far as the company's secret is long enough."
        case .secretTooShort: "The company's secret is too short for the algorithm."
        case .lifetimeRefused: "exp must be after iat, by at most 600 s."
        case .expired: "Make a new token; exp is over. If it is new, compare the clocks."
        case .notYetValid: "The token begins in the future; compare the clocks."
        }
    }
}
