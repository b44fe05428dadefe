import AudioFiles
import Foundation
import Testing

@Suite struct StereoRecordingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func tenMilliseconds(of value: Int16) -> [Int16] { [Int16](repeating: value, count: 480) }

    @Test func oursIsLeftAndTheirsIsRight() throws {
        let path = directory.file("call.wav")
        var recording = try StereoRecording(path: path)
        for value in 0..<100 as Range<Int16> {
            try recording.append(
                left: tenMilliseconds(of: value).span, right: tenMilliseconds(of: -value).span)
        }
        #expect(recording.frames == 48_000)
        try recording.finish()
        let channels = try readChannels(at: path)
        #expect(channels[0] == (0..<48_000).map { Int16($0 / 480) })
        #expect(channels[1] == (0..<48_000).map { -Int16($0 / 480) })
    }

    @Test func theHeaderSaysSixteenBitStereoAtFortyEightKilohertz() throws {
        let path = directory.file("call.wav")
        let recording = try StereoRecording(path: path)
        try recording.finish()
        let header = try bytes(of: path)
        #expect(Array(header[0..<4]) == Array("RIFF".utf8))
        #expect(Array(header[22..<24]) == [2, 0])
        #expect(Array(header[24..<28]) == [0x80, 0xBB, 0, 0])
        #expect(Array(header[34..<36]) == [16, 0])
    }

    /// A killed process leaves what the system has: the same as a copy made in mid-recording.
    @Test func theFileIsWholeAfterEachAppend() throws {
        let path = directory.file("call.wav")
        let copy = directory.file("copy.wav")
        var recording = try StereoRecording(path: path)
        for count in 1...50 {
            try recording.append(left: tenMilliseconds(of: 7).span, right: tenMilliseconds(of: 9).span)
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let channels = try readChannels(at: copy)
            #expect(
                channels == [
                    [Int16](repeating: 7, count: 480 * count), [Int16](repeating: 9, count: 480 * count),
                ])
        }
        try recording.finish()
    }

    @Test func aRecordingGivenUpIsStillWhole() throws {
        let path = directory.file("call.wav")
        do {
            var recording = try StereoRecording(path: path)
            try recording.append(left: tenMilliseconds(of: 1).span, right: tenMilliseconds(of: 2).span)
        }
        #expect(try readChannels(at: path)[1] == tenMilliseconds(of: 2))
    }

    @Test func atTheLimitItStopsWithAWholeFile() throws {
        let path = directory.file("call.wav")
        var recording = try StereoRecording(path: path, maximumFrames: 1_000)
        try recording.append(left: tenMilliseconds(of: 1).span, right: tenMilliseconds(of: 2).span)
        try recording.append(left: tenMilliseconds(of: 1).span, right: tenMilliseconds(of: 2).span)
        for _ in 0..<2 {
            #expect(throws: AudioFileError.recordingIsFull(path: path, maximum: .zero)) {
                try recording.append(left: tenMilliseconds(of: 1).span, right: tenMilliseconds(of: 2).span)
            }
        }
        #expect(recording.frames == 1_000)
        try recording.finish()
        #expect(try readChannels(at: path)[0].count == 1_000)
    }

    @Test func theLimitIsWithinFourGibibytes() {
        let octets = StereoRecording.maximumFrames * 4 + 44
        #expect(octets <= Int(UInt32.max))
        #expect(StereoRecording.maximumFrames > 6 * 3_600 * 48_000)
    }

    @Test(arguments: ["/nonexistent/call.wav", "/proc/call.wav", "/", ""])
    func aPathThatCannotBeWrittenIsNamed(path: String) {
        var caught: AudioFileError?
        do throws(AudioFileError) {
            _ = try StereoRecording(path: path)
        } catch {
            caught = error
        }
        guard case .cannotCreate(path, _)? = caught else {
            Issue.record("\(String(describing: caught))")
            return
        }
    }

    @Test func aFullDiskIsATypedError() {
        var caught: AudioFileError?
        do throws(AudioFileError) {
            var recording = try StereoRecording(path: "/dev/full")
            try recording.append(left: tenMilliseconds(of: 1).span, right: tenMilliseconds(of: 2).span)
            try recording.finish()
        } catch {
            caught = error
        }
        #expect(caught?.description.contains("No space left on device") == true)
    }

    @Test func anOlderFileIsReplaced() throws {
        let path = directory.file("call.wav")
        try writeAudio([Int16](repeating: 5, count: 96_000), rate: 48_000, channels: 2, to: path)
        var recording = try StereoRecording(path: path)
        try recording.append(left: tenMilliseconds(of: 1).span, right: tenMilliseconds(of: 2).span)
        try recording.finish()
        #expect(try readChannels(at: path)[0].count == 480)
    }
}
