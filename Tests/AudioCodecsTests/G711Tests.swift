import AudioCodecs
import Testing

@Suite("G.711, ITU-T G.711 tables 1 and 2")
struct G711Tests {
    /// The ends of the tables, zero on both sides, and the first values of segments.
    static let muLaw: [(UInt8, Int)] = [
        (0x80, 32_124), (0x00, -32_124), (0xFF, 0), (0x7F, 0), (0xFE, 8), (0xEF, 132), (0x8F, 16_764),
    ]
    static let aLaw: [(UInt8, Int)] = [
        (0xAA, 32_256), (0x2A, -32_256), (0xD5, 8), (0x55, -8), (0xD4, 24), (0xC5, 264), (0xBA, 16_128),
    ]

    @Test(arguments: muLaw)
    func decodesTheMuLawTable(octet: UInt8, sample: Int) { #expect(Int(G711Law.mu.decode(octet)) == sample) }

    @Test(arguments: aLaw)
    func decodesTheALawTable(octet: UInt8, sample: Int) { #expect(Int(G711Law.a.decode(octet)) == sample) }

    @Test(arguments: [G711Law.mu, .a])
    func everyOctetSurvivesDecodingAndEncoding(law: G711Law) {
        for octet in UInt8.min...UInt8.max {
            // Both µ-law zeros decode to 0, which encodes as the positive one.
            let expected: UInt8 = law == .mu && octet == 0x7F ? 0xFF : octet
            #expect(law.encode(law.decode(octet)) == expected)
        }
    }

    @Test(arguments: [G711Law.mu, .a])
    func everySampleIsCodedToTheNearestStep(law: G711Law) {
        for sample in Int16.min...Int16.max {
            let error = abs(Int(law.decode(law.encode(sample))) - Int(sample))
            // Half a step is at most a 33rd of the biased sample; the ends are clipped.
            #expect(error <= (abs(Int(sample)) + 132) / 32 + 4 || abs(Int(sample)) > 32_000)
        }
    }

    @Test(arguments: [AudioFormat.g722, .pcmu, .pcma])
    func aPacketOfAnyOddSizePlaysItsOwnLength(format: AudioFormat) throws {
        var decoder = try AudioDecoder(format)
        var memory = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        for size in [80, 240, 320, 33, 1, 960] {
            let payload = [UInt8](repeating: 0xD5, count: size)
            #expect(format.samples(in: payload.span) == size * 6)
            var samples = memory.mutableSpan
            let written = try decoder.decode(payload.span, into: &samples)
            #expect(abs(written - size * 6) <= 6)
        }
    }

    @Test(arguments: [0, 961, 5_000])
    func aPayloadOfNoPossibleLengthIsRefused(size: Int) throws {
        let payload = [UInt8](repeating: 0xD5, count: size)
        #expect(AudioFormat.pcmu.samples(in: payload.span) == nil)
        var decoder = try AudioDecoder(.pcmu)
        var memory = [Int16](repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
        var thrown: CodecError?
        do throws(CodecError) {
            var samples = memory.mutableSpan
            _ = try decoder.decode(payload.span, into: &samples)
        } catch { thrown = error }
        #expect(thrown == .unsupportedLength(size))
    }
}
