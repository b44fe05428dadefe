internal import FoundationEssentials

/// How the event stream is doing, and what came over it.
package enum EventStreamSignal: Sendable {
    /// The stream is open; after an interruption the platform has been told where to go on.
    case opened
    /// Something happened. Repeated ids are already dropped.
    case event(PlatformEvent)
    /// The stream broke; it is being opened again.
    case interrupted(PlatformError)
    /// The stream won't come back: logged out or replaced (`nil`), or refused.
    case stopped(PlatformError?)
}

extension PlatformClient {
    /// Opens the device's event stream and keeps it open until the sequence is dropped.
    ///
    /// When nothing, not even a heartbeat, comes for `silenceLimit`, it is opened anew.
    package func events(silenceLimit: Duration = .seconds(45)) -> AsyncStream<EventStreamSignal> {
        AsyncStream { continuation in
            let task = Task {
                var reader = EventStreamReader(client: self, silenceLimit: silenceLimit)
                await reader.run { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// The life of one event stream over all its connections.
private struct EventStreamReader {
    /// How a connection ended.
    private enum Ending {
        case failed(PlatformError)
        case refused(PlatformError, token: String)
        case stopped
    }

    let client: PlatformClient
    let silenceLimit: Duration
    private var lastEventID = ""
    private var delay = ReconnectionDelay()
    private var deduplicator = EventDeduplicator()
    private var hasRenewed = false

    init(client: PlatformClient, silenceLimit: Duration) {
        self.client = client
        self.silenceLimit = silenceLimit
    }

    mutating func run(_ emit: (EventStreamSignal) -> Void) async {
        var generator = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            switch await connect(emit) {
            case .stopped: return emit(.stopped(nil))
            case .failed(let error) where Self.isFinal(error): return emit(.stopped(error))
            case .failed(let error): emit(.interrupted(error))
            case .refused(let error, let token):
                guard !hasRenewed else { return emit(.stopped(error)) }
                hasRenewed = true
                guard let failure = await renew(token) else { continue }
                guard !Self.isFinal(failure) else { return emit(.stopped(failure)) }
                emit(.interrupted(failure))
            }
            guard (try? await client.sleep(delay.next(using: &generator))) != nil else { return }
        }
    }

    private func renew(_ token: String) async -> PlatformError? {
        do throws(PlatformError) {
            _ = try await client.tokens.renew(token)
            return nil
        } catch {
            return error
        }
    }

    /// Whether asking again can't help.
    private static func isFinal(_ error: PlatformError) -> Bool {
        switch error {
        case .authentication, .transport(.cancelled), .transport(.invalidHeader): true
        case .problem(let problem):
            (400..<500).contains(problem.status) && ![408, 429].contains(problem.status)
        case .transport, .unreadable: false
        }
    }

    private mutating func connect(_ emit: (EventStreamSignal) -> Void) async -> Ending {
        do {
            let token = try await client.tokens.current()
            var request = client.request(Endpoint(.get, "/events"), token: token)
            request.headers["Accept"] = "text/event-stream"
            request.headers["Cache-Control"] = "no-store"
            if !lastEventID.isEmpty { request.headers["Last-Event-ID"] = lastEventID }
            return try await read(client.http.stream(request, silenceLimit: silenceLimit), token: token, emit)
        } catch let error as PlatformError {
            return .failed(error)
        } catch let error as HTTPTransportError {
            return .failed(.transport(error))
        } catch {
            return .failed(.unreadable(path: "/events", detail: "a line is too long"))
        }
    }

    private mutating func read(
        _ parts: AsyncThrowingStream<HTTPStreamPart, any Error>, token: String,
        _ emit: (EventStreamSignal) -> Void
    ) async throws -> Ending {
        var parser = EventStreamParser(lastEventID: lastEventID)
        var refusal: HTTPResponse?
        for try await part in parts {
            switch part {
            case .head(let head) where head.status == 204:
                return .stopped
            case .head(let head):
                let isStream =
                    head.headers["content-type"]?.lowercased().hasPrefix("text/event-stream") ?? false
                guard head.status == 200, isStream else {
                    refusal = HTTPResponse(head: head, body: Data())
                    continue
                }
                delay.succeeded()
                hasRenewed = false
                emit(.opened)
            case .bytes(let bytes):
                guard refusal == nil else {
                    let room = HTTPClient.bodyLimit - (refusal?.body.count ?? 0)
                    refusal?.body.append(bytes.prefix(room))
                    continue
                }
                if try dispatch(bytes, &parser, emit) { return .stopped }
            }
        }
        guard let refusal else { return .failed(.transport(.connectionLost)) }
        guard refusal.head.status != 200 else {
            return .failed(.unreadable(path: "/events", detail: "it is no event stream"))
        }
        let problem = PlatformError.problem(Problem(refusal))
        return refusal.head.status == 401 ? .refused(problem, token: token) : .failed(problem)
    }

    /// Returns whether the platform gave the stream to another.
    private mutating func dispatch(
        _ bytes: Data, _ parser: inout EventStreamParser, _ emit: (EventStreamSignal) -> Void
    ) throws(EventStreamParser.ParseError) -> Bool {
        let events = try parser.consume(bytes)
        lastEventID = parser.lastEventID
        if let time = parser.reconnectionTime { delay.reconnectionTime = time }
        for event in events where deduplicator.admits(id: event.id) {
            let event = PlatformEvent(event)
            if case .callUpdated(let snapshot) = event, !deduplicator.admits(snapshot) { continue }
            emit(.event(event))
            if event == .sessionReplaced { return true }
        }
        return false
    }
}
