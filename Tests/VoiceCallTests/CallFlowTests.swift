import Synchronization
import Testing
import VoiceEngine
import voicecall

/// Time that passes only while someone sleeps.
private final class SleepingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        func duration(to other: Self) -> Duration { other.offset - offset }
        static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }
    private let time = Mutex(Duration.zero)

    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
    }
}

/// A call that goes as it is told to.
private final class ScriptedLine: CallLine {
    struct Script: Sendable {
        var signInProblem: CallProblem?
        var companyProblem: CallProblem?
        var menuProblem: CallProblem?
        var startProblem: CallProblem?
        /// From which look at the call on it is connected.
        var connectsAtLook: Int? = 5
        var endsAtLook: (look: Int, ending: CallEnding)?
    }
    private struct Progress: Sendable {
        var looks = 0
        var steps: [String] = []
        /// At this look the call's task is cancelled.
        var cancellation: (look: Int, task: Task<CallRecord, Never>)?
    }
    private let script: Script
    private let progress = Mutex(Progress())

    init(_ script: Script) { self.script = script }

    var steps: [String] { progress.withLock { $0.steps } }
    var looks: Int { progress.withLock { $0.looks } }

    private func step(_ name: String, _ problem: CallProblem?) throws(CallProblem) {
        progress.withLock { $0.steps.append(name) }
        if let problem { throw problem }
    }

    func signIn() async throws(CallProblem) { try step("sign in", script.signInProblem) }
    func company() async throws(CallProblem) -> String? {
        try step("company", script.companyProblem)
        return "Acme"
    }
    func menuName() async throws(CallProblem) -> String? {
        try step("menu", script.menuProblem)
        return "Echo"
    }
    func start() async throws(CallProblem) { try step("start", script.startProblem) }
    func hangUp() async { progress.withLock { $0.steps.append("hang up") } }

    func cancel(_ task: Task<CallRecord, Never>, atLook look: Int) {
        progress.withLock { $0.cancellation = (look, task) }
    }

    var state: CallState {
        let (looks, cancellation) = progress.withLock { progress in
            progress.looks += 1
            return (progress.looks, progress.cancellation)
        }
        if let cancellation, looks >= cancellation.look { cancellation.task.cancel() }
        var state = CallState()
        state.callID = 7
        state.isConnected = script.connectsAtLook.map { looks >= $0 } ?? false
        state.status = state.isConnected ? "connected" : "waiting"
        if let end = script.endsAtLook, looks >= end.look { state.ending = end.ending }
        return state
    }
}

@Suite struct CallFlowTests {
    private func flow(_ line: ScriptedLine, lines: @escaping @Sendable (ProgressLine) -> Void = { _ in })
        -> CallFlow<ScriptedLine, SleepingClock>
    {
        let plan = HangUpPlan(microphone: nil, expected: nil, maximum: .seconds(10))
        return CallFlow(line: line, plan: plan, clock: SleepingClock(), showProgress: lines)
    }

    private let wholeCall = ["sign in", "company", "menu", "start", "hang up"]

    @Test func itHangsUpAtThePlannedTimeAfterTheConnection() async {
        let line = ScriptedLine(.init())
        let record = await flow(line).run()
        #expect(record.ending == .hungUp)
        #expect(record.duration == .seconds(10))
        #expect(record.company == "Acme")
        #expect(record.menuName == "Echo")
        #expect(record.state.callID == 7)
        #expect(line.steps == wholeCall)
    }

    @Test func aCallWithoutMediaIsGivenUpAndWasNeverConnected() async {
        let line = ScriptedLine(.init(connectsAtLook: nil))
        let record = await flow(line).run()
        #expect(record.ending == .mediaMissing)
        #expect(record.duration == nil)
        #expect(line.looks == 15 * 5 + 2, "it is looked at for 15 s, and once more after hanging up")
        #expect(line.steps == wholeCall)
    }

    @Test func aCallThatThePlatformEndsBeforeItIsConnectedHasFailed() async {
        let line = ScriptedLine(.init(connectsAtLook: nil, endsAtLook: (3, .remoteHungUp)))
        let record = await flow(line).run()
        #expect(record.ending.problem != nil)
        #expect(judge(ending: record.ending, heard: nil, expectation: nil) == .failed)
    }

    @Test(arguments: [CallEnding.remoteHungUp, .failed("gone")])
    func aCallThatEndsByItselfIsNotWaitedFor(ending: CallEnding) async {
        let line = ScriptedLine(.init(endsAtLook: (15, ending)))
        let record = await flow(line).run()
        #expect(record.ending == ending)
        #expect(record.duration == .seconds(2))
        #expect(line.steps == wholeCall)
    }

    @Test(arguments: [
        (CallProblem.cannotReach("a"), CallEnding.cannotReach("a")), (.refused("b"), .refused("b")),
        (.failed("c"), .failed("c")), (.unusable("d"), .unusable("d")), (.cancelled, .interrupted),
    ])
    func whatFailsBeforeTheCallEndsIt(problem: CallProblem, ending: CallEnding) async {
        let scripts: [(ScriptedLine.Script, Int)] = [
            (.init(signInProblem: problem), 1), (.init(companyProblem: problem), 2),
            (.init(menuProblem: problem), 3), (.init(startProblem: problem), 4),
        ]
        for (script, steps) in scripts {
            let line = ScriptedLine(script)
            let record = await flow(line).run()
            #expect(record.ending == ending)
            #expect(record.duration == nil)
            #expect(line.steps == Array(wholeCall.prefix(steps)))
        }
    }

    @Test func anInterruptedCallIsHungUpAllTheSame() async {
        let line = ScriptedLine(.init())
        let flow = flow(line)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate {}
            return await flow.run()
        }
        line.cancel(task, atLook: 20)
        opener.finish()
        let record = await task.value
        #expect(record.ending == .interrupted)
        #expect(record.duration == .seconds(3))
        #expect(line.steps == wholeCall)
    }

    @Test func theProgressIsShownFromTheStartOn() async {
        let shown = Shown()
        _ = await flow(ScriptedLine(.init())) { line in shown.add(line) }.run()
        #expect(shown.lines.first == ProgressLine(elapsed: .zero, status: "waiting"))
        #expect(shown.lines.last?.status == "connected")
        #expect(shown.lines.count == 5 + 50)
    }
}

private final class Shown: Sendable {
    private let all = Mutex<[ProgressLine]>([])
    var lines: [ProgressLine] { all.withLock { $0 } }
    func add(_ line: ProgressLine) { all.withLock { $0.append(line) } }
}
