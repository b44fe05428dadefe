internal import CCAICall
package import CCAIKit
internal import Foundation
internal import Synchronization
internal import VoiceEngine

/// A call through the SDK's facade, as any program would place it.
final class PlatformLine: CallLine {
    private struct Observed: Sendable {
        var provider: CallProviderState?
        var call: CallResponse?
        var isHangingUp = false

        var hasEnded: Bool {
            switch provider {
            case .disconnected, .error: true
            case .connecting, .connected, nil: false
            }
        }
    }
    private let settings: CallSettings
    private let media: CallMediaOptions
    private let observed = Mutex(Observed())
    private let subscriptions = Mutex<Set<AnyCancellable>>([])

    init(_ settings: CallSettings, media: CallMediaOptions) {
        self.settings = settings
        self.media = media
    }

    func signIn() async throws(CallProblem) {
        let token = try settings.signIn.token(at: Int64(Date().timeIntervalSince1970))
        try await asking { [settings] in
            var options = InitOptions(key: settings.key, urlHost: settings.platform, cacheAuthToken: false)
            options.caFile = settings.certificateAuthorityPath
            try CCAI.shared.initialize(options: options)
            _ = try await CCAI.shared.authService?.authenticate(token)
        }
    }

    func company() async throws(CallProblem) -> String? {
        try await asking { try await CCAI.shared.companyService?.get().displayName }
    }

    func menuName() async throws(CallProblem) -> String? {
        let menus = try await asking { try await CCAI.shared.queueMenuService?.get().0 } ?? []
        let all = menus.flatMap(\.withChildren)
        guard let menu = all.first(where: { $0.id == settings.menuID }) else {
            let known = all.map { "\($0.id) (\($0.name ?? "no name"))" }.joined(separator: ", ")
            throw .refused(
                "there is no menu \(settings.menuID); the company has: \(known.isEmpty ? "none" : known)")
        }
        return menu.name
    }

    func start() async throws(CallProblem) {
        var options = CallOptions()
        options.media = media
        CCAI.shared.initializeCall(options)
        guard let service = CCAI.shared.callService else { throw .failed("the SDK has no call service") }
        observe(service)
        let menuID = settings.menuID
        let call = try await asking {
            try await service.startInstantCall(InstantCallRequest(menuId: menuID))
        }
        observed.withLock { $0.call = $0.call ?? call }
    }

    func hangUp() async {
        observed.withLock { $0.isHangingUp = true }
        // The platform not hearing of it doesn't matter here: our side is closed, and it notices by itself.
        try? await CCAI.shared.callService?.endCall()
        await waitForTheEnd()
    }

    /// Events come a moment later than what they tell; with the last one, ``state`` is final.
    private func waitForTheEnd() async {
        for _ in 0..<20 where !observed.withLock({ $0.hasEnded }) {
            try? await Task.sleep(for: .milliseconds(25))
        }
    }

    var state: CallState {
        let observed = observed.withLock { $0 }
        var state = CallState()
        state.status = observed.call?.status.rawValue ?? "connecting"
        state.isConnected = observed.provider == .connected
        state.ending = Self.ending(of: observed)
        state.callID = observed.call?.id
        state.agent = observed.call?.agent.map { $0.name ?? "number \($0.id)" }
        state.endReason = observed.call?.endReason?.code
        state.statistics = CCAI.shared.callService?.statistics
        return state
    }

    private func observe(_ service: any CallServiceProtocol) {
        let provider = service.stateChanged.sink { [weak self] state in
            self?.observed.withLock { $0.provider = state }
        }
        let call = service.callReceived.sink { [weak self] call in
            self?.observed.withLock { $0.call = call }
        }
        subscriptions.withLock { $0.formUnion([provider, call]) }
    }

    private static func ending(of observed: Observed) -> CallEnding? {
        guard !observed.isHangingUp else { return nil }
        switch observed.provider {
        case .error(let error): return .failed(error.message)
        case .disconnected
        where observed.call?.status == .failed || observed.call?.endReason?.isFailure == true:
            return .failed(
                "the platform ended the call: \(observed.call?.endReason?.code ?? "it gave no reason")")
        case .disconnected: return .remoteHungUp
        case .connecting, .connected, nil: return nil
        }
    }

    /// Runs `body`, and sorts its errors by what they mean before a call has begun.
    private func asking<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws(CallProblem) -> Result {
        do {
            return try await body()
        } catch let error as CCAIError {
            throw CallProblem(error)
        } catch {
            throw .failed("\(error)")
        }
    }
}

extension CallProblem {
    /// What an error of the SDK means before a call has begun.
    package init(_ error: CCAIError) {
        // The SDK speaks of its options; here they have other names.
        let message = error.message
            .replacing("caFile", with: "--ca-file").replacing("urlHost", with: "--platform")
        switch error.code {
        case .network, .unavailable, .invalidAnswer, .rateLimited: self = .cannotReach(message)
        case .invalidOptions, .audioFile: self = .unusable(message)
        case .cancelled: self = .cancelled
        case .delegateMissing:
            self = .refused("the platform no longer takes the token; get a fresh one, and check both clocks")
        case .authentication, .jwt, .forbidden, .menuNotFound, .channelUnavailable, .deflected,
            .callInProgress,
            .actionRequired, .invalidRequest, .voipConnection:
            self = .refused(message)
        default: self = .failed(message)
        }
    }
}

extension QueueMenu {
    fileprivate var withChildren: [QueueMenu] { [self] + (children ?? []).flatMap(\.withChildren) }
}

extension CallEndReason {
    /// Whether the call ended because something broke, not because somebody wanted it: the `voip_conn_…` codes, and an
    /// interruption that nobody ended.
    fileprivate var isFailure: Bool { code.hasPrefix("voip_conn") || code == "interrupted_timeout" }
}
