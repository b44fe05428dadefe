/// Why an offer can't be answered.
package enum MediaFailure: Error, Hashable, Sendable {
    /// Not a readable SDP; the text says where.
    case invalidOffer(String)
    /// Readable, but nothing that we can do: the reason is for programs, the text for people.
    case rejected(reason: String, String)
    case noPort(String)
    case unavailable(String)
}

extension PlatformState {
    func json(_ call: Call) -> JSONValue {
        call.json(agentName: configuration.virtualAgent.name)
    }

    /// The call, if it is this person's; whose else isn't told.
    func ownCall(_ id: Int64, signIn: SignIns.SignIn) throws(Problem) -> Call {
        guard let call = calls[id], call.user == signIn.user else {
            throw Problem(.notFound, "You have no call with the id \(id).")
        }
        return call
    }

    func callList(_ request: HTTPRequest, signIn: SignIns.SignIn) throws(Problem) -> JSONValue {
        guard request.query["state"] == "in_progress" else {
            throw Problem(JSONShapeError(path: "state", message: "expected in_progress"))
        }
        var limit = Int.max
        if let text = request.query["limit"] {
            guard let value = Int(text), value >= 1 else {
                throw Problem(JSONShapeError(path: "limit", message: "expected an integer of at least 1"))
            }
            limit = value
        }
        let running = calls.values.filter { $0.user == signIn.user && !$0.isEnded }
        let latest = running.sorted { $0.id > $1.id }.prefix(limit)
        return ["calls": .array(latest.map(json))]
    }

    // MARK: Starting

    /// Checks all but the media, and reserves the person's one call.
    mutating func startCall(
        _ request: HTTPRequest, signIn: SignIns.SignIn, key: String?, requestID: String
    ) throws(Problem) -> PendingCall {
        let body = try body(of: request)
        let (type, menuID, language) = try reading { () throws(JSONShapeError) in
            (
                try body.required("type").choice(["instant", "voicemail"]),
                try body.required("menu_id").integer(), try body.optional("lang")?.text()
            )
        }
        guard type == "instant" else {
            throw Problem(.notImplemented, "The reference platform takes instant calls only.")
        }
        let offer = try offer(in: body)
        let chosen = try language.map { tag throws(Problem) in try availableLanguage(tag) }
        try checkMenu(menuID)
        let isBusy =
            calls.values.contains { $0.user == signIn.user && !$0.isEnded }
            || pending.values.contains { $0.user == signIn.user }
        guard !isBusy else { throw Problem(.callInProgress, "End it first.") }
        let call = PendingCall(
            id: makeIdentifier(), offer: offer, menuID: menuID,
            language: chosen ?? configuration.company.languages.first ?? "en", user: signIn.user,
            device: signIn.device, idempotencyKey: key, requestID: requestID)
        pending[call.id] = call
        return call
    }

    private func offer(in body: JSONReader) throws(Problem) -> String {
        let (kind, sdp) = try reading { () throws(JSONShapeError) in
            let media = try body.required("media")
            let kind = try media.required("kind").choice(["sdp", "sip", "none"])
            return (kind, kind == "sdp" ? try media.required("sdp").text() : "")
        }
        guard kind == "sdp" else {
            throw Problem(.rejected(reason: "kind_unsupported", "Media of the kind sdp alone works here."))
        }
        return sdp
    }

    private func checkMenu(_ id: Int64) throws(Problem) {
        guard let menu = configuration.menu(id: id) else {
            throw Problem(.menuNotFound, "No menu has the id \(id).")
        }
        guard let voice = menu.voiceCall, voice.isInstantEnabled else {
            throw Problem(
                JSONShapeError(path: "menu_id", message: "the menu \(id) has no instant voice calls"))
        }
        guard let reason = voice.deflectedReason else { return }
        var problem = Problem(.deflected, "The menu's voice channel turns calls away: \(reason).")
        problem.extensions["deflection"] = [
            "type": .string(reason), "reason": .string(reason), "options": [],
        ]
        throw problem
    }

