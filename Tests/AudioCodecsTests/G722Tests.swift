import AudioCodecs
import Testing

/// The sine of `frequency` Hz at 48 kHz, by rotation: no library of functions is needed.
private func sine(_ frequency: Double, samples: Int, amplitude: Double = 8_000) -> [Int16] {
    // A small step's cosine and sine by their series.
    let step = 2 * Double.pi * frequency / 48_000
    let (c, s) = (1 - step * step / 2 + step * step * step * step / 24, step - step * step * step / 6)
    var (x, y) = (1.0, 0.0)
    return (0..<samples).map { _ in
        defer {
            (x, y) = (x * c - y * s, x * s + y * c)
            let length = (x * x + y * y).squareRoot()
            (x, y) = (x / length, y / length)
        }
        return Int16(amplitude * y)
    }
}

private func level(_ samples: some Sequence<Int16>) -> Double {
    let (sum, count) = samples.reduce((0.0, 0.0)) { ($0.0 + Double($1) * Double($1), $0.1 + 1) }
    return (sum / max(1, count)).squareRoot()
}

@Suite("G.722")
struct G722Tests {
    private static func throughCodec(_ sound: [Int16]) throws -> [Int16] {
        var encoder = try AudioEncoder(.g722, opus: OpusEncoderConfiguration())
        var decoder = try AudioDecoder(.g722)
        var heard: [Int16] = []
        for start in stride(from: 0, to: sound.count - 959, by: 960) {
            let packet = Array(sound[start..<(start + 960)])
            var payload = [UInt8](repeating: 0, count: 160)
            var room = payload.mutableSpan
            #expect(try encoder.encode(packet.span, into: &room) == 160)
            var samples = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
            var memory = samples.mutableSpan
            #expect(try decoder.decode(payload.span, into: &memory) == 960)
            heard += samples.prefix(960)
        }
        return heard
    }

    // What makes it wide band: 6 kHz comes through, which G.711 has no place for.
    @Test(arguments: [300, 1_000, 3_000, 6_000])
    func soundUpToSevenKilohertzComesThrough(frequency: Double) throws {
        let sound = sine(frequency, samples: 48_000)
        let heard = try Self.throughCodec(sound)
        let ratio = level(heard.dropFirst(9_600)) / level(sound)
        #expect(ratio > 0.8 && ratio < 1.2)
    }

    @Test func whatIsLostIsMadeUpAndFadesAway() throws {
        var encoder = try AudioEncoder(.g722, opus: OpusEncoderConfiguration())
        var decoder = try AudioDecoder(.g722)
        let sound = sine(150, samples: 960 * 10)
        var samples = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        for start in stride(from: 0, to: sound.count, by: 960) {
            var payload = [UInt8](repeating: 0, count: 160)
            var room = payload.mutableSpan
            _ = try encoder.encode(Array(sound[start..<(start + 960)]).span, into: &room)
            var memory = samples.mutableSpan
            _ = try decoder.decode(payload.span, into: &memory)
        }
        func conceal() throws -> Double {
            var memory = samples.mutableSpan
            #expect(try decoder.conceal(count: 960, into: &memory) == 960)
            return level(samples.prefix(960))
        }
        #expect(try conceal() > 2_500)
        for _ in 0..<3 { _ = try conceal() }
        #expect(try conceal() < 1)
    }
}
