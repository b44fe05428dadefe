import CCAICall
import CCAIKit
import Foundation
import ScriptedPlatform
import Synchronization
import Testing
import VoiceEngine

@Suite(.timeLimit(.minutes(1)))
struct CallServiceTests {
    private let request = InstantCallRequest(menuId: 7, recordingPermission: .granted, ticketId: "T-1")

    // MARK: Starting

    @Test func opensTheEventStreamBeforeItAsksForTheCall() async throws {
        let rig = try CallRig()
        let call = try await rig.service.startInstantCall(request)
        #expect(call.id == 5)
        #expect(rig.lines == ["GET /events", "POST /calls"])
        #expect(rig.media?.state.withLock { $0.answers } == ["v=0 answer"])
        let body = try #require(rig.platform.requests.last?.body)
        let json = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
        #expect(json["type"] as? String == "instant")
        #expect(json["menu_id"] as? Int == 7)
        #expect(json["lang"] as? String == "en")
        #expect(json["recording_permission"] as? String == "granted")
        #expect(json["ticket_id"] as? String == "T-1")
        #expect(json["media"] as? [String: String] == ["kind": "sdp", "sdp": "v=0 offer"])
    }

    @Test func statusAndMediaAreToldSeparately() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        rig.send(2, "waiting")
        #expect(await rig.toldUntil("waiting") == ["media connecting", "connecting", "waiting"])
        rig.media?.happen(.mediaStarted)
        #expect(await rig.toldUntil("media connected") == ["media connected"])
        rig.send(4, "connected")
        rig.send(3, "waiting")
        rig.send(5, "on_hold", id: 6)
        rig.send(5, "a status of the future")
        rig.send(6, "ended")
        #expect(
            await rig.toldUntil("media disconnected") == [
                "connected", "connected", "ended", "media disconnected",
            ])
        #expect(rig.media?.state.withLock { $0.closes } == 1)
        #expect(!rig.lines.contains("POST /calls/5/end"), "the platform knows")
    }

    @Test func anAnswerThatComesLaterIsAppliedOnce() async throws {
        let rig = try CallRig(["POST /calls": { _ in .json(CallRig.call(1, "connecting", nil), status: 201) }]
        )
        try await rig.service.startInstantCall(request)
        #expect(rig.media?.state.withLock { $0.answers } == [])
        rig.send(2, "waiting", media: "v=0 late")
        rig.send(3, "connected", media: "v=0 late")
        _ = await rig.toldUntil("connected")
        #expect(rig.media?.state.withLock { $0.answers } == ["v=0 late"])
    }

    @Test func anEventThatOvertakesTheAnswerIsNotLost() async throws {
        let stream = ScriptedStream()
        let rig = try CallRig([
            "GET /events": { _ in
                stream.send(event: "call.updated", id: "1", data: CallRig.call(2, "waiting"))
                return .stream(stream)
            }
        ])
        try await rig.service.startInstantCall(request)
        #expect(await rig.toldUntil("waiting").suffix(1) == ["waiting"])
    }

    @Test func aSecondCallIsRefusedAndAThirdAfterTheEndIsNot() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        let error = await #expect(throws: CCAIError.self) { try await rig.service.startInstantCall(request) }
        #expect(error?.code == .callInProgress)
        try await rig.service.endCall()
        try await rig.service.startInstantCall(request)
        #expect(rig.lines.filter { $0 == "POST /calls" }.count == 2)
    }

    @Test func aCallMayBeStartedInTheEventOfTheEnd() async throws {
        let rig = try CallRig()
        let restarted = AsyncStream<Bool>.makeStream()
        let subscription = rig.service.stateChanged.sink { state in
            guard state == .disconnected else { return }
            Task { restarted.continuation.yield((try? await rig.service.startInstantCall(request)) != nil) }
        }
        try await rig.service.startInstantCall(request)
        rig.send(2, "ended")
        var iterator = restarted.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
        subscription.cancel()
    }

    @Test func mediaOptionsReachTheMedia() async throws {
        var options = CallOptions()
        options.media.codecs = [.pcmu]
        options.media.input = .echo(delay: .seconds(1))
        options.media.recordingPath = "/tmp/recording.wav"
        let rig = try CallRig(options: options)
        try await rig.service.startInstantCall(request)
        let media = try #require(rig.media)
        #expect(media.configuration.codecs == [.pcmu])
        #expect(media.configuration.input == .echo(delay: .seconds(1)))
        #expect(media.configuration.localAddress == .facing(host: "127.0.0.1"))
        #expect(media.state.withLock { $0.recordingPath } == "/tmp/recording.wav")
    }

    @Test(arguments: [
        (
            #"{"voice_call":{"instant_enabled":true,"deflected":true,"deflected_reason":"Closed"}}"#,
            CCAIError.Code.deflected
        ),
        (#"{"voice_call":{"instant_enabled":false}}"#, .channelUnavailable), ("{}", .channelUnavailable),
    ])
    func aMenuThatTakesNoCallsIsNotAsked(channels: String, code: CCAIError.Code) async throws {
        let menu = try JSONDecoder().decode(
            QueueMenu.self, from: Data(#"{"id":7,"channels":\#(channels)}"#.utf8))
        let rig = try CallRig(menu: menu)
        let error = await #expect(throws: CCAIError.self) { try await rig.service.startInstantCall(request) }
        #expect(error?.code == code)
        #expect(rig.lines.isEmpty)
    }

    // MARK: Failing to start

    @Test(arguments: [
        ("menu_not_found", 404, CCAIError.Code.menuNotFound), ("deflected", 409, .deflected),
        ("call_in_progress", 409, .callInProgress), ("media_rejected", 422, .voipConnection),
    ])
    func aRefusedCallLeavesNothing(word: String, status: Int, code: CCAIError.Code) async throws {
        let rig = try CallRig(["POST /calls": { _ in .problem(status, word) }])
        let error = await #expect(throws: CCAIError.self) { try await rig.service.startInstantCall(request) }
        #expect(error?.code == code)
        #expect(rig.media?.state.withLock { $0.closes } == 1)
        #expect(await rig.toldUntil("media error \(code.rawValue)").first == "media connecting")
        #expect(rig.lines == ["GET /events", "POST /calls"], "there is nothing to end")
    }

    @Test func anAnswerThatTheMediaRefusesEndsTheCallThere() async throws {
        let refusal = VoiceEngineError(.encryptionRequired, "The answer has no keys.")
        let rig = try CallRig(refusal: refusal)
        let error = await #expect(throws: CCAIError.self) { try await rig.service.startInstantCall(request) }
        #expect(error?.code == .voipConnection)
        #expect(error?.message == "The answer has no keys.")
        #expect(rig.lines.last == "POST /calls/5/end")
        #expect(rig.media?.state.withLock { $0.closes } == 1)
    }

    @Test func anAnswerThatCannotBeReadEndsTheCallThatItMayHaveMade() async throws {
        let turn = Mutex(0)
        let rig = try CallRig([
            "POST /calls": { _ in
                let isFirst = turn.withLock { turn in
                    turn += 1
                    return turn == 1
                }
                return isFirst ? .json("{\"id\":") : .json(CallRig.call(1, "connecting"), status: 201)
            }
        ])
        let error = await #expect(throws: CCAIError.self) { try await rig.service.startInstantCall(request) }
        #expect(error?.code == .invalidAnswer)
        #expect(rig.lines == ["GET /events", "POST /calls", "POST /calls", "POST /calls/5/end"])
        let keys = rig.platform.requests.filter { $0.line.hasSuffix("/calls") }.map {
            $0.headers["idempotency-key"]
        }
        #expect(Set(keys).count == 1)
    }

    @Test func withoutAnEventStreamThereIsNoCall() async throws {
        let rig = try CallRig(["GET /events": { _ in .problem(403, "forbidden") }])
        let error = await #expect(throws: CCAIError.self) { try await rig.service.startInstantCall(request) }
        #expect(error?.code == .forbidden)
        #expect(rig.media == nil)
        #expect(rig.lines == ["GET /events"])
    }

    @Test func cancellingTheStartEndsTheCallThatWasMade() async throws {
        let asked = AsyncStream<Void>.makeStream()
        let turn = Mutex(0)
        let rig = try CallRig([
            "POST /calls": { _ in
                let isFirst = turn.withLock { turn in
                    turn += 1
                    return turn == 1
                }
                guard isFirst else { return .json(CallRig.call(1, "connecting"), status: 201) }
                asked.continuation.yield()
                return .nothing
            }
        ])
        let start = Task { try await rig.service.startInstantCall(request) }
        for await _ in asked.stream { break }
        start.cancel()
        let error = await #expect(throws: CCAIError.self) { try await start.value }
        #expect(error?.code == .cancelled)
        #expect(rig.lines.suffix(2) == ["POST /calls", "POST /calls/5/end"])
        #expect(rig.media?.state.withLock { $0.closes } == 1)
        #expect(await rig.toldUntil("media disconnected").first == "media connecting")
    }

    @Test func endingWhileStartingCancelsTheStart() async throws {
        let asked = AsyncStream<Void>.makeStream()
        let rig = try CallRig([
            "GET /events": { _ in
                asked.continuation.yield()
                return .nothing
            }
        ])
        let start = Task { try await rig.service.startInstantCall(request) }
        for await _ in asked.stream { break }
        try await rig.service.endCall()
        let error = await #expect(throws: CCAIError.self) { try await start.value }
        #expect(error?.code == .cancelled)
        #expect(rig.lines == ["GET /events"])
    }

    // MARK: Controls

    @Test func mutingIsTrueAtOnceAndCountsForTheNextCall() async throws {
        let rig = try CallRig()
        rig.service.setMuted(true)
        #expect(rig.service.isMuted)
        try await rig.service.startInstantCall(request)
        #expect(rig.media?.state.withLock { $0.isMuted } == true)
        rig.service.setMuted(false)
        #expect(rig.media?.state.withLock { $0.isMuted } == false)
        rig.service.setMuted(true)
        try await rig.service.endCall()
        #expect(!rig.service.isMuted, "it ended with the call")
    }

    @Test func holdingIsToldToThePlatform() async throws {
        let rig = try CallRig()
        rig.service.setOnHold(true)
        #expect(!rig.service.isOnHold, "there is no call to hold")
        try await rig.service.startInstantCall(request)
        rig.service.setOnHold(true)
        #expect(rig.service.isOnHold)
        #expect(rig.media?.state.withLock { $0.isOnHold } == true)
        _ = await rig.toldUntil("onHold")
        rig.service.setOnHold(false)
        _ = await rig.toldUntil("connected")
        #expect(rig.lines.suffix(2) == ["POST /calls/5/hold", "POST /calls/5/unhold"])
    }

    @Test func statisticsAreLiveAndThenFinal() async throws {
        let rig = try CallRig()
        #expect(rig.service.statistics == nil)
        try await rig.service.startInstantCall(request)
        #expect(rig.service.statistics?.packetsSent == 1)
        #expect(await rig.service.getStats() != nil)
        try await rig.service.endCall()
        #expect(rig.service.statistics?.packetsSent == 2)
        #expect(await rig.service.getStats() == nil)
    }

    @Test func givesTheLastCallInProgressOrNone() async throws {
        let none = try CallRig(["GET /calls": { _ in .json(#"{"calls":[]}"#) }])
        #expect(try await none.service.getLastCallInProgress() == nil)
        let one = try CallRig(["GET /calls": { _ in .json(#"{"calls":[\#(CallRig.call(3, "waiting"))]}"#) }])
        #expect(try await one.service.getLastCallInProgress()?.status == .waiting)
        #expect(one.platform.requests.first?.target == "/ccai/v1/calls?limit=1&state=in_progress")
    }
}
