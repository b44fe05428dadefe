internal import Glibc

/// A recording that only the judgement needs: in a directory of its own that nobody else can read.
struct TemporaryRecording: ~Copyable {
    let path: String
    private let directory: String

    /// `nil` when no temporary directory can be made.
    init?(environment: [String: String]) {
        let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/voicecall-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = directory + "/call.wav"
    }

    deinit {
        unlink(path)
        rmdir(directory)
    }
}
