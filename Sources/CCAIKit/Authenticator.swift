internal import Foundation
internal import PlatformSignalling
internal import Synchronization

/// Holds the token, and asks the delegate for one when there is none or it is refused: once at a time, for at most 15 s.
final class Authenticator: Sendable {
    private struct State {
        var token: String?
        var renewal: Task<Result<String, PlatformError>, Never>?
        /// Counts log-ins and log-outs, so that a renewal from before doesn't undo them.
        var generation = 0
        /// Why the delegate's own sign-in failed: says more than that it returned `nil`.
        var signInFailure: PlatformError?
    }
    private let state: Mutex<State>
    private let delegate: @Sendable () -> DelegateReference
    private let store: StateDirectory?
    private let fileName: String
    private let timeLimit: Duration

    /// `store` keeps the token over the program's end, `nil` doesn't; `delegate` is looked up each time.
    init(
        store: StateDirectory?, fileName: String, timeLimit: Duration,
        delegate: @escaping @Sendable () -> DelegateReference
    ) {
        self.store = store
        self.fileName = fileName
        self.timeLimit = timeLimit
        self.delegate = delegate
        state = Mutex(State(token: store?.read(fileName)))
    }

    var token: String? { state.withLock { $0.token } }

    /// Replaces the token in memory and file; `nil` removes both.
    func update(_ token: String?) {
        state.withLock { state in
            state.generation += 1
            state.token = token
            keep(token)
        }
    }

    /// Remembers why a JWT got no token.
    func signInFailed(_ error: PlatformError) {
        state.withLock { $0.signInFailure = error }
    }

    /// The token in hand, or one from the delegate.
    func current() async throws(PlatformError) -> String {
        if let token { return token }
        return try await renew(rejected: nil)
    }

    /// A token other than `rejected`.
    func renew(rejected: String?) async throws(PlatformError) -> String {
        let renewal = state.withLock { state -> Task<Result<String, PlatformError>, Never>? in
            if let token = state.token, token != rejected { return nil }
            if let running = state.renewal { return running }
            let generation = state.generation
            state.signInFailure = nil
            let task = Task { await self.ask(startedAt: generation, rejected: rejected) }
            state.renewal = task
            return task
        }
        guard let renewal else { return try await current() }
        return try await renewal.value.get()
    }

    private func ask(startedAt generation: Int, rejected: String?) async -> Result<String, PlatformError> {
        let answer = await delegate().token(within: timeLimit)
        return state.withLock { state in
            state.renewal = nil
            // A log-in meanwhile, most often by the delegate itself, has the last word.
            guard state.generation == generation else {
                guard let token = state.token, token != rejected else {
                    return .failure(.authentication(.loggedOut))
                }
                return .success(token)
            }
            if answer == .failure(.authentication(.refused)), let signInFailure = state.signInFailure {
                return .failure(signInFailure)
            }
            if case .success(let token) = answer {
                state.token = token
                keep(token)
            }
            return answer
        }
    }

    private func keep(_ token: String?) {
        if let token {
            store?.write(token, to: fileName)
        } else {
            store?.remove(fileName)
        }
    }
}

/// A weak reference to the program's delegate.
struct DelegateReference: @unchecked Sendable {  // only asked, one at a time
    weak var value: (any CCAIDelegate)?

    /// The delegate's token.
    ///
    /// A delegate that doesn't answer in time is left behind, not waited for.
    func token(within limit: Duration) async -> Result<String, PlatformError> {
        guard value != nil else { return .failure(.authentication(.delegateMissing)) }
        let tokens = AsyncStream<Result<String, PlatformError>> { continuation in
            let asking = Task {
                // Held only while it is asked.
                guard let delegate = value else {
                    continuation.yield(.failure(.authentication(.delegateMissing)))
                    return
                }
                let token = await delegate.ccaiShouldAuthenticate()
                continuation.yield(token.map(Result.success) ?? .failure(.authentication(.refused)))
            }
            let timing = Task {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                continuation.yield(.failure(.authentication(.delegateTimedOut)))
            }
            continuation.onTermination = { _ in
                asking.cancel()
                timing.cancel()
            }
        }
        for await token in tokens { return token }
        return .failure(.authentication(.delegateTimedOut))
    }
}
