/// Why an audio file could not be read or written.
///
/// ``description`` says what happened and what to do about it.
package enum AudioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case missing(path: String)
    case isDirectory(path: String)
    /// The system refused to open it; `reason` is the system's.
    case cannotOpen(path: String, reason: String)
    /// No bytes, or a header with no sound behind it.
    case empty(path: String)
    /// libsndfile can't read it; `reason` is libsndfile's.
    case notAudio(path: String, reason: String)
    /// The sound breaks off at `position` because the file is damaged.
    case damaged(path: String, position: Duration, reason: String)
    /// Longer than the caller wants to hold in memory.
    case tooLong(path: String, maximum: Duration)
    case cannotCreate(path: String, reason: String)
    /// What was written before stays readable.
    case writeFailed(path: String, reason: String)
    /// The recording has reached the size that a WAV file can have. What was written stays readable.
    case recordingIsFull(path: String, maximum: Duration)

    package var description: String {
        switch self {
        case .missing(let path):
            "\(path): no such file; check the path"
        case .isDirectory(let path):
            "\(path) is a directory; name an audio file in it"
        case .cannotOpen(let path, let reason):
            "\(path) can't be opened: \(reason); check that you may read it"
        case .empty(let path):
            "\(path) holds no sound; name a file that isn't empty"
        case .notAudio(let path, let reason):
            "\(path) can't be read as audio: \(reason); use WAV, FLAC, Ogg (Opus or Vorbis) or MP3"
        case .damaged(let path, let position, let reason):
            "\(path) is damaged at \(position): \(reason); make the file again"
        case .tooLong(let path, let maximum):
            "\(path) is longer than \(maximum); cut it"
        case .cannotCreate(let path, let reason):
            "\(path) can't be created: \(reason); choose a directory that exists, has room, and lets you write"
        case .writeFailed(let path, let reason):
            "\(path) can't be written on: \(reason); what was written before is readable"
        case .recordingIsFull(let path, let maximum):
            "\(path) has reached the \(maximum) that a WAV file can hold; record on into another file"
        }
    }
}
