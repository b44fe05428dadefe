import AllocationCounter
import AudioCodecs
import MediaTime
import Testing

/// A vowel of a low voice: harmonics of 125 Hz, louder and softer.
private func makeVoice(samples count: Int) -> [Int16] {
    (0..<count).map { index in
        let time = Double(index) / 48_000
        var value = 0.0
        for harmonic in 1...12 {
            value += sine(time * 125 * Double(harmonic)) / Double(harmonic)
        }
        return Int16(value * 5_000 * (1 + 0.5 * sine(time * 3)))
    }
}

/// sin(2πx), by Bhaskara's approximation: good to 0.2 %, and needs no library.
private func sine(_ turns: Double) -> Double {
    let phase = turns - turns.rounded(.down)
    let half = phase < 0.5 ? phase * 2 : phase * 2 - 1
    let degrees = half * 180
    let value = 4 * degrees * (180 - degrees) / (40_500 - degrees * (180 - degrees))
    return phase < 0.5 ? value : -value
}

/// The best correlation of `heard` with `said` over delays up to 20 ms, `-1...1`.
private func likeness(_ said: ArraySlice<Int16>, _ heard: ArraySlice<Int16>) -> Double {
    var best = -1.0
    let length = said.count - 960
    for delay in stride(from: 0, to: 960, by: 4) {
        var product = 0.0
        var saidEnergy = 1.0
        var heardEnergy = 1.0
        for index in stride(from: 0, to: length, by: 3) {
            let a = Double(said[said.startIndex + index])
            let b = Double(heard[heard.startIndex + index + delay])
            product += a * b
            saidEnergy += a * a
            heardEnergy += b * b
        }
        best = max(best, product / (saidEnergy * heardEnergy).squareRoot())
    }
    return best
}

private struct Line: ~Copyable {
    var encoder: AudioEncoder
    var decoder: AudioDecoder

    init(_ format: AudioFormat, opus: OpusEncoderConfiguration = .init()) throws {
        let encoder = try AudioEncoder(format, opus: opus)
        let decoder = try AudioDecoder(format)
        self.encoder = encoder
        self.decoder = decoder
    }

    mutating func encode(_ samples: ArraySlice<Int16>) throws -> [UInt8] {
        var payload = [UInt8](repeating: 0, count: 1_500)
        var span = payload.mutableSpan
        let length = try encoder.encode(Array(samples).span, into: &span)
        return Array(payload.prefix(length))
    }

    mutating func decode(_ packet: [UInt8]) throws -> [Int16] {
        var memory = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        var span = memory.mutableSpan
        let count = try decoder.decode(packet.span, into: &span)
        return Array(memory.prefix(count))
    }

    mutating func conceal(_ count: Int) throws -> [Int16] {
        var memory = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        var span = memory.mutableSpan
        let made = try decoder.conceal(count: count, into: &span)
        return Array(memory.prefix(made))
    }

    mutating func recover(from packet: [UInt8], count: Int) throws -> [Int16] {
        var memory = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        var span = memory.mutableSpan
        let made = try decoder.recover(from: packet.span, count: count, into: &span)
        return Array(memory.prefix(made))
    }
}

@Suite struct AudioCodecTests {
    @Test(
        arguments: [AudioFormat.opus, .pcmu, .pcma], [480, 960, 1_920, 2_880])
    func speechComesOutAsItWentIn(format: AudioFormat, packetSamples: Int) throws {
        var line = try Line(format)
        let said = makeVoice(samples: 48_000)
        var heard: [Int16] = []
        for start in stride(from: 0, to: said.count - packetSamples + 1, by: packetSamples) {
            let packet = try line.encode(said[start..<(start + packetSamples)])
            #expect(format.samples(in: packet.span) == packetSamples)
            heard += try line.decode(packet)
        }
        #expect(abs(heard.count - said.count) <= packetSamples)
        // Opus' speech mode filters below 60 Hz and models the rest, so its wave differs more than its sound.
        #expect(likeness(said[24_000..<33_600], heard[24_000..<33_600]) > (format == .opus ? 0.7 : 0.95))
    }

    @Test(arguments: [AudioFormat.opus, .pcmu, .pcma], [960, 1_920, 2_880])
    func aLossIsConcealedForExactlyItsLength(format: AudioFormat, packetSamples: Int) throws {
        var line = try Line(format)
        let said = makeVoice(samples: 20 * packetSamples)
        for start in stride(from: 0, to: said.count, by: packetSamples) {
            _ = try line.decode(try line.encode(said[start..<(start + packetSamples)]))
        }
        let made = try line.conceal(packetSamples)
        #expect(made.count == packetSamples)
        #expect(made.prefix(480).contains { abs(Int($0)) > 500 })
    }

