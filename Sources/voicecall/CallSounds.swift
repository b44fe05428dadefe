internal import AudioFiles

/// The sounds that a call needs, 48 kHz.
struct CallSounds: Sendable {
    /// What is said; `nil` is silence.
    let microphone: [Int16]?
    /// What has to be heard; `nil` for anything.
    let expected: [Int16]?

    init(_ settings: CallSettings) throws(AudioFileError) {
        microphone = try Self.read(settings.microphonePath)
        expected = try Self.read(settings.expectedPath)
    }

    func plan(maximum: Duration?) -> HangUpPlan {
        HangUpPlan(
            microphone: microphone.map(Self.duration), expected: expected.map(Self.duration), maximum: maximum
        )
    }

    private static func read(_ path: String?) throws(AudioFileError) -> [Int16]? {
        guard let path else { return nil }
        return try readAudio(at: path)
    }

    private static func duration(_ samples: [Int16]) -> Duration {
        .microseconds(samples.count * 1_000_000 / 48_000)
    }
}
