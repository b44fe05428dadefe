internal import CSndfile

/// A call's recording as it grows: WAV, 48 kHz, 16 bit, our side left and theirs right.
///
/// The header is true after each ``append(left:right:)``, so the file is readable at any moment, also if the
/// process is killed. Blocks while it writes; not for the media thread. One thread at a time.
package struct StereoRecording: ~Copyable, Sendable {
    /// What a WAV file can hold: its sizes are 32-bit octet counts, less room for the header.
    package static var maximumFrames: Int { (Int(UInt32.max) - 4_096) / 4 }

    /// Frames written so far; 48000 are a second.
    package private(set) var frames = 0
    private let maximumFrames: Int
    private let file: SoundFile
    private var interleaved: [Int16] = []

    /// - Parameters:
    ///   - path: The file; replaced if it exists.
    ///   - maximumFrames: Where the recording stops.
    /// - Throws: ``AudioFileError/cannotCreate(path:reason:)``, or
    ///   ``AudioFileError/writeFailed(path:reason:)`` on a full disk.
    package init(path: String, maximumFrames: Int = Self.maximumFrames) throws(AudioFileError) {
        let file = try SoundFile(
            writingTo: path, format: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16), rate: 48_000, channels: 2)
        file.keepHeaderTrue()
        try file.synchronize()
        self.file = consume file
        self.maximumFrames = min(maximumFrames, Self.maximumFrames)
    }

    /// Appends the same stretch of time of both sides.
    ///
    /// - Parameters:
    ///   - left: What we sent.
    ///   - right: What we played; as long as `left`.
    /// - Throws: ``AudioFileError/writeFailed(path:reason:)``, or
    ///   ``AudioFileError/recordingIsFull(path:maximum:)`` once what fits has been written. Stop recording
    ///   then; the file is whole.
    package mutating func append(left: Span<Int16>, right: Span<Int16>) throws(AudioFileError) {
        precondition(left.count == right.count, "both sides cover the same time")
        let count = min(left.count, maximumFrames - frames)
        interleaved.removeAll(keepingCapacity: true)
        for index in 0..<count {
            interleaved.append(left[index])
            interleaved.append(right[index])
        }
        try file.write(interleaved.span)
        frames += count
        guard count == left.count else {
            throw .recordingIsFull(path: file.path, maximum: .seconds(maximumFrames / 48_000))
        }
    }

    /// Closes the file.
    ///
    /// - Throws: ``AudioFileError/writeFailed(path:reason:)`` when the last of it could not be written.
    ///   Without this call the file is closed all the same, and a failure goes unseen.
    package consuming func finish() throws(AudioFileError) {
        try file.synchronize()
    }
}
