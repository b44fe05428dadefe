import JSONWebToken

/// The whole platform without its sockets, clock and randomness: requests go in, answers and effects come out.
///
/// After each input take the effects with ``takeEffects()`` and perform them in their order.
package struct PlatformState: Sendable {
    /// What to do for a request.
    package enum Outcome: Sendable {
        case response(HTTPResponse)
        /// Answer the offer, then give the result to ``finishStart(_:with:at:)``, which makes the response.
        case answer(PendingCall)
        /// Answer with an event stream that begins with `text` and goes on with effects for `stream`.
        case stream(Int64, text: String)
    }

    /// A call whose offer is being answered.
    package struct PendingCall: Hashable, Sendable {
        package let id: Int64
        /// The caller's SDP; it holds keys.
        package let offer: String
        let menuID: Int64
        let language: String
        let user: String
        let device: String
        let idempotencyKey: String?
        let requestID: String
    }

    /// What the shell has to do.
    package enum Effect: Hashable, Sendable {
        case send(stream: Int64, text: String)
        /// End the stream once all that was sent is out.
        case close(stream: Int64)
        case closeMedia(call: Int64)
        case holdMedia(call: Int64, isOnHold: Bool)
        /// A line for the log, free of secrets.
        case log(String)
    }

    struct Stream {
        let id: Int64
        let device: String
        let tokenExpiresAt: WallTime
        var nextHeartbeat: WallTime
        var isTokenEndAnnounced = false
    }

    let configuration: PlatformConfiguration
    private var generator: any RandomNumberGenerator & Sendable
    private var nextIdentifier: Int64
    var signIns = SignIns()
    var records = IdempotencyRecords()
    var calls: [Int64: Call] = [:]
    var pending: [Int64: PendingCall] = [:]
    private var rings: [String: EventRing] = [:]
    private var streams: [String: Stream] = [:]
    private var effects: [Effect] = []
    private var nextSweep: WallTime?

    /// - Parameters:
    ///   - configuration: Fixed for the platform's life.
    ///   - generator: Tokens come from it, so outside of tests it is the system's.
    package init(configuration: PlatformConfiguration, generator: any RandomNumberGenerator & Sendable) {
        self.configuration = configuration
        self.generator = generator
        // Differs between runs, and stays exact where a JSON number is a double.
        nextIdentifier = Int64(self.generator.next() >> 24) << 8 | 1
    }

    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func perform(_ effect: Effect) {
        effects.append(effect)
    }

    mutating func makeIdentifier() -> Int64 {
        defer { nextIdentifier += 1 }
        return nextIdentifier
    }

    mutating func randomOctets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    // MARK: Events

    private mutating func makeRing() -> EventRing {
        EventRing(epoch: String(generator.next() >> 16, radix: 36))
    }

    /// Keeps an event for `device`, and sends it if the device listens.
    mutating func emit(_ name: String, _ data: JSONValue, to device: String, at now: WallTime) {
        // Taken out, so that the change below copies nothing.
        var ring = rings.removeValue(forKey: device) ?? makeRing()
        let text = ring.append(name, data, at: now)
        rings[device] = ring
        if let stream = streams[device] { perform(.send(stream: stream.id, text: text)) }
    }

    /// Opens the device's one stream; a second one closes the first.
    mutating func openStream(_ signIn: SignIns.SignIn, lastEventID: String?, at now: WallTime) -> Outcome {
        let device = signIn.device
        if let replaced = streams[device] {
            perform(.send(stream: replaced.id, text: EventText.event("session.replaced", [:])))
            perform(.close(stream: replaced.id))
        }
        let ring = rings[device] ?? makeRing()
        rings[device] = ring
        let id = makeIdentifier()
        streams[device] = Stream(
            id: id, device: device, tokenExpiresAt: signIn.expiresAt, nextHeartbeat: now + 15)
        return .stream(id, text: EventText.retry + ring.replay(after: lastEventID))
    }

    /// The client of a stream went away.
    package mutating func streamEnded(_ id: Int64) {
        guard let stream = streams.values.first(where: { $0.id == id }) else { return }
        streams[stream.device] = nil
    }

    mutating func closeStream(device: String) {
        guard let stream = streams.removeValue(forKey: device) else { return }
        perform(.close(stream: stream.id))
    }

    // MARK: Time

    /// Does what is due; call it a few times a second.
    package mutating func advance(to now: WallTime) {
        for device in streams.keys.sorted() { advanceStream(device, to: now) }
        for id in calls.keys.sorted() {
            guard let call = calls[id], !call.isEnded else { continue }
            changeCall(id, at: now) { $0.advance(to: now) }
        }
        guard now >= nextSweep ?? now else { return }
        nextSweep = now + 60
        signIns.forgetExpired(at: now)
        calls = calls.filter { $0.value.endedAt.map { now < $0 + 3_600 } ?? true }
        let listening = Set(streams.keys)
        rings = rings.filter { listening.contains($0.key) || !$0.value.isStale(at: now) }
    }

    private mutating func advanceStream(_ device: String, to now: WallTime) {
        guard var stream = streams[device] else { return }
        guard now < stream.tokenExpiresAt + 60 else { return closeStream(device: device) }
        if now >= stream.tokenExpiresAt - 60, !stream.isTokenEndAnnounced {
            stream.isTokenEndAnnounced = true
            perform(.send(stream: stream.id, text: EventText.event("token.expiring", [:])))
        }
        if now >= stream.nextHeartbeat {
            stream.nextHeartbeat = now + 15
            perform(.send(stream: stream.id, text: EventText.heartbeat))
        }
        streams[device] = stream
    }

    /// Ends all calls and streams: the program stops.
    package mutating func stop(at now: WallTime) {
        for id in calls.keys.sorted() { changeCall(id, at: now) { $0.end(.platformStopped, at: now) } }
        for device in streams.keys.sorted() { closeStream(device: device) }
    }
}
