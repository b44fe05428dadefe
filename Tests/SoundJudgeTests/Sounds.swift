import AudioFiles
import COpus
import Foundation
import MediaTime

/// The package's own recordings of speech.
func recordedSpeech(_ name: String) throws -> [Int16] {
    let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try readAudio(at: root.appendingPathComponent("samples/" + name).path)
}

/// Syllables of three resonances over a wandering pitch, some of noise, with pauses: speech-like, and another
/// for each seed.
func syntheticSpeech(seed: UInt64, seconds: Double) -> [Int16] {
    var generator = SplitMix64(seed: seed)
    func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    let count = Int(seconds * 48_000)
    var output: [Int16] = []
    output.reserveCapacity(count)
    while output.count < count {
        let length = Int(random(0.08...0.3) * 48_000)
        let isVoiced = random(0...1) < 0.75
        let pitch = random(90...240)
        let glide = random(-0.3...0.3)
        let loudness = random(1_000...6_000)
        var resonances = [random(250...850), random(900...2_200), random(2_300...3_400)].map(Resonance.init)
        var phase = 0.0
        for index in 0..<length {
            let progress = Double(index) / Double(length)
            phase += pitch * (1 + glide * progress) / 48_000
            var source = isVoiced ? 0 : random(-0.2...0.2)
            if isVoiced && phase >= 1 {
                source = 6
                phase -= 1
            }
            let voice = resonances.indices.reduce(0.0) { $0 + resonances[$1].output(for: source) }
            let fade = min(1, min(progress, 1 - progress) * 8)
            output.append(Int16(max(-32_768, min(32_767, voice * fade * loudness))))
        }
        if random(0...1) < 0.3 {
            output += [Int16](repeating: 0, count: Int(random(0.05...0.35) * 48_000))
        }
    }
    return Array(output[..<count])
}

/// A two-pole resonance of 90 Hz width.
private struct Resonance {
    private let first: Double
    private let second: Double
    private let gain: Double
    private var past = (0.0, 0.0)

    init(at frequency: Double) {
        let radius = exp(-Double.pi * 90 / 48_000)
        first = 2 * radius * cos(2 * Double.pi * frequency / 48_000)
        second = -radius * radius
        gain = sin(2 * Double.pi * frequency / 48_000)
    }

    mutating func output(for input: Double) -> Double {
        let value = gain * input + first * past.0 + second * past.1
        past = (value, past.0)
        return value
    }
}

func noise(seed: UInt64, seconds: Double, amplitude: Int = 3_000) -> [Int16] {
    var generator = SplitMix64(seed: seed)
    return (0..<Int(seconds * 48_000)).map { _ in
        Int16.random(in: Int16(-amplitude)...Int16(amplitude), using: &generator)
    }
}

func silence(seconds: Double) -> [Int16] { [Int16](repeating: 0, count: Int(seconds * 48_000)) }

func scaled(_ sound: [Int16], by gain: Double, offset: Double = 0) -> [Int16] {
    sound.map { Int16(max(-32_768, min(32_767, Double($0) * gain + offset))) }
}

func mixed(_ first: [Int16], _ second: [Int16]) -> [Int16] {
    (0..<max(first.count, second.count)).map { index in
        let left = index < first.count ? Int(first[index]) : 0
        let right = index < second.count ? Int(second[index]) : 0
        return Int16(max(-32_768, min(32_767, left + right)))
    }
}

/// `sound` through an Opus voice encoder and decoder in 20 ms packets, of which `lossPercent` don't come and
/// are concealed.
func coded(_ sound: [Int16], bitrate: Int32, lossPercent: Int = 0, seed: UInt64 = 1) -> [Int16] {
    var status: Int32 = 0
    guard
        let encoder = opus_encoder_create(48_000, 1, OPUS_APPLICATION_VOIP, &status),
        let decoder = opus_decoder_create(48_000, 1, &status)
    else { return [] }
    defer {
        opus_encoder_destroy(encoder)
        opus_decoder_destroy(decoder)
    }
    _ = copus_encoder_set_bitrate(encoder, bitrate)
    var generator = SplitMix64(seed: seed)
    var output: [Int16] = []
    var packet = [UInt8](repeating: 0, count: 1_500)
    var frame = [Int16](repeating: 0, count: 960)
    for start in stride(from: 0, to: sound.count - 959, by: 960) {
        let length = copus_encode(encoder, Array(sound[start..<start + 960]), 960, &packet, 1_500)
        let isLost = Int.random(in: 0..<100, using: &generator) < lossPercent
        _ = copus_decode(decoder, isLost ? nil : packet, isLost ? 0 : length, &frame, 960, 0)
        output += frame
    }
    return output
}

/// `sound` with a jump every `seconds`: 20 ms left out, or 20 ms doubled, as a jitter buffer does.
func withJumps(_ sound: [Int16], every seconds: Double) -> [Int16] {
    let stretch = Int(seconds * 48_000)
    var output: [Int16] = []
    for (index, start) in stride(from: 0, to: sound.count, by: stretch).enumerated() {
        let piece = sound[start..<min(start + stretch, sound.count)]
        output += index % 2 == 0 ? piece.dropFirst(960) : piece.prefix(960) + piece
    }
    return output
}
