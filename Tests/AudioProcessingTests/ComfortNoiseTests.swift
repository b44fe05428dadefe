import AudioFiles
import AudioProcessing
import Foundation
import MediaTime
import Testing

private let project = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// White noise of a given root mean square, through `y[n] = x[n] + pole · y[n - 1]`.
private func noise(_ rootMeanSquare: Double, pole: Double = 0, count: Int, seed: UInt64 = 1) -> [Int16] {
    var random = SplitMix64(seed: seed)
    var last = 0.0
    let peak = rootMeanSquare * (3 * (1 - pole * pole)).squareRoot()
    return (0..<count).map { _ in
        last = Double.random(in: -peak...peak, using: &random) + pole * last
        return Int16(last.rounded())
    }
}

private func shape(of samples: [Int16]) -> NoiseShape {
    var analyzer = NoiseAnalyzer()
    for start in stride(from: 0, to: samples.count - 79, by: 80) {
        analyzer.add(samples.span.extracting(start..<(start + 80)))
    }
    return analyzer.shape
}

private func generate(_ shape: NoiseShape, count: Int) -> [Int16] {
    var generator = NoiseGenerator(seed: 7)
    generator.setShape(shape)
    var samples = [Int16](repeating: 0, count: count)
    var span = samples.mutableSpan
    generator.generate(into: &span)
    return samples
}

/// The correlation of neighbours: 1 is a rumble, 0 white, -1 a hiss.
private func colour(_ samples: ArraySlice<Int16>) -> Double {
    var product = 0.0
    var energy = 1.0
    for index in samples.indices.dropFirst() {
        product += Double(samples[index]) * Double(samples[index - 1])
        energy += Double(samples[index]) * Double(samples[index])
    }
    return product / energy
}

@Suite("Comfort noise sounds like the background")
struct ComfortNoiseTests {
    @Test(arguments: [-0.9, 0, 0.5, 0.9], [20.0, 300])
    func whatIsMadeHasThePowerAndColourOfWhatWasHeard(pole: Double, level: Double) {
        let heard = noise(level, pole: pole, count: 8_000)
        let made = generate(shape(of: heard), count: 16_000)[8_000...]
        let ratio = rootMeanSquare(made) / rootMeanSquare(heard[...])
        #expect(ratio > 0.75 && ratio < 1.33)
        #expect(abs(colour(made) - colour(heard[...])) < 0.1)
    }

    @Test func silenceIsSilent() {
        let made = generate(shape(of: [Int16](repeating: 0, count: 800)), count: 800)
        #expect(made.allSatisfy { $0 == 0 })
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func noCoefficientsMakeItRunAway(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var shape = NoiseShape(
            meanSquare: 1e6, order: .random(in: -3...20, using: &random),
            reflection: [
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ])
        var generator = NoiseGenerator(seed: seed)
        var samples = [Int16](repeating: 0, count: 800)
        for round in 0..<20 {
            for index in 0..<12 {
                shape.reflection[index] = [-1.5, -1, -0.9999, 0.5, 0.9999, 1, 1.5].randomElement(
                    using: &random)!
            }
            if round == 19 { shape = NoiseShape(meanSquare: 100, order: 0, reflection: shape.reflection) }
            generator.setShape(shape)
            var span = samples.mutableSpan
            generator.generate(into: &span)
        }
        #expect(rootMeanSquare(samples.suffix(80)) < 100)
    }

    @Test func aStepOfLevelIsNoClick() {
        var generator = NoiseGenerator(seed: 1)
        generator.setShape(NoiseShape(meanSquare: 1e6, order: 0, reflection: InlineArray(repeating: 0)))
        var samples = [Int16](repeating: 0, count: 80)
        var span = samples.mutableSpan
        generator.generate(into: &span)
        #expect(samples.prefix(8).allSatisfy { abs(Int($0)) < 100 })
    }
}

@Suite("Speech is told from pauses")
struct SpeechDetectorTests {
    /// For each 10 ms of `samples` at 8 kHz, whether they were taken for speech.
    private static func decisions(_ samples: [Int16]) -> [Bool] {
        var detector = SpeechDetector()
        return stride(from: 0, to: samples.count - 79, by: 80).map { start in
            detector.isSpeech(in: samples.span.extracting(start..<(start + 80)))
        }
    }

    private static func sentence() throws -> [Int16] {
        let wide = try readChannels(at: project.appendingPathComponent("samples/sounds/sentence.flac").path)[
            0]
        var resampler = try Resampler(from: 48_000, to: 8_000)
        var narrow = [Int16](repeating: 0, count: wide.count / 6)
        var span = narrow.mutableSpan
        _ = resampler.process(wide.span, into: &span)
        return narrow
    }

    @Test(arguments: [0.0, 30])
    func loudSpeechIsNeverMissedAndAPauseIsNoticed(background: Double) throws {
        let speech = try Self.sentence()
        let pause = [Int16](repeating: 0, count: 24_000)
        let clean = pause + speech + pause
        let hiss = noise(max(background, 0.5), count: clean.count)
        let decisions = Self.decisions(zip(clean, hiss).map { Int16(clamping: Int($0) + Int($1)) })
        var missed = 0
        for (index, isSpeech) in decisions.enumerated() where !isSpeech {
            if rootMeanSquare(clean[(index * 80)..<(index * 80 + 80)]) > 500 { missed += 1 }
        }
        #expect(missed == 0)
        // The sentence ends in a breath of its own.
        #expect(decisions.suffix(200).allSatisfy { !$0 })
    }

    @Test(arguments: [3.0, 30, 60])
    func aSteadyBackgroundIsNoSpeechAndOneThatRisesIsNoneAfterFourSeconds(level: Double) {
        let steady = Self.decisions(noise(level, count: 80_000))
        #expect(steady.allSatisfy { !$0 })
        let risen = Self.decisions(noise(level, count: 80_000) + noise(3 * level, count: 80_000))
        #expect(risen.suffix(500).allSatisfy { !$0 })
    }

    @Test func whatIsLoudIsSpeechHoweverSteady() {
        let tone = (0..<80_000).map { Int16($0 % 8 < 4 ? 1_000 : -1_000) }
        #expect(Self.decisions(tone).allSatisfy { $0 })
        #expect(Self.decisions(noise(1_000, count: 80_000)).allSatisfy { $0 })
    }
}
