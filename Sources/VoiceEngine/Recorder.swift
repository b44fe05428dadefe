internal import AudioFiles
internal import LinuxIO
internal import Synchronization

/// Writes what the media thread recorded.
///
/// Used by the engine's control thread.
final class Recorder: Sendable {
    private struct State: ~Copyable, Sendable {
        var frames: RingConsumer<RecordedFrame>
        var file: StereoRecording?
    }

    private let state: Mutex<State>

    init(_ frames: consuming RingConsumer<RecordedFrame>, file: consuming StereoRecording) {
        state = Mutex(State(frames: frames, file: file))
    }

    /// Writes what has come since the last call.
    ///
    /// - Returns: Why writing failed, once; the recording then ends.
    func drain() -> String? {
        state.withLock { state in
            while let frame = state.frames.pop() {
                guard state.file != nil else { continue }
                do throws(AudioFileError) {
                    try state.file?.append(left: frame.left.span, right: frame.right.span)
                } catch {
                    state.file = nil
                    return error.description
                }
            }
            return nil
        }
    }

    /// Writes the rest and closes the file.
    ///
    /// - Returns: Why that failed, if it did.
    func finish() -> String? {
        if let reason = drain() { return reason }
        return state.withLock { state in
            guard let file = state.file.take() else { return nil }
            do throws(AudioFileError) {
                try file.finish()
                return nil
            } catch { return error.description }
        }
    }
}
