import Synchronization

/// The platform with its sockets and media: performs what ``PlatformState`` decides.
final class Platform: Sendable {
    private struct Shared {
        var state: PlatformState
        var streams: [Int64: EventStream] = [:]
        /// Requests that rest until their offer is answered.
        var starting: [Int64: (call: PlatformState.PendingCall, exchange: HTTPExchange)] = [:]
        /// Requests that have their answer, and may not have sent it yet.
        var leaving: [HTTPExchange] = []
        /// Goodbyes that are being said.
        var closing: [Int64: Task<Void, Never>] = [:]
        var isStopping = false
    }

    private let shared: Mutex<Shared>
    private let media: any AgentMedia
    private let log: Log
    private let now: @Sendable () -> WallTime

    init(
        _ state: sending PlatformState, media: any AgentMedia, log: Log,
        now: @escaping @Sendable () -> WallTime
    ) {
        shared = Mutex(Shared(state: state))
        self.media = media
        self.log = log
        self.now = now
    }

    /// Replies to a request, now or once its offer is answered.
    func receive(_ request: HTTPRequest, _ exchange: HTTPExchange) {
        let time = now()
        // Replying to a stream within the lock keeps the order of what is sent on it.
        let pending = change { shared -> PlatformState.PendingCall? in
            switch shared.state.handle(request, at: time) {
            case .response(let response):
                exchange.reply(response)
                log.request(request, status: response.status, id: response.headers["X-Request-Id"])
            case .stream(let id, let text):
                let stream = EventStream(text: text) { [self] in streamEnded(id) }
                shared.streams[id] = stream
                exchange.reply(stream)
                if shared.isStopping { stream.close() }
                log.request(request, status: 200, id: nil)
            case .answer(let pending) where shared.isStopping:
                exchange.reply(shared.state.finishStart(pending, with: .failure(.stopping), at: time))
            case .answer(let pending):
                shared.starting[pending.id] = (pending, exchange)
                return pending
            }
            return nil
        }
        guard let pending else { return }
        Task { await start(pending, request, exchange) }
    }

    private func start(
        _ pending: PlatformState.PendingCall, _ request: HTTPRequest, _ exchange: HTTPExchange
    ) async {
        let result = await answered(pending)
        let isWanted = change { shared in
            // A stop has answered it already.
            guard shared.starting.removeValue(forKey: pending.id) != nil else { return false }
            let isStopping = shared.isStopping
            let result = isStopping ? .failure(.stopping) : result
            let response = shared.state.finishStart(pending, with: result, at: now())
            log.request(request, status: response.status, id: response.headers["X-Request-Id"])
            exchange.reply(response)
            shared.leaving = shared.leaving.filter { !$0.isOver } + [exchange]
            return !isStopping
        }
        if !isWanted { await media.close(call: pending.id) }
    }

    private func answered(_ pending: PlatformState.PendingCall) async -> Result<String, MediaFailure> {
        let id = pending.id
        do throws(MediaFailure) {
            return .success(
                try await media.answer(offer: pending.offer, call: id) { [self] report in
                    self.report(report, call: id)
                })
        } catch {
            return .failure(error)
        }
    }

    private func report(_ report: MediaReport, call: Int64) {
        let time = now()
        change { shared in
            switch report {
            case .started: shared.state.mediaStarted(call: call)
            case .timedOut: shared.state.mediaEnded(call: call, .mediaStopped, at: time)
            case .callerLeft: shared.state.mediaEnded(call: call, .callerHungUp, at: time)
            }
        }
    }

    /// Not within the server's call: it may hold locks of its own.
    private func streamEnded(_ id: Int64) {
        Task {
            change { shared in
                shared.streams[id] = nil
                shared.state.streamEnded(id)
            }
        }
    }

    /// Does what is due, several times a second until the task is cancelled.
    func keepTime() async {
        while !Task.isCancelled {
            let time = now()
            change { $0.state.advance(to: time) }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Ends all calls and streams, and gives them a moment to hear of it.
    func stop() async {
        let time = now()
        change { shared in
            shared.isStopping = true
            shared.state.stop(at: time)
        }
        let (streams, closing) = shared.withLock { (Array($0.streams.values), Array($0.closing.values)) }
        for goodbye in closing { await goodbye.value }
        await media.shutDown()
        // The server must not stop over a resting request: libmicrohttpd ends the program then.
        let leaving = change { shared in
            for (call, exchange) in shared.starting.values {
                exchange.reply(shared.state.finishStart(call, with: .failure(.stopping), at: time))
                shared.leaving.append(exchange)
            }
            shared.starting = [:]
            return shared.leaving
        }
        let isGoing = { streams.contains { !$0.isOver } || leaving.contains { !$0.isOver } }
        for _ in 0..<50 where isGoing() {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Changes the state, and performs the effects before anyone else can change it.
    private func change<Value: Sendable>(_ body: (inout Shared) -> Value) -> Value {
        shared.withLock { shared in
            let value = body(&shared)
            for effect in shared.state.takeEffects() { perform(effect, &shared) }
            return value
        }
    }

    private func perform(_ effect: PlatformState.Effect, _ shared: inout Shared) {
        switch effect {
        case .send(let stream, let text): shared.streams[stream]?.send(text)
        case .close(let stream): shared.streams[stream]?.close()
        case .closeMedia(let call):
            shared.closing[call] = Task {
                await media.close(call: call)
                change { $0.closing[call] = nil }
            }
        case .holdMedia(let call, let isOnHold): media.setOnHold(isOnHold, call: call)
        case .log(let line): log.event(line)
        }
    }
}

extension MediaFailure {
    fileprivate static let stopping = Self.unavailable("The platform is stopping.")
}
