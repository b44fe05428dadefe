import AudioFiles
import CSndfile
import Foundation
import MediaTime
import Testing

@Suite struct BadFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func error(reading path: String, maximumDuration: Duration = .seconds(3600)) -> AudioFileError? {
        do throws(AudioFileError) {
            _ = try readAudio(at: path, maximumDuration: maximumDuration)
            return nil
        } catch {
            return error
        }
    }

    @Test func aMissingFileIsSaidToBeMissing() {
        let path = directory.file("none.wav")
        #expect(error(reading: path) == .missing(path: path))
    }

    @Test func aDirectoryIsSaidToBeOne() {
        #expect(error(reading: directory.path) == .isDirectory(path: directory.path))
    }

    @Test func aFileWithoutBytesIsEmpty() throws {
        let path = try directory.write([], to: "empty.wav")
        #expect(error(reading: path) == .empty(path: path))
    }

    @Test func aHeaderWithoutSoundIsEmpty() throws {
        let path = directory.file("header.wav")
        try writeAudio([], rate: 48_000, channels: 1, to: path)
        #expect(error(reading: path) == .empty(path: path))
    }

    @Test func aDeviceIsNoAudio() {
        guard case .notAudio? = error(reading: "/dev/zero") else {
            Issue.record("a device was read")
            return
        }
    }

    @Test(arguments: ["hello, world\n", "{\"a\": 1}", "RIFF", "fLaC", "OggS", "ID3\u{3}\u{0}"])
    func textIsNoAudio(text: String) throws {
        let path = try directory.write(Array(text.utf8), to: "text")
        guard case .notAudio? = error(reading: path) else {
            Issue.record("\(String(describing: error(reading: path)))")
            return
        }
    }

    @Test func aRateThatCannotBeConvertedIsNamed() throws {
        let path = directory.file("slow.wav")
        try writeAudio([1, 2, 3], rate: 10, channels: 1, to: path)
        let message = try #require(error(reading: path)).description
        #expect(message.contains("10 Hz"))
    }

    @Test func aFileLongerThanAllowedIsRefusedNotCut() throws {
        let path = directory.file("long.wav")
        try writeAudio([Int16](repeating: 0, count: 48_001), rate: 48_000, channels: 1, to: path)
        #expect(
            error(reading: path, maximumDuration: .seconds(1)) == .tooLong(path: path, maximum: .seconds(1)))
        #expect(error(reading: path, maximumDuration: .seconds(2)) == nil)
    }

    @Test func everyTruncationOfAWAVFileIsReadOrRefused() throws {
        let whole = directory.file("whole.wav")
        try writeAudio((0..<40).map { $0 * 100 }, rate: 48_000, channels: 1, to: whole)
        let content = try bytes(of: whole)
        for length in 0..<content.count {
            let path = try directory.write(Array(content[..<length]), to: "cut.wav")
            let failure = error(reading: path)
            guard length > 45 else {
                #expect(failure != nil, "\(length) octets hold no sample")
                continue
            }
            #expect(failure == nil)
            #expect(try readAudio(at: path).count == (length - 44) / 2)
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func damageNeverTraps(seed: UInt64) throws {
        let formats = [
            FileFormat("WAV", SF_FORMAT_WAV | SF_FORMAT_PCM_16, rate: 16_000, channels: 2, tolerance: 0),
            FileFormat("FLAC", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, rate: 16_000, channels: 1, tolerance: 0),
            FileFormat("Vorbis", SF_FORMAT_OGG | SF_FORMAT_VORBIS, rate: 16_000, channels: 1, tolerance: 0),
            FileFormat("Opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, rate: 16_000, channels: 1, tolerance: 0),
            FileFormat(
                "MP3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, rate: 16_000, channels: 1, tolerance: 0),
        ]
        let format = formats[Int(seed) % formats.count]
        let path = directory.file("sound")
        let tone = sine(
            frequency: 300, amplitude: 0.5, rate: 16_000, frames: 4_000, channels: format.channels)
        try write(tone, as: format, to: path)
        var content = try bytes(of: path)
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20 {
            content[Int.random(in: 0..<content.count, using: &generator)] = .random(
                in: 0...255, using: &generator)
        }
        content.removeLast(Int.random(in: 0..<content.count / 2, using: &generator))
        let damaged = try directory.write(content, to: "damaged")
        // Either way is right; what matters is that it comes back, and not with more than a minute out of a
        // quarter second.
        if let samples = try? readAudio(at: damaged, maximumDuration: .seconds(60)) {
            #expect(!samples.isEmpty && samples.count <= 60 * 48_000)
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func noiseIsNeverMistakenForALongFile(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let noise = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let path = try directory.write(noise, to: "noise")
        #expect(error(reading: path, maximumDuration: .seconds(60)) != nil)
    }

    @Test(arguments: [
        (AudioFileError.missing(path: "/a b"), "check the path"),
        (.isDirectory(path: "/a b"), "name an audio file"),
        (.cannotOpen(path: "/a b", reason: "why"), "may read it"), (.empty(path: "/a b"), "isn't empty"),
        (.notAudio(path: "/a b", reason: "why"), "use WAV"),
        (.damaged(path: "/a b", position: .seconds(1), reason: "why"), "make the file again"),
        (.tooLong(path: "/a b", maximum: .seconds(1)), "cut it"),
        (.cannotCreate(path: "/a b", reason: "why"), "lets you write"),
        (.writeFailed(path: "/a b", reason: "why"), "readable"),
        (.recordingIsFull(path: "/a b", maximum: .seconds(1)), "another file"),
    ])
    func eachErrorNamesTheFileAndSaysWhatToDo(error: AudioFileError, advice: String) {
        #expect(error.description.contains("/a b"))
        #expect(error.description.contains(advice))
    }
}
