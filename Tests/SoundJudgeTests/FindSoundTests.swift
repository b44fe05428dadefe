import SoundJudge
import Testing

/// A way that a sound is changed on its way through a call.
enum Path: CaseIterable, Sendable {
    case untouched, opus28, opus6, opus6Twice, opus28WithLoss, jumps, quietWithOffset, inNoise

    func apply(to call: [Int16]) -> [Int16] {
        switch self {
        case .untouched: call
        case .opus28: coded(call, bitrate: 28_000)
        case .opus6: coded(call, bitrate: 6_000)
        case .opus6Twice: coded(coded(call, bitrate: 6_000), bitrate: 6_000)
        case .opus28WithLoss: coded(call, bitrate: 28_000, lossPercent: 10)
        case .jumps: coded(withJumps(call, every: 0.9), bitrate: 28_000)
        case .quietWithOffset: scaled(call, by: 0.05, offset: 500)
        case .inNoise: mixed(call, noise(seed: 5, seconds: 10, amplitude: 1_300))
        }
    }
}

/// In arrays, since the testing macros don't take spans.
func match(of reference: [Int16], in recording: [Int16], rate: Int = 48_000) -> SoundMatch? {
    findSound(reference.span, in: recording.span, rate: rate)
}

@Suite struct FindSoundTests {
    private let sentence: [Int16]
    private let greeting: [Int16]

    init() throws {
        sentence = try recordedSpeech("sounds/sentence.flac")
        greeting = try recordedSpeech("platform/greeting.flac")
    }

    /// What a caller of the reference platform records: the greeting, then `sound` from 3.55 s on.
    private func call(with sound: [Int16]) -> [Int16] {
        silence(seconds: 0.3) + greeting + silence(seconds: 0.5) + sound + silence(seconds: 2)
    }

    @Test(arguments: Path.allCases)
    func recordedSpeechIsFoundThroughEveryPath(path: Path) throws {
        let recording = path.apply(to: call(with: sentence))
        let found = try #require(match(of: sentence, in: recording))
        #expect(found.isFound)
        #expect(found.similarity > 0.7)
        #expect(found.coverage > 0.9)
        #expect(abs(found.lag / .milliseconds(1) - 3_550) < 65)
    }

    @Test(arguments: Path.allCases)
    func syntheticSpeechIsFoundThroughEveryPath(path: Path) throws {
        let sound = syntheticSpeech(seed: 3, seconds: 4)
        let recording = path.apply(to: call(with: sound))
        let found = try #require(match(of: sound, in: recording))
        #expect(found.isFound)
        #expect(found.similarity > 0.5)
        #expect(abs(found.lag / .milliseconds(1) - 3_550) < 65)
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func otherSyntheticSpeechIsNotTakenForIt(seed: UInt64) throws {
        let sound = syntheticSpeech(seed: 100 + seed, seconds: 4)
        let recording = coded(call(with: syntheticSpeech(seed: 200 + seed, seconds: 5)), bitrate: 28_000)
        let found = try #require(match(of: sound, in: recording))
        #expect(!found.isFound)
        #expect(found.similarity < 0.25)
    }

    @Test func anotherVoiceIsNotTakenForIt() throws {
        let recording = coded(call(with: greeting), bitrate: 28_000)
        let found = try #require(match(of: sentence, in: recording))
        #expect(!found.isFound)
        #expect(found.similarity < 0.3)
        let other = coded(silence(seconds: 1) + sentence, bitrate: 28_000)
        let greetingMatch = try #require(match(of: greeting, in: other))
        #expect(!greetingMatch.isFound)
        #expect(greetingMatch.similarity < 0.3)
    }

    @Test func speechBackwardsIsNotTakenForIt() throws {
        let recording = call(with: sentence.reversed())
        let found = try #require(match(of: sentence, in: recording))
        #expect(!found.isFound)
        #expect(found.similarity < 0.3)
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func noiseIsNotTakenForIt(seed: UInt64) throws {
        let recording = noise(seed: seed, seconds: 8)
        let found = try #require(match(of: sentence, in: recording))
        #expect(!found.isFound)
        #expect(found.similarity < 0.2)
    }

    @Test func theSoundTurnedUpsideDownIsTheSameSound() throws {
        let recording = call(with: scaled(sentence, by: -1))
        #expect(try #require(match(of: sentence, in: recording)).similarity > 0.95)
    }

    @Test func itsPlaceIsExactToAMillisecondWhenNothingMovesIt() throws {
        for delay in [0, 0.012_3, 1.234_5, 4] {
            let recording = silence(seconds: delay) + sentence
            let found = try #require(match(of: sentence, in: recording))
            #expect(abs(found.lag / .seconds(1) - delay) < 0.001)
        }
    }

    @Test func coverageSaysHowMuchOfItCame() throws {
        let half = silence(seconds: 1) + sentence.prefix(sentence.count / 2)
        let found = try #require(match(of: sentence, in: half))
        #expect((0.3...0.7).contains(found.coverage))
        let hardlyAny = silence(seconds: 1) + sentence.prefix(sentence.count / 5) + silence(seconds: 6)
        let less = try #require(match(of: sentence, in: hardlyAny))
        #expect(!less.isFound)
    }

    @Test func withoutSoundThereIsNoMatch() {
        let empty: [Int16] = []
        let quiet = silence(seconds: 2)
        let inQuiet = match(of: sentence, in: quiet)
        let inNothing = match(of: sentence, in: empty)
        let ofQuiet = match(of: quiet, in: sentence)
        let ofNothing = match(of: empty, in: sentence)
        #expect(inQuiet == nil && inNothing == nil && ofQuiet == nil && ofNothing == nil)
    }

    @Test(arguments: [1, 100, 480, 5_000, 20_000])
    func fragmentsOfAnyLengthDoNotTrap(count: Int) {
        let fragment = Array(sentence[48_000..<48_000 + count])
        _ = match(of: fragment, in: sentence)
        _ = match(of: sentence, in: fragment)
        _ = match(of: fragment, in: fragment)
    }

    @Test func aRateThatCannotBeConvertedGivesNoMatch() {
        #expect(match(of: sentence, in: sentence, rate: 0) == nil)
    }
}
