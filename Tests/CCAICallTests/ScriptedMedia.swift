import CCAICall
import CCAIKit
import Foundation
import PlatformSignalling
import ScriptedPlatform
import Synchronization
import VoiceEngine

/// Media that does what a test says.
final class ScriptedMedia: CallMedia, Sendable {
    struct State {
        var answers: [String] = []
        var digits = ""
        var isMuted = false
        var isOnHold = false
        var input: AudioInput
        var recordingPath: String?
        var closes = 0
    }
    let state: Mutex<State>
    let configuration: SessionConfiguration
    let events: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation
    private let refusal: VoiceEngineError?

    init(_ configuration: SessionConfiguration, refusal: VoiceEngineError? = nil) {
        self.configuration = configuration
        self.refusal = refusal
        state = Mutex(State(input: configuration.input))
        (events, continuation) = AsyncStream.makeStream()
    }

    func makeOffer(renewingKeys: Bool) -> String { "v=0 offer" }

    var statistics: SessionStatistics {
        var statistics = SessionStatistics()
        statistics.packetsSent = state.withLock { $0.closes } == 0 ? 1 : 2
        return statistics
    }

    func happen(_ event: SessionEvent) { continuation.yield(event) }

    func accept(answer: String) async throws(VoiceEngineError) {
        if let refusal { throw refusal }
        state.withLock { $0.answers.append(answer) }
    }

    func setMuted(_ isMuted: Bool) { state.withLock { $0.isMuted = isMuted } }

    func setOnHold(_ isOnHold: Bool) { state.withLock { $0.isOnHold = isOnHold } }

    func setInput(_ input: AudioInput) { state.withLock { $0.input = input } }

    func sendDigits(_ digits: String) throws(VoiceEngineError) { state.withLock { $0.digits += digits } }

    func record(to path: String) async throws(VoiceEngineError) { state.withLock { $0.recordingPath = path } }

    func close() async -> SessionStatistics {
        state.withLock { $0.closes += 1 }
        continuation.yield(.closed)
        continuation.finish()
        return statistics
    }
}

/// A call service, a scripted platform behind it, and scripted media in it.
final class CallRig: Sendable {
    let platform: ScriptedPlatform
    let stream: ScriptedStream
    let service: CallService
    let told: AsyncStream<String>
    private let made: MadeMedia
    private let subscriptions: [AnyCancellable]

    /// `overrides` answer a line like `POST /calls`; the rest behaves as a good platform.
    init(
        options: CallOptions = CallOptions(), refusal: VoiceEngineError? = nil, menu: QueueMenu? = nil,
        _ overrides: [String: @Sendable (ScriptedRequest) -> ScriptedAnswer] = [:]
    ) throws {
        let stream = ScriptedStream()
        let shared = SharedScript(overrides)
        platform = ScriptedPlatform { request in
            let line = request.line.replacing("/ccai/v1", with: "")
            return shared.answer(line, request, stream)
        }
        let tokens = TokenSource {
            "token"
        } current: { () throws(PlatformError) in
            "token"
        } renew: { (_) throws(PlatformError) in
            throw .authentication(.refused)
        }
        let configuration = PlatformConfiguration(
            address: try PlatformAddress(parsing: platform.url), companyKey: "key", language: "en",
            deviceID: "device", applicationID: "test", version: "0")
        let client = PlatformClient(configuration: configuration, http: HTTPClient(), tokens: tokens)
        var limits = CallTimeLimits()
        limits.polling = .milliseconds(20)
        let made = MadeMedia()
        service = CallService(client: client, options: options, limits: limits, knownMenu: { _ in menu }) {
            (configuration) throws(VoiceEngineError) in
            let media = ScriptedMedia(configuration, refusal: refusal)
            made.add(media)
            return media
        }
        self.stream = stream
        self.made = made
        let (told, continuation) = AsyncStream<String>.makeStream()
        self.told = told
        subscriptions = [
            service.stateChanged.sink { continuation.yield(Self.word($0)) },
            service.callReceived.sink { continuation.yield($0.status.rawValue) },
        ]
    }

    var media: ScriptedMedia? { made.all.last }

    var lines: [String] { platform.requests.map { $0.line.replacing("/ccai/v1", with: "") } }

    /// What the service told, up to and with `last`.
    func toldUntil(_ last: String) async -> [String] {
        var all: [String] = []
        for await word in told {
            all.append(word)
            if word == last { break }
        }
        return all
    }

    func send(_ version: Int, _ status: String, media: String? = nil, id: Int = 5) {
        stream.send(
            event: "call.updated", id: "1-\(id)-\(version)", data: Self.call(version, status, media, id: id))
    }

    static func call(_ version: Int, _ status: String, _ media: String? = "v=0 answer", id: Int = 5) -> String
    {
        let media = media.map { #","media":{"kind":"sdp","generation":1,"sdp":"\#($0)"}"# } ?? ""
        return #"{"id":\#(id),"version":\#(version),"status":"\#(status)"\#(media)}"#
    }

    private static func word(_ state: CallProviderState) -> String {
        switch state {
        case .connecting: "media connecting"
        case .connected: "media connected"
        case .disconnected: "media disconnected"
        case .error(let error): "media error \(error.code.rawValue)"
        @unknown default: "media unknown"
        }
    }
}

private final class MadeMedia: Sendable {
    private let media = Mutex<[ScriptedMedia]>([])
    var all: [ScriptedMedia] { media.withLock { $0 } }
    func add(_ new: ScriptedMedia) { media.withLock { $0.append(new) } }
}

private final class SharedScript: Sendable {
    private let overrides: [String: @Sendable (ScriptedRequest) -> ScriptedAnswer]

    init(_ overrides: [String: @Sendable (ScriptedRequest) -> ScriptedAnswer]) { self.overrides = overrides }

    func answer(_ line: String, _ request: ScriptedRequest, _ stream: ScriptedStream) -> ScriptedAnswer {
        if let override = overrides[line] { return override(request) }
        return switch line {
        case "GET /events": .stream(stream)
        case "POST /calls": .json(CallRig.call(1, "connecting"), status: 201)
        case "GET /calls/5": .json(CallRig.call(1, "connecting"))
        case "POST /calls/5/end": .json(CallRig.call(99, "ended"))
        case "POST /calls/5/hold": .json(CallRig.call(50, "on_hold"))
        case "POST /calls/5/unhold": .json(CallRig.call(51, "connected"))
        default: .problem(404, "not_found")
        }
    }
}
