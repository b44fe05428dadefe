package import CCAIKit
internal import Dispatch
package import PlatformSignalling
internal import Synchronization
package import VoiceEngine

/// The call service: holds the one call, and says no to a second.
package final class CallService: CallServiceProtocol {
    private struct Running {
        let call: ActiveCall
        let start: Task<CallResponse, any Error>
    }

    private let environment: CallEnvironment
    private let knownMenu: @Sendable (Int) -> QueueMenu?
    private let controls: CallControls
    private let events: CallEvents
    private let running = Mutex<Running?>(nil)

    package init(
        client: PlatformClient, options: CallOptions, limits: CallTimeLimits = CallTimeLimits(),
        knownMenu: @escaping @Sendable (Int) -> QueueMenu? = { _ in nil },
        makeMedia: @escaping CallMediaFactory
    ) {
        environment = CallEnvironment(
            client: client, media: options.media, limits: limits, makeMedia: makeMedia)
        self.knownMenu = knownMenu
        controls = CallControls(input: options.media.input)
        let queue = DispatchQueue(label: "ccai.call.events")
        events = CallEvents(
            state: EventSubject(isReplaying: true, queue: queue),
            call: EventSubject(isReplaying: false, queue: queue))
    }

    package var stateChanged: EventPublisher<CallProviderState> { events.state.publisher }

    package var callReceived: EventPublisher<CallResponse> { events.call.publisher }

    // MARK: Controls

    package var isMuted: Bool { controls.isMuted }

    package var isOnHold: Bool { controls.isOnHold }

    package var statistics: SessionStatistics? { controls.statistics }

    package func setMuted(_ muted: Bool) { controls.setMuted(muted) }

    package func setInput(_ input: AudioInput) { controls.setInput(input) }

    package func setOnHold(_ onHold: Bool) {
        guard controls.setOnHold(onHold), let call = running.withLock({ $0?.call }) else { return }
        Task { await call.tellHold() }
    }

    package func sendDTMF(_ digits: String) async throws {
        do throws(VoiceEngineError) {
            if try controls.sendDigits(digits) { return }
        } catch {
            guard error.code == .closed else { throw CCAIError(error) }
        }
        throw CCAIError(.callEnded, "There is no call with sound to send digits in. Wait for `connected`.")
    }

    package func getStats() async -> CallStats? {
        guard controls.isInCall, let statistics = controls.statistics else { return nil }
        return CallStats(
            mos: statistics.meanOpinionScore, rttMs: statistics.roundTripMilliseconds,
            jitterMs: statistics.jitterMilliseconds)
    }

    // MARK: Calls

    @discardableResult
    package func startInstantCall(_ request: InstantCallRequest) async throws -> CallResponse {
        try checkMenu(request.menuId)
        let start = try running.withLock { running in
            guard running == nil else {
                throw CCAIError(.callInProgress, "A call is active already. End it first.")
            }
            let call = ActiveCall(environment, controls: controls, events: events) { [weak self] in
                self?.running.withLock { $0 = nil }
            }
            let start = Task { try await call.start(request) }
            running = Running(call: call, start: start)
            return start
        }
        return try await withTaskCancellationHandler {
            try await start.value
        } onCancel: {
            start.cancel()
        }
    }

    package func endCall() async throws {
        guard let running = running.withLock({ $0 }) else { return }
        running.start.cancel()
        _ = await running.start.result
        try await Task { try await running.call.end() }.value
    }

    package func checkStatus() async throws {
        guard let call = running.withLock({ $0?.call }) else { return }
        try await call.checkStatus()
    }

    package func getLastCallInProgress() async throws -> CallResponse? {
        let snapshot = try await withCCAIErrors { () throws(PlatformError) in
            try await environment.client.callInProgress()
        }
        return snapshot.map { CallResponse($0) }
    }

    /// Refuses what the menu, as it was last read, can't take.
    private func checkMenu(_ id: Int) throws(CCAIError) {
        guard let menu = knownMenu(id) else { return }
        guard let voice = menu.channels?.voiceCall else {
            throw CCAIError(.channelUnavailable, "Menu \(id) has no voice channel. Offer its other channels.")
        }
        if voice.deflected == true {
            let reason = voice.deflectedReason.map { " The company says: \($0)" } ?? ""
            throw CCAIError(.deflected, "Menu \(id) takes no calls now. Offer its other channels.\(reason)")
        }
        guard voice.instantEnabled == true else {
            throw CCAIError(
                .channelUnavailable, "Menu \(id) takes no instant calls. Offer its other channels.")
        }
    }
}
