import CCAICall
import CCAIKit
import ScriptedPlatform
import Synchronization
import Testing
import VoiceEngine

@Suite(.timeLimit(.minutes(1)))
struct CallEndingTests {
    private let request = InstantCallRequest(menuId: 7)

    @Test func endingTellsThePlatformAndClosesTheMedia() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        try await rig.service.endCall()
        #expect(
            await rig.toldUntil("media disconnected") == [
                "media connecting", "connecting", "ended", "media disconnected",
            ])
        #expect(rig.lines.last == "POST /calls/5/end")
        #expect(rig.media?.state.withLock { $0.closes } == 1)
        try await rig.service.endCall()
        #expect(rig.lines.filter { $0 == "POST /calls/5/end" }.count == 1)
    }

    @Test func endingEndsHereThoughThePlatformIsGone() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        rig.media?.happen(.mediaStarted)
        _ = await rig.toldUntil("media connected")
        rig.platform.kill()
        let error = await #expect(throws: CCAIError.self) { try await rig.service.endCall() }
        #expect(error?.code == .network)
        #expect(await rig.toldUntil("media disconnected") == ["media disconnected"])
        #expect(rig.media?.state.withLock { $0.closes } == 1)
    }

    @Test func aPlatformThatDiesAndIsNotHeardEndsTheCall() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        rig.media?.happen(.mediaStarted)
        _ = await rig.toldUntil("media connected")
        rig.platform.kill()
        rig.media?.happen(.mediaTimedOut)
        #expect(await rig.toldUntil("media error 1") == ["media error 1"])
        #expect(rig.media?.state.withLock { $0.closes } == 1)
    }

    @Test func aPlatformThatDiesBeforeItWasHeardEndsTheCall() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        rig.platform.kill()
        #expect(await rig.toldUntil("media error 1").last == "media error 1")
    }

    @Test func silenceAloneDoesNotEndTheCall() async throws {
        let asked = AsyncStream<Void>.makeStream()
        let rig = try CallRig([
            "GET /calls/5": { _ in
                asked.continuation.yield()
                return .json(CallRig.call(1, "connecting"))
            }
        ])
        try await rig.service.startInstantCall(request)
        rig.media?.happen(.mediaStarted)
        rig.media?.happen(.mediaTimedOut)
        for await _ in asked.stream { break }
        rig.send(2, "connected")
        #expect(await rig.toldUntil("connected").last == "connected")
        #expect(rig.media?.state.withLock { $0.closes } == 0)
    }

    @Test func aLostStreamAloneDoesNotEndTheCallAndItsNewsIsAskedFor() async throws {
        let rig = try CallRig(["GET /calls/5": { _ in .json(CallRig.call(9, "ended")) }])
        try await rig.service.startInstantCall(request)
        rig.media?.happen(.mediaStarted)
        _ = await rig.toldUntil("media connected")
        rig.stream.cut()
        #expect(await rig.toldUntil("media disconnected") == ["ended", "media disconnected"])
    }

    @Test(arguments: [404, 410])
    func aCallThatThePlatformNoLongerKnowsEnds(status: Int) async throws {
        let rig = try CallRig(["GET /calls/5": { _ in .problem(status, "not_found") }])
        try await rig.service.startInstantCall(request)
        rig.stream.cut()
        #expect(await rig.toldUntil("media error 2004").last == "media error 2004")
    }

    @Test func aResyncAsksForTheCall() async throws {
        let rig = try CallRig(["GET /calls/5": { _ in .json(CallRig.call(4, "connected")) }])
        try await rig.service.startInstantCall(request)
        rig.stream.send("event: resync\ndata: {}\n\n")
        #expect(await rig.toldUntil("connected").last == "connected")
    }

    @Test func anEngineThatShutsDownEndsTheCallThereToo() async throws {
        let rig = try CallRig()
        try await rig.service.startInstantCall(request)
        rig.media?.happen(.closed)
        #expect(await rig.toldUntil("media error 1000").contains("media error 1000"))
        #expect(rig.lines.last == "POST /calls/5/end")
    }

    @Test func checkingTheStatusTellsWhatChanged() async throws {
        let rig = try CallRig(["GET /calls/5": { _ in .json(CallRig.call(4, "connected")) }])
        try await rig.service.startInstantCall(request)
        try await rig.service.checkStatus()
        #expect(await rig.toldUntil("connected").last == "connected")
        try await rig.service.endCall()
        try await rig.service.checkStatus()
    }

    @Test func anAnswerOlderThanTheLastEventIsNotTold() async throws {
        let rig = try CallRig(["GET /calls/5": { _ in .json(CallRig.call(2, "waiting")) }])
        try await rig.service.startInstantCall(request)
        rig.send(3, "connected")
        _ = await rig.toldUntil("connected")
        try await rig.service.checkStatus()
        try await rig.service.endCall()
        #expect(await rig.toldUntil("media disconnected") == ["ended", "media disconnected"])
    }
}

struct PlatformWatchTests {
    @Test func mediaThatFlowsOutweighsASilentPlatform() {
        var watch = PlatformWatch()
        watch.mediaArrived()
        let verdicts = (0..<100).map { _ in watch.platformSilent() }
        #expect(!verdicts.contains(true))
    }

    @Test func missingMediaAndASilentPlatformAreEnough() {
        var watch = PlatformWatch()
        watch.mediaArrived()
        _ = watch.platformSilent()
        watch.mediaStopped()
        let isLost = watch.platformSilent()
        #expect(isLost)
    }

    @Test func beforeMediaOneFailureMayPass() {
        var watch = PlatformWatch()
        let first = watch.platformSilent()
        watch.platformAnswered()
        let second = watch.platformSilent()
        let third = watch.platformSilent()
        #expect([first, second, third] == [false, false, true])
    }

    @Test func mediaThatComesBackCountsAgain() {
        var watch = PlatformWatch()
        watch.mediaStopped()
        watch.mediaArrived()
        let isLost = watch.platformSilent()
        #expect(!isLost)
    }
}
