import AudioFiles
import CSndfile
import Foundation
import Testing

@Suite struct ReadingTests {
    private static let formats = [
        FileFormat("WAV 16", SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 48_000, channels: 1, tolerance: 0.000_1),
        FileFormat("WAV 8", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, rate: 8_000, channels: 2, tolerance: 0.02),
        FileFormat("WAV 24", SF_FORMAT_WAV | SF_FORMAT_PCM_24, rate: 44_100, channels: 2, tolerance: 0.003),
        FileFormat("WAV 32", SF_FORMAT_WAV | SF_FORMAT_PCM_32, rate: 96_000, channels: 1, tolerance: 0.003),
        FileFormat("WAV float", SF_FORMAT_WAV | SF_FORMAT_FLOAT, rate: 22_050, channels: 6, tolerance: 0.003),
        FileFormat(
            "WAV double", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, rate: 16_000, channels: 2, tolerance: 0.003),
        FileFormat("WAV µ-law", SF_FORMAT_WAV | SF_FORMAT_ULAW, rate: 8_000, channels: 1, tolerance: 0.03),
        FileFormat("WAVEX", SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, rate: 11_025, channels: 2, tolerance: 0.003),
        FileFormat("RF64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, rate: 48_000, channels: 2, tolerance: 0.000_1),
        FileFormat("AIFF", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, rate: 32_000, channels: 1, tolerance: 0.003),
        FileFormat("FLAC 16", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, rate: 44_100, channels: 2, tolerance: 0.003),
        FileFormat(
            "FLAC 24", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, rate: 192_000, channels: 1, tolerance: 0.003),
        FileFormat(
            "Ogg Vorbis", SF_FORMAT_OGG | SF_FORMAT_VORBIS, rate: 44_100, channels: 2, tolerance: 0.05),
        FileFormat("Ogg Opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, rate: 48_000, channels: 1, tolerance: 0.05),
        FileFormat("Ogg Opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, rate: 16_000, channels: 2, tolerance: 0.05),
        FileFormat(
            "MP3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, rate: 44_100, channels: 2, tolerance: 0.05),
        FileFormat(
            "MP3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, rate: 48_000, channels: 1, tolerance: 0.05),
    ]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: formats)
    func aSineComesBackInPlaceFromEveryFormat(format: FileFormat) throws {
        let path = directory.file("sine")
        let written = sine(
            frequency: 440, amplitude: 0.5, rate: format.rate, frames: format.rate, channels: format.channels)
        try write(written, as: format, to: path)
        let samples = try readAudio(at: path)
        #expect(abs(samples.count - 48_000) <= (format.name == "MP3" ? 2_400 : 1))
        let expected = sine(frequency: 440, amplitude: 0.5, rate: 48_000, frames: 48_000)
        let worst = (4_800..<43_200).map { abs(Double(samples[$0]) / 32_768 - Double(expected[$0])) }.max()
        #expect(try #require(worst) < format.tolerance)
    }

    @Test func sixteenBitsAtTheWantedRateComeBackBitForBit() throws {
        let samples: [Int16] = [0, 1, -1, 32_767, -32_768, 12_345, -12_345]
        try writeAudio(samples, rate: 48_000, channels: 1, to: directory.file("exact.wav"))
        #expect(try readAudio(at: directory.file("exact.wav")) == samples)
    }

    @Test func channelsAreMixedToTheirMean() throws {
        try writeAudio(
            [100, 300, -100, -300, 32_767, 32_767], rate: 48_000, channels: 2, to: directory.file("two.wav"))
        #expect(try readAudio(at: directory.file("two.wav")) == [200, -200, 32_767])
    }

    @Test func channelsCanBeReadApart() throws {
        try writeAudio([1, 2, 3, 4, 5, 6], rate: 48_000, channels: 2, to: directory.file("two.wav"))
        #expect(try readChannels(at: directory.file("two.wav")) == [[1, 3, 5], [2, 4, 6]])
    }

    @Test func floatsBeyondFullScaleClipAndNonsenseIsSilence() throws {
        let format = FileFormat("", SF_FORMAT_WAV | SF_FORMAT_FLOAT, rate: 48_000, channels: 1, tolerance: 0)
        let samples: [Float] = [0, 1, -1, 1.5, -1.5, 1e30, -1e30, .nan, .infinity, -.infinity]
        try write(samples, as: format, clipping: false, to: directory.file("loud.wav"))
        let expected: [Int16] = [0, 32_767, -32_768, 32_767, -32_768, 32_767, -32_768, 0, 32_767, -32_768]
        #expect(try readAudio(at: directory.file("loud.wav")) == expected)
    }

    @Test(arguments: [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000])
    func aChangedRateKeepsLengthAndTime(fileRate: Int) throws {
        var samples = [Int16](repeating: 0, count: fileRate)
        for offset in 0..<fileRate / 1_000 { samples[fileRate / 2 + offset] = 20_000 }
        try writeAudio(samples, rate: fileRate, channels: 1, to: directory.file("pulse.wav"))
        let read = try readAudio(at: directory.file("pulse.wav"))
        #expect(read.count == 48_000)
        let energy = read.reduce(0.0) { $0 + Double($1) * Double($1) }
        let moment = read.enumerated().reduce(0.0) {
            $0 + Double($1.offset) * Double($1.element) * Double($1.element)
        }
        #expect(abs(moment / energy - 24_024) < 6, "the centre of a pulse of 1 ms at 0.5 s")
    }

    @Test func theRateOfTheResultIsTheCallersChoice() throws {
        try writeAudio(
            [Int16](repeating: 0, count: 48_000), rate: 48_000, channels: 1, to: directory.file("s.wav"))
        #expect(try readAudio(at: directory.file("s.wav"), rate: 8_000).count == 8_000)
    }

    @Test func anOddRateEndsOnTheNearestSample() throws {
        try writeAudio(
            [Int16](repeating: 0, count: 1_000), rate: 44_100, channels: 1, to: directory.file("s.wav"))
        #expect(try readAudio(at: directory.file("s.wav")).count == 1_088)
    }
}
