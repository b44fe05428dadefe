internal import AudioFiles

/// Decoded audio in memory, ready for the media thread: 48 kHz, one channel.
public struct AudioClip: Hashable, Sendable {
    /// The samples, `-32768...32767`, 48000 a second.
    package let samples: [Int16]

    /// Reads and converts an audio file: WAV, FLAC, Ogg (Opus, Vorbis) or MP3, of any rate and channel count.
    ///
    /// Blocks while it reads; not for a thread that must not wait.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/audioFile``; its message says what is wrong.
    public init(contentsOf path: String) throws(VoiceEngineError) {
        do throws(AudioFileError) { samples = try readAudio(at: path) } catch {
            throw VoiceEngineError(.audioFile, error.description)
        }
    }

    /// Wraps samples made by the program.
    ///
    /// - Parameter samples: 48 kHz, one channel.
    public init(samples: [Int16]) {
        self.samples = samples
    }

    /// How long the clip plays.
    public var duration: Duration { .microseconds(samples.count * 1_000_000 / 48_000) }
}
