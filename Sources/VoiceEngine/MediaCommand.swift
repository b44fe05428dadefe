internal import LinuxIO
internal import MediaSession

/// What the rest of the program tells the media thread.
///
/// A pointer in a command changes hands with it.
enum MediaCommand: BitwiseCopyable, Sendable {
    /// Starts to look after a session's socket.
    case add(SessionReference)
    /// Gives a session its media: from then on it sends and plays.
    case start(session: Int, MediaReference)
    /// Changes a session's media by a later offer and answer.
    case update(session: Int, UpdateReference)
    case setMuted(session: Int, Bool)
    case setOnHold(session: Int, Bool)
    case setInput(session: Int, InputSource)
    case play(session: Int, ClipReference)
    case send(session: Int, DigitToSend)
    case record(session: Int, RecorderReference)
    case close(session: Int)
    case stop
}

/// What the media thread tells the rest of the program.
enum MediaReply: BitwiseCopyable, Sendable {
    case happened(session: Int, MediaEvents)
    case inputFinished(session: Int)
    case messageFinished(session: Int)
    case digit(session: Int, ReceivedDigit)
    case digitsSent(session: Int)
    case figures(session: Int, SessionFigures)
    /// The media thread lets go of memory that it must not free itself.
    case release(ClipReference)
    case releaseUpdate(UpdateReference)
    case closed(session: Int, SessionReference, SessionFigures?)
    case stopped
}

/// A session's figures, with what the loop adds to them.
struct SessionFigures: BitwiseCopyable, Sendable {
    var media: MediaStatistics
    var lateWakeUps: Int
    var refusedDatagrams: Int
    var hasRealTimePriority: Bool
}

/// Samples on the heap, owned by whoever holds the reference: it moves with its message, as all of these do.
struct ClipReference: BitwiseCopyable, @unchecked Sendable {  // one owner at a time
    let samples: UnsafeMutablePointer<Int16>
    let count: Int

    /// Copies `samples`.
    init(_ samples: [Int16]) {
        let copy = UnsafeMutablePointer<Int16>.allocate(capacity: max(1, samples.count))
        samples.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            copy.initialize(from: start, count: source.count)
        }
        self.samples = copy
        count = samples.count
    }

    func free() { samples.deallocate() }

    /// `length` samples from `start` on, none where the clip is shorter.
    @_lifetime(immortal)
    func span(_ start: Int, _ length: Int) -> Span<Int16> {
        let count = max(0, min(length, count - start))
        let span = Span(_unsafeStart: samples + (count > 0 ? start : 0), count: count)
        // The media thread owns the memory, and looks at it only while it holds the reference.
        return _overrideLifetime(span, copying: ())
    }

    /// Overwrites samples from `start` on.
    func overwrite(at start: Int, with source: Span<Int16>) {
        let length = max(0, min(source.count, count - start))
        for index in 0..<length { samples[start + index] = source[index] }
    }
}

/// Where captured frames come from.
enum InputSource: BitwiseCopyable, Sendable {
    case silence
    case clip(ClipReference)
    /// A delay line: as many samples as the delay has.
    case echo(ClipReference)

    /// The memory that comes with it.
    var memory: ClipReference? {
        switch self {
        case .silence: nil
        case .clip(let clip), .echo(let clip): clip
        }
    }
}

/// A session's state on the heap; see ``SessionState``.
struct SessionReference: BitwiseCopyable, @unchecked Sendable {  // one owner at a time
    let pointer: UnsafeMutablePointer<SessionState>

    init(_ state: consuming SessionState) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: state)
    }

    func free() {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}

/// A session's media on the heap.
struct MediaReference: BitwiseCopyable, @unchecked Sendable {  // one owner at a time
    let pointer: UnsafeMutablePointer<MediaSession>

    init(_ media: consuming MediaSession) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: media)
    }

    func free() {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}

/// A change of a session's media on the heap; on its way back it holds what was replaced.
struct UpdateReference: BitwiseCopyable, @unchecked Sendable {  // one owner at a time
    let pointer: UnsafeMutablePointer<MediaUpdate>

    init(_ update: consuming MediaUpdate) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: update)
    }

    func free() {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}

/// 10 ms of both directions, on their way to a recording.
struct RecordedFrame: BitwiseCopyable, Sendable {
    var left = InlineArray<480, Int16>(repeating: 0)
    var right = InlineArray<480, Int16>(repeating: 0)
}

/// The media thread's end of a recording, on the heap.
struct RecorderReference: BitwiseCopyable, @unchecked Sendable {  // one owner at a time
    let pointer: UnsafeMutablePointer<RingProducer<RecordedFrame>>

    init(_ producer: consuming RingProducer<RecordedFrame>) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: producer)
    }

    func free() {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
