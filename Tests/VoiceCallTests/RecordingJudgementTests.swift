import AudioFiles
import Foundation
import SoundJudge
import Testing
import voicecall

@Suite struct RecordingJudgementTests {
    private let sentence: [Int16]

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        sentence = try readAudio(at: root.appendingPathComponent("samples/sounds/sentence.flac").path)
    }

    /// A recording with the sentence on either side, so many seconds after its begin.
    private func judgement(sentAfter: Double?, heardAfter: Double?, expecting: Bool = true) throws
        -> RecordingJudgement
    {
        let path = NSTemporaryDirectory() + "/judgement-" + UUID().uuidString + ".wav"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var frames = [Int16](repeating: 0, count: 2 * 48_000 * 8)
        for (channel, seconds) in [(0, sentAfter), (1, heardAfter)] {
            guard let seconds else { continue }
            for (index, sample) in sentence.enumerated() {
                frames[2 * (Int(seconds * 48_000) + index) + channel] = sample / 2
            }
        }
        try writeAudio(frames, rate: 48_000, channels: 2, to: path)
        return RecordingJudgement(ofRecordingAt: path, expecting: expecting ? sentence : nil)
    }

    @Test func theDelayIsFromOursToTheirs() throws {
        let judgement = try judgement(sentAfter: 0.5, heardAfter: 1.75)
        let expectation = try #require(judgement.expectation)
        #expect(expectation.isFound)
        #expect(abs(try #require(expectation.delay) / .seconds(1) - 1.25) < 0.002)
        #expect(abs(try #require(expectation.match?.lag) / .seconds(1) - 1.75) < 0.002)
        #expect(try #require(judgement.heard).activeDuration > .seconds(3))
    }

    @Test func aSoundThatWeDidNotSayHasNoDelay() throws {
        let expectation = try #require(try judgement(sentAfter: nil, heardAfter: 1).expectation)
        #expect(expectation.isFound)
        #expect(expectation.delay == nil)
    }

    @Test func ourOwnSideIsNotTakenForTheirs() throws {
        let judgement = try judgement(sentAfter: 0.5, heardAfter: nil)
        #expect(judgement.expectation == ExpectedSound())
        #expect(judgement.heard?.activeDuration == .zero)
        #expect(judge(ending: .hungUp, heard: judgement.heard, expectation: judgement.expectation) == .silent)
    }

    @Test func nothingExpectedIsNotSearchedFor() throws {
        #expect(try judgement(sentAfter: 0.5, heardAfter: 1, expecting: false).expectation == nil)
    }

    @Test func aMissingRecordingMeansThatNothingWasHeard() {
        let judgement = RecordingJudgement(ofRecordingAt: "/nonexistent/call.wav", expecting: sentence)
        #expect(judgement.heard == nil)
        #expect(judgement.expectation == ExpectedSound())
    }
}
