internal import AudioFiles
package import SoundJudge

/// What the recording of a call says.
package struct RecordingJudgement: Hashable, Sendable {
    package private(set) var heard: SoundActivity?
    /// `nil` when no sound was expected.
    package private(set) var expectation: ExpectedSound?

    /// Reads the recording at `path`, right channel the other side's.
    ///
    /// `nil`, a missing and an empty one say that nothing was heard.
    package init(ofRecordingAt path: String?, expecting reference: [Int16]?) {
        let channels = path.flatMap { try? readChannels(at: $0) } ?? []
        guard channels.count == 2 else {
            expectation = reference.map { _ in ExpectedSound() }
            return
        }
        let (ours, theirs) = (channels[0], channels[1])
        heard = soundActivity(of: theirs.span)
        expectation = reference.map { expectedSound($0, sent: ours, heard: theirs) }
    }
}
