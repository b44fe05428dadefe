internal import CCAIKit
internal import PlatformSignalling
internal import VoiceEngine

/// One call, from the attempt to its end: joins what the platform says with what the media does.
///
/// The two never write each other's state: a snapshot becomes `callReceived`, media becomes `stateChanged`, and only a call
/// that is over ends the media.
actor ActiveCall {
    private let environment: CallEnvironment
    private let controls: CallControls
    private let events: CallEvents
    private let hasEnded: @Sendable () -> Void

    private var media: (any CallMedia)?
    private var creation: CallCreation?
    private var callID: Int?
    private var version: Int?
    private var latest: CallResponse?
    /// What the event stream told before the answer to the creation named the call.
    private var earlySnapshots: [CallSnapshot] = []
    private var hasAppliedAnswer = false
    private var hasToldConnecting = false
    private var isStreamOpen = false
    private var isPolling = false
    private var isHoldBeingTold = false
    private var heldOnPlatform = false
    private var isOver = false
    private var watch = PlatformWatch()
    private var tasks: [Task<Void, Never>] = []

    /// `hasEnded` is called once, before the last event, when another call may begin.
    init(
        _ environment: CallEnvironment, controls: CallControls, events: CallEvents,
        hasEnded: @escaping @Sendable () -> Void
    ) {
        self.environment = environment
        self.controls = controls
        self.events = events
        self.hasEnded = hasEnded
    }

    // MARK: Beginning

    /// Places the call.
    ///
    /// After a failure nothing is left of it.
    func start(_ request: InstantCallRequest) async throws(CCAIError) -> CallResponse {
        do throws(CCAIError) {
            try await withCCAIErrors { () throws(PlatformError) in
                try await environment.client.ensureAuthenticated()
            }
            try await openEventStream()
            let media = try await openMedia()
            try await create(request, offer: media.makeOffer(renewingKeys: false))
            guard !Task.isCancelled else { throw .startCancelled }
            guard let latest else { throw .startCancelled }
            return latest
        } catch {
            let reason = Task.isCancelled ? CCAIError.startCancelled : error
            await giveUp(reason)
            throw reason
        }
    }

    private func openEventStream() async throws(CCAIError) {
        let (outcomes, outcome) = AsyncStream<PlatformError?>.makeStream()
        let signals = environment.client.events()
        tasks.append(
            Task {
                for await signal in signals {
                    switch signal {
                    case .opened: outcome.yield(nil)
                    case .interrupted(let error): outcome.yield(error)
                    case .stopped(let error): outcome.yield(error ?? .authentication(.loggedOut))
                    case .event: break
                    }
                    await self.handle(signal)
                }
            })
        let limit = environment.limits.eventStream
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            outcome.yield(.transport(.timedOut))
        }
        defer { timer.cancel() }
        for await error in outcomes {
            guard let error else { return }
            throw CCAIError(error)
        }
        throw .startCancelled
    }

    private func openMedia() async throws(CCAIError) -> any CallMedia {
        let input = controls.input
        do throws(VoiceEngineError) {
            let media = try await environment.makeMedia(environment.configuration(input: input))
            self.media = media
            controls.attach(media, madeWith: input)
            let mediaEvents = media.events
            tasks.append(
                Task {
                    for await event in mediaEvents { await self.handle(event) }
                })
            if let path = environment.media.recordingPath { try await media.record(to: path) }
            return media
        } catch {
            throw CCAIError(error)
        }
    }

    private func create(_ request: InstantCallRequest, offer: String) async throws(CCAIError) {
        guard !Task.isCancelled else { throw .startCancelled }
        hasToldConnecting = true
        events.state.send(.connecting)
        let snapshot: CallSnapshot
        do throws(PlatformError) {
            let creation = try CallCreation(
                menuID: request.menuId, language: environment.client.language,
                recordingPermission: request.recordingPermission.wireValue, ticketID: request.ticketId,
                customData: nil, offer: offer)
            self.creation = creation
            snapshot = try await environment.client.create(creation)
        } catch {
            if !error.leavesOutcomeUnknown { creation = nil }
            throw CCAIError(error)
        }
        callID = snapshot.id
        if let failure = await receive(snapshot) { throw failure }
        for early in earlySnapshots {
            if let failure = await receive(early) { throw failure }
        }
        earlySnapshots = []
    }

    // MARK: What the platform says

    private func handle(_ signal: EventStreamSignal) async {
        switch signal {
        case .opened:
            isStreamOpen = true
            watch.platformAnswered()
        case .event(.callUpdated(let snapshot)):
            watch.platformAnswered()
            if callID == nil, earlySnapshots.count < 32 { earlySnapshots.append(snapshot) }
            guard snapshot.id == callID, let failure = await receive(snapshot) else { return }
            await finish(.error(CallError(failure)), tellingPlatform: true)
        case .event(.resync):
            await askPlatform()
        case .event:
            break
        case .interrupted, .stopped:
            isStreamOpen = false
            startPolling()
        }
    }

    /// Takes over a snapshot of this call unless it is old.
    ///
    /// Returns why its media can't be set up, if so; the caller then ends the call.
    private func receive(_ snapshot: CallSnapshot) async -> CCAIError? {
        guard !isOver, snapshot.id == callID else { return nil }
        if let known = version, let new = snapshot.version, new <= known { return nil }
        publish(snapshot)
        guard !snapshot.isOver else {
            await finish(.disconnected, tellingPlatform: false)
            return nil
        }
        guard !hasAppliedAnswer, let media, let answer = snapshot.media?.sdp else { return nil }
        hasAppliedAnswer = true
        do throws(VoiceEngineError) {
            try await media.accept(answer: answer)
            return nil
        } catch {
            return isOver ? nil : CCAIError(error)
        }
    }

    private func publish(_ snapshot: CallSnapshot) {
        version = snapshot.version ?? version
        let response = CallResponse(snapshot, previous: latest?.status ?? .connecting)
        latest = response
        events.call.send(response)
    }

    // MARK: Asking while the event stream is down

    private func startPolling() {
        guard !isOver, !isPolling, callID != nil else { return }
        isPolling = true
        let interval = environment.limits.polling
        tasks.append(
            Task {
                while self.isPollingNeeded() {
                    await self.askPlatform()
                    guard (try? await Task.sleep(for: interval)) != nil else { return }
                }
            })
    }

    private func isPollingNeeded() -> Bool {
        isPolling = !isOver && !isStreamOpen
        return isPolling
    }

    private func askPlatform() async {
        guard let callID, !isOver else { return }
        do throws(PlatformError) {
            let limit = environment.limits.pollAnswer
            let snapshot = try await environment.client.call(callID, .once(limit: limit))
            watch.platformAnswered()
            guard let failure = await receive(snapshot) else { return }
            await finish(.error(CallError(failure)), tellingPlatform: true)
        } catch {
            await handleRefusal(error)
        }
    }

    private func handleRefusal(_ error: PlatformError) async {
        guard !isOver else { return }
        switch error {
        case .problem(let problem) where problem.status == 404 || problem.status == 410:
            let lost = CCAIError(.callEnded, "The platform no longer knows the call. Start another.")
            await finish(.error(CallError(lost)), tellingPlatform: false)
        case .problem(let problem) where problem.status < 500:
            watch.platformAnswered()
            // Started anew, it knows neither us nor the call. While media flows, that is for it to sort out.
            guard watch.isMediaMissing, problem.status != 429 else { return }
            let disowned = CCAIError(
                .callEnded,
                "The platform sends no sound any more, and no longer knows us. Start another call.")
            await finish(.error(CallError(disowned)), tellingPlatform: false)
        case .problem, .transport, .unreadable, .authentication:
            guard error != .transport(.cancelled), watch.platformSilent() else { return }
            let lost = CCAIError(
                .network, "The platform is gone: neither answers nor sound come from it. Try again later.",
                isRetryable: true)
            await finish(.error(CallError(lost)), tellingPlatform: false)
        }
    }

    /// Asks for the call, and reports what goes wrong.
    func checkStatus() async throws(CCAIError) {
        guard let callID, !isOver else { return }
        let snapshot = try await withCCAIErrors { () throws(PlatformError) in
            try await environment.client.call(callID)
        }
        guard let failure = await receive(snapshot) else { return }
        await finish(.error(CallError(failure)), tellingPlatform: true)
        throw failure
    }

    // MARK: What the media does

    private func handle(_ event: SessionEvent) async {
        guard !isOver else { return }
        switch event {
        case .mediaStarted:
            watch.mediaArrived()
            events.state.send(.connected)
        case .mediaResumed:
            watch.mediaArrived()
        case .mediaTimedOut, .remoteLeft:
            watch.mediaStopped()
            await askPlatform()
        case .closed where callID == nil:
            break  // The answer can't be applied then, and the start fails by that.
        case .closed:
            let closed = CCAIError(.voipConnection, "The audio engine was shut down during the call.")
            await finish(.error(CallError(closed)), tellingPlatform: true)
        case .oneWay, .twoWay, .remoteHold, .digitBegan, .digitEnded, .digitsSent, .inputFinished,
            .messageFinished, .recordingFailed:
            break
        }
    }

    /// Tells the platform whether the user holds the call, until it knows the latest; a failure is left alone.
    func tellHold() async {
        guard !isHoldBeingTold, let callID else { return }
        isHoldBeingTold = true
        defer { isHoldBeingTold = false }
        while !isOver, controls.isOnHold != heldOnPlatform {
            let isOnHold = controls.isOnHold
            do throws(PlatformError) {
                let snapshot = try await environment.client.setOnHold(isOnHold, call: callID)
                heldOnPlatform = isOnHold
                if let failure = await receive(snapshot) {
                    await finish(.error(CallError(failure)), tellingPlatform: true)
                }
            } catch {
                return
            }
        }
    }

    // MARK: Ending

    /// Ends the call as the user wants it.
    ///
    /// Takes no longer than the goodbye may.
    func end() async throws(CCAIError) {
        guard let failure = await finish(.disconnected, tellingPlatform: true) else { return }
        throw CCAIError(failure)
    }

    private func giveUp(_ reason: CCAIError) async {
        let state: CallProviderState =
            reason.code == .cancelled ? .disconnected : .error(CallError(reason))
        await finish(state, tellingPlatform: true)
    }

    /// Ends everything once: media and platform at the same time, then whoever waits, then the event.
    @discardableResult
    private func finish(_ state: CallProviderState, tellingPlatform: Bool) async -> PlatformError? {
        guard !isOver else { return nil }
        isOver = true
        // A task of its own: whoever ends the call may itself be cancelled, or be one of the tasks that end here.
        let goodbye = Task { tellingPlatform ? await self.sayGoodbye() : nil }
        let statistics = await media?.close()
        let failure = await goodbye.value
        if let statistics { controls.detach(statistics) }
        for task in tasks { task.cancel() }
        tasks = []
        hasEnded()
        if hasToldConnecting { events.state.send(state) }
        return failure
    }

    /// Ends the call on the platform.
    ///
    /// If it isn't known whether there is one, the creation is repeated under its key first: the answer is
    /// then that of the first time.
    private func sayGoodbye() async -> PlatformError? {
        let client = environment.client
        let limit = environment.limits.goodbye
        do throws(PlatformError) {
            if callID == nil, let creation {
                callID = try await client.create(creation, .once(limit: limit / 2)).id
            }
            guard let callID else { return nil }
            let snapshot = try await client.endCall(callID, .once(limit: limit / (creation == nil ? 1 : 2)))
            if snapshot.id == callID, snapshot.version ?? Int.max > version ?? -1 { publish(snapshot) }
            return nil
        } catch {
            let isOverThere = error.problemCode == "call_ended" || error.problemCode == "call_gone"
            return isOverThere ? nil : error
        }
    }
}
