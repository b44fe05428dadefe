import SoundJudge
import Testing
import VoiceEngine
import voicecall

private func heard(milliseconds: Int) -> SoundActivity {
    var activity = SoundActivity()
    activity.activeDuration = .milliseconds(milliseconds)
    return activity
}

private let found = ExpectedSound(match: SoundMatch(lag: .seconds(1), similarity: 0.9, coverage: 1))
private let notFound = ExpectedSound(match: SoundMatch(lag: .seconds(1), similarity: 0.2, coverage: 0))

@Suite struct VerdictTests {
    @Test(
        arguments: [
            (CallEnding.hungUp, heard(milliseconds: 3_000), nil, Verdict.good),
            (.hungUp, heard(milliseconds: 3_000), found, .good),
            (.remoteHungUp, heard(milliseconds: 3_000), found, .good),
            (.hungUp, heard(milliseconds: 3_000), notFound, .unexpectedSound),
            (.hungUp, heard(milliseconds: 3_000), ExpectedSound(), .unexpectedSound),
            (.hungUp, heard(milliseconds: 0), nil, .silent),
            (.hungUp, heard(milliseconds: 190), found, .silent),
            (.hungUp, heard(milliseconds: 200), found, .good),
            (.hungUp, nil, nil, .silent),
            (.mediaMissing, nil, nil, .silent),
            (.remoteHungUp, nil, notFound, .silent),
            (.cannotReach("why"), nil, nil, .unreachable),
            (.refused("why"), nil, notFound, .refused),
            (.failed("why"), heard(milliseconds: 3_000), found, .failed),
            (.failed("why"), nil, nil, .failed),
            (.interrupted, heard(milliseconds: 3_000), found, .interrupted),
            (.interrupted, nil, nil, .interrupted),
            (.unusable("why"), nil, nil, .usage),
        ] as [(CallEnding, SoundActivity?, ExpectedSound?, Verdict)])
    func theSoundDecides(
        ending: CallEnding, heard: SoundActivity?, expectation: ExpectedSound?, verdict: Verdict
    ) {
        #expect(judge(ending: ending, heard: heard, expectation: expectation) == verdict)
    }

    @Test func exitCodesAreTheDocumentedOnes() {
        #expect(Verdict.allCases.map(\.exitCode) == [0, 2, 3, 4, 5, 6, 7, 130])
    }

    @Test(
        arguments: [
            (nil, nil, nil, 8), (Duration.seconds(1), nil, nil, 8), (.seconds(5), nil, nil, 11),
            (.seconds(5), .seconds(7), nil, 13), (nil, .seconds(7), nil, 13), (.seconds(100), nil, nil, 60),
            (.seconds(5), .seconds(5), .seconds(2), 2), (nil, nil, .seconds(3_600), 3_600),
        ] as [(Duration?, Duration?, Duration?, Int)])
    func itHangsUpWhenAllCanHaveBeenHeard(
        microphone: Duration?, expected: Duration?, maximum: Duration?, seconds: Int
    ) {
        let plan = HangUpPlan(microphone: microphone, expected: expected, maximum: maximum)
        #expect(plan.after == .seconds(seconds))
    }
}
