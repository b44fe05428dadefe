internal import AudioProcessing

/// How much of a recording holds sound, and where.
package struct SoundActivity: Hashable, Sendable {
    /// The share of the time with sound, `0...1`.
    package var activeShare = 0.0
    /// How long sound is heard, in all.
    package var activeDuration = Duration.zero
    /// Where sound is first heard; `nil` when there is none.
    package var begin: Duration?
    /// Where sound is last heard.
    package var end: Duration?
    /// The longest stretch without sound, also at the begin or the end.
    package var longestSilence = Duration.zero
    /// The mean level of the sound, dBov; `nil` when there is none.
    package var level: Double?

    package init() {}
}

/// Measures the sound in a recording, 10 ms at a time; what is below ``LevelMeter/gate`` is silence.
///
/// - Parameters:
///   - recording: One channel.
///   - rate: Hz, at least 100.
/// - Returns: The measures; those of an empty recording are all zero.
package func soundActivity(of recording: Span<Int16>, rate: Int = 48_000) -> SoundActivity {
    let frameLength = rate / 100
    precondition(frameLength > 0, "a frame of 10 ms holds a sample")
    var activity = SoundActivity()
    var meter = LevelMeter()
    var activeFrames = 0
    var silentFrames = 0
    var longestSilentFrames = 0
    let frames = recording.count / frameLength
    for frame in 0..<frames {
        let samples = recording.extracting(frame * frameLength..<(frame + 1) * frameLength)
        var own = LevelMeter()
        own.add(samples)
        meter.add(samples)
        guard own.level != nil else {
            silentFrames += 1
            longestSilentFrames = max(longestSilentFrames, silentFrames)
            continue
        }
        silentFrames = 0
        activeFrames += 1
        activity.begin = activity.begin ?? .milliseconds(frame * 10)
        activity.end = .milliseconds((frame + 1) * 10)
    }
    activity.activeShare = frames == 0 ? 0 : Double(activeFrames) / Double(frames)
    activity.activeDuration = .milliseconds(activeFrames * 10)
    activity.longestSilence = .milliseconds(longestSilentFrames * 10)
    activity.level = meter.level
    return activity
}