    @Test func pitchRepetitionGoesOnWithTheVowelAndThenFallsSilent() throws {
        var line = try Line(.pcmu)
        let said = makeVoice(samples: 48_000)
        for start in stride(from: 0, to: 24_000, by: 960) {
            _ = try line.decode(try line.encode(said[start..<(start + 960)]))
        }
        var made: [Int16] = []
        for _ in 0..<5 { made += try line.conceal(960) }
        // The concealment starts where the last packet ended; the resampler's delay is inside the search.
        #expect(likeness(said[24_000..<25_440], made[0..<1_440]) > 0.9)
        #expect(made.suffix(960).allSatisfy { abs(Int($0)) <= 8 })
    }

    @Test func aLostPacketIsRestoredFromItsSuccessorBetterThanItIsMadeUp() throws {
        let configuration = OpusEncoderConfiguration(expectedLossPercentage: 25)
        var restoring = try Line(.opus, opus: configuration)
        var concealing = try Line(.opus, opus: configuration)
        // Two vowels: at the change, what comes next can't be guessed.
        let first = makeVoice(samples: 48_000)
        let said =
            first.prefix(24_000)
            + makeVoice(samples: 60_000).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let lost = 24_960
        var restored: [Int16] = []
        var concealed: [Int16] = []
        var packets: [[UInt8]] = []
        for start in stride(from: 0, to: 30_720, by: 960) {
            packets.append(try restoring.encode(said[start..<(start + 960)]))
        }
        for (number, packet) in packets.enumerated() {
            if number * 960 == lost {
                restored += try restoring.recover(from: packets[number + 1], count: 960)
                concealed += try concealing.conceal(960)
            } else {
                restored += try restoring.decode(packet)
                concealed += try concealing.decode(packet)
            }
        }
        let here = lost..<(lost + 1_920)
        #expect(likeness(said[here], restored[here]) > likeness(said[here], concealed[here]))
    }

    @Test func silenceIsPausedWhenDiscontinuousTransmissionIsOn() throws {
        var line = try Line(.opus, opus: .init(usesDiscontinuousTransmission: true))
        let silence = [Int16](repeating: 0, count: 960)
        let lengths = try (0..<100).map { _ in try line.encode(silence[...]).count }
        #expect(lengths.suffix(50).filter { $0 <= 2 }.count > 40)
    }

    @Test(arguments: [[0xF8] as [UInt8], [0x48]])
    func aPacketOfOneOctetIsAPauseAndNoError(packet: [UInt8]) throws {
        var line = try Line(.opus)
        #expect(AudioFormat.opus.samples(in: packet.span) == 960)
        #expect(try line.decode(packet).count == 960)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func anyOctetsDecodeOrAreRefused(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for format in [AudioFormat.opus, .pcmu, .pcma] {
            var line = try Line(format)
            for _ in 0..<20 {
                let packet = (0..<Int.random(in: 0...1_400, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let claimed = format.samples(in: packet.span)
                let decoded = try? line.decode(packet)
                if let decoded, let claimed { #expect(abs(decoded.count - claimed) <= 6) }
                let recovered = try? line.recover(from: packet, count: 960)
                #expect((recovered?.count ?? 960) == 960)
            }
        }
    }

    @Test(.enabled(if: allocation_counting_is_available()), arguments: [AudioFormat.opus, .pcmu, .pcma])
    func codingDoesNotAllocateOrLock(format: AudioFormat) throws {
        var encoder = try AudioEncoder(format, opus: .init())
        var decoder = try AudioDecoder(format)
        let said = makeVoice(samples: 960)
        var payload = [UInt8](repeating: 0, count: 1_500)
        var heard = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        var octets = payload.mutableSpan
        var samples = heard.mutableSpan
        var counts = (allocations: UInt64(0), locks: UInt64(0))
        for pass in 0..<60 {
            if pass == 10 { counts = (allocation_count(), lock_count()) }
            let length = try encoder.encode(said.span, into: &octets)
            let packet = octets.span.extracting(0..<length)
            _ = try decoder.decode(packet, into: &samples)
            _ = try decoder.conceal(count: 960, into: &samples)
            _ = try decoder.recover(from: packet, count: 960, into: &samples)
        }
        let spent = (allocation_count() - counts.allocations, lock_count() - counts.locks)
        #expect(spent == (0, 0))
    }
}
