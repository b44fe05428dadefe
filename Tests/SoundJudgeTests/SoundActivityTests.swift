import SoundJudge
import Testing

@Suite struct SoundActivityTests {
    private func tone(milliseconds: Int, amplitude: Int = 3_277) -> [Int16] {
        (0..<milliseconds * 48).map { Int16($0 / 24 % 2 == 0 ? amplitude : -amplitude) }
    }

    @Test func soundIsMeasuredWhereItIs() throws {
        let recording =
            silence(seconds: 0.5) + tone(milliseconds: 200) + silence(seconds: 1) + tone(milliseconds: 300)
        let activity = soundActivity(of: recording.span)
        #expect(activity.activeShare == 0.25)
        #expect(activity.activeDuration == .milliseconds(500))
        #expect(activity.begin == .milliseconds(500))
        #expect(activity.end == .seconds(2))
        #expect(activity.longestSilence == .seconds(1))
        #expect(abs(try #require(activity.level) + 20) < 0.01)
    }

    @Test func silenceAtTheEndCountsAsSilence() {
        let recording = tone(milliseconds: 100) + silence(seconds: 3)
        let activity = soundActivity(of: recording.span)
        #expect(activity.longestSilence == .seconds(3))
    }

    @Test func noiseBelowTheGateIsSilence() {
        let recording = tone(milliseconds: 500, amplitude: 32)
        let activity = soundActivity(of: recording.span)
        var expected = SoundActivity()
        expected.longestSilence = .milliseconds(500)
        #expect(activity == expected)
    }

    @Test func anEmptyRecordingMeasuresNothing() {
        let empty: [Int16] = []
        let activity = soundActivity(of: empty.span)
        #expect(activity == SoundActivity())
    }
}
