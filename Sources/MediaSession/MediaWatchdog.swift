internal import MediaTime

/// Notices when nothing comes any more, and when no sound comes at all, as long as sound is awaited.
///
/// It rests while the call is held or nothing is to come, and counts anew from the end of that.
struct MediaWatchdog: BitwiseCopyable {
    /// How long no sound may come at the beginning before ``MediaEvents/oneWay``.
    static var patienceForSound: Duration { .seconds(3) }

    private let timeout: Duration
    private var isWatching: Bool
    /// When the present watch began.
    private var since: MonotonicInstant
    private var lastAuthentic: MonotonicInstant?
    private var hasTimedOut = false
    private var hasSound = false
    private var isOneWay = false

    init(timeout: Duration, isWatching: Bool, at now: MonotonicInstant) {
        self.timeout = timeout
        self.isWatching = isWatching
        since = now
    }

    /// Whether anything authentic has come yet.
    var hasHeard: Bool { lastAuthentic != nil }

    var deadline: MonotonicInstant? {
        guard isWatching else { return nil }
        let silence = hasTimedOut ? nil : silenceDeadline
        let sound = hasSound || isOneWay ? nil : since.advanced(by: Self.patienceForSound)
        guard let silence else { return sound }
        guard let sound else { return silence }
        return min(silence, sound)
    }

    private var silenceDeadline: MonotonicInstant {
        max(lastAuthentic ?? since, since).advanced(by: timeout)
    }

    mutating func setWatching(_ isWatching: Bool, at now: MonotonicInstant) {
        guard isWatching != self.isWatching else { return }
        self.isWatching = isWatching
        since = now
    }

    /// Takes note of an authentic packet, `isSound` for one of RTP.
    mutating func heard(isSound: Bool, at now: MonotonicInstant) -> MediaEvents {
        var events: MediaEvents = []
        if lastAuthentic == nil { events.insert(.started) }
        if hasTimedOut { events.insert(.resumed) }
        lastAuthentic = now
        hasTimedOut = false
        guard isSound else { return events }
        if isOneWay { events.insert(.twoWay) }
        hasSound = true
        isOneWay = false
        return events
    }

    mutating func handleDeadline(at now: MonotonicInstant) -> MediaEvents {
        guard isWatching else { return [] }
        var events: MediaEvents = []
        if !hasSound, !isOneWay, now >= since.advanced(by: Self.patienceForSound) {
            isOneWay = true
            events.insert(.oneWay)
        }
        if !hasTimedOut, now >= silenceDeadline {
            hasTimedOut = true
            events.insert(.timedOut)
        }
        return events
    }
}