    /// Makes the call of a pending one, now that its offer was answered or refused.
    package mutating func finishStart(
        _ start: PendingCall, with result: Result<String, MediaFailure>, at now: WallTime
    ) -> HTTPResponse {
        pending[start.id] = nil
        var response: HTTPResponse
        switch result {
        case .success(let answer):
            let call = Call(
                id: start.id, menuID: start.menuID, language: start.language, user: start.user,
                device: start.device, answer: answer, limits: configuration.limits, at: now)
            calls[call.id] = call
            emit("call.updated", json(call), to: call.device, at: now)
            response = .json(json(call), status: 201)
            response.headers["Location"] = "/ccai/v1/calls/\(call.id)"
            perform(.log("call \(call.id) to menu \(call.menuID)"))
            changeCall(call.id, at: now) { $0.agentTookIt(at: now) }
        case .failure(let failure):
            response = Problem(failure).response(requestID: start.requestID)
            perform(.log("call refused: \(failure.summary)"))
        }
        response.headers["X-Request-Id"] = start.requestID
        if let key = start.idempotencyKey { records.finish(key, with: response) }
        return response
    }

    // MARK: Running

    mutating func act(
        _ action: Route.CallAction, on id: Int64, _ request: HTTPRequest, signIn: SignIns.SignIn,
        at now: WallTime
    ) throws(Problem) -> HTTPResponse {
        let call = try ownCall(id, signIn: signIn)
        let body = try body(of: request)
        _ = try reading { () throws(JSONShapeError) in try body.optional("reason")?.text() }
        switch action {
        case .escalate:
            throw Problem(.escalationNotAllowed, "There are no human agents here.")
        case .end:
            let reason = call.connectedAt == nil ? CallEndReason.callerCanceled : .callerHungUp
            changeCall(id, at: now) { $0.end(reason, at: now) }
        case .hold, .unhold:
            guard !call.isEnded else { throw Problem(.callEnded, "It can't be held or resumed.") }
            let isHold = action == .hold
            if changeCall(id, at: now, { isHold ? $0.hold(at: now) : $0.unhold() }) {
                perform(.holdMedia(call: id, isOnHold: isHold))
            }
        }
        return .json(json(try ownCall(id, signIn: signIn)))
    }

    /// The caller's first authentic packet arrived.
    package mutating func mediaStarted(call id: Int64) {
        calls[id]?.mediaStarted()
        perform(.log("call \(id) has media"))
    }

    /// The media ended by itself: the caller said goodbye, or its packets stopped.
    package mutating func mediaEnded(call id: Int64, _ reason: CallEndReason, at now: WallTime) {
        changeCall(id, at: now) { $0.end(reason, at: now) }
    }

    /// Applies a change, and tells of it if it was one.
    @discardableResult
    mutating func changeCall(
        _ id: Int64, at now: WallTime, _ change: (inout Call) -> Bool
    ) -> Bool {
        guard var call = calls[id], change(&call) else { return false }
        calls[id] = call
        emit("call.updated", json(call), to: call.device, at: now)
        if let reason = call.endReason {
            perform(.closeMedia(call: id))
            perform(.log("call \(id) ended: \(reason.code) by \(reason.by)"))
        }
        return true
    }
}

extension MediaFailure {
    /// For the log: our own words only, none of the offer's.
    fileprivate var summary: String {
        switch self {
        case .invalidOffer: "invalid offer"
        case .rejected(let reason, _): reason
        case .noPort: "no port"
        case .unavailable: "unavailable"
        }
    }
}

extension Problem {
    fileprivate init(_ failure: MediaFailure) {
        switch failure {
        case .invalidOffer(let detail):
            self.init(JSONShapeError(path: "media.sdp", message: detail))
        case .rejected(let reason, let detail):
            self.init(.mediaRejected, detail)
            extensions["reason"] = .string(reason)
        case .noPort(let detail):
            self.init(.noMediaPort, detail)
        case .unavailable(let detail):
            self.init(.unavailable, detail)
        }
    }
}
