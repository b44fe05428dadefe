import MediaTime
import RTP
import Testing

@Suite("The comfort-noise payload, RFC 3389 §3")
struct ComfortNoiseTests {
    /// What ffmpeg 5.1's encoder makes of brown noise at -34 dBov.
    private static let rumble = octets("23 01 7a 86 84 7e 93 7b 78 86 79")

    private static func written(_ noise: ComfortNoise) -> [UInt8] {
        datagram(capacity: ComfortNoise.maximumLength) { noise.serialize(into: &$0) }
    }

    @Test func levelAndCoefficientsReadAsTheyWereWrittenByAnother() throws {
        let noise = try ComfortNoise(parsing: Self.rumble.span)
        #expect(noise.level == 35)
        #expect(noise.order == 10)
        #expect(noise.reflection[0] == -126 * 258.0 / 32_768)
        #expect(noise.reflection[9] == -6 * 258.0 / 32_768)
        #expect(Self.written(noise) == Self.rumble)
    }

    @Test func aLevelAloneIsWhiteNoise() throws {
        let noise = try ComfortNoise(parsing: octets("40").span)
        #expect(noise.level == 64 && noise.order == 0)
        #expect(Self.written(noise) == octets("40"))
    }

    @Test func nothingIsNoNoise() {
        #expect(throws: ComfortNoiseParseError.empty) { try ComfortNoise(parsing: octets("").span) }
    }

    @Test func theUnusedBitIsIgnoredAndALongModelIsCutShort() throws {
        let long = [0x80 | 30] + [UInt8](repeating: 127, count: 40)
        let noise = try ComfortNoise(parsing: long.span)
        #expect(noise.level == 30 && noise.order == ComfortNoise.maximumOrder)
    }

    @Test func everyNumberButTheOneThatIsNoneComesBack() throws {
        for number in UInt8.min...UInt8.max {
            let noise = try ComfortNoise(parsing: [10, number].span)
            #expect(abs(noise.reflection[0]) < 1)
            #expect(Self.written(noise) == [10, min(number, 254)])
        }
    }
}
