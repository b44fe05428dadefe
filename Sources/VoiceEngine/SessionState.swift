internal import AudioProcessing
internal import LinuxIO
internal import MediaSession
internal import MediaTime

/// A session as the media thread holds it: socket, media, and where its audio comes from and goes to.
struct SessionState: ~Copyable {
    let identifier: Int
    let socket: UDPSocket
    private(set) var media: MediaReference?
    var isClosing = false
    /// What must still be told, when the replies' queue was full.
    private var pendingEvents: MediaEvents = []

    private var input = InputSource.silence
    private var inputPosition = 0
    private var message: ClipReference?
    private var messagePosition = 0
    private var recorder: RecorderReference?

    /// When the next frame begins.
    private(set) var nextFrame = MonotonicInstant(nanoseconds: 0)
    private var frames = 0
    private var lateWakeUps = 0
    private var refusedDatagrams = 0
    private var captured = InlineArray<480, Int16>(repeating: 0)
    private var played = InlineArray<480, Int16>(repeating: 0)

    private static var frame: Duration { .milliseconds(10) }
    /// A thread that slept longer than this goes on from now; what it missed is silence to the other side.
    private static var longestCatchUp: Duration { .milliseconds(500) }

    init(identifier: Int, socket: consuming UDPSocket, input: InputSource) {
        self.identifier = identifier
        self.socket = socket
        self.input = input
    }

    deinit {
        media?.free()
        recorder?.free()
        message?.free()
        input.memory?.free()
    }

    /// When the session wants to be looked after next; `nil` before it has media.
    var deadline: MonotonicInstant? {
        guard let media else { return nil }
        return min(nextFrame, media.pointer.pointee.deadline)
    }

    // MARK: Commands

    /// - Parameter phase: Sets the session's frames apart from those of others, so that sends don't bunch.
    mutating func start(_ media: MediaReference, at now: MonotonicInstant, phase: Duration) {
        // A second answer's media never replaces the first: nothing here would keep its numbers going.
        guard self.media == nil else { return media.free() }
        self.media = media
        nextFrame = now.advanced(by: phase)
    }

    mutating func setInput(_ input: InputSource, replies: inout RingProducer<MediaReply>) {
        if let memory = self.input.memory { _ = replies.push(.release(memory)) }
        self.input = input
        inputPosition = 0
    }

    mutating func play(_ clip: ClipReference, replies: inout RingProducer<MediaReply>) {
        if let message { _ = replies.push(.release(message)) }
        message = clip
        messagePosition = 0
    }

    mutating func record(with recorder: RecorderReference) {
        guard self.recorder == nil else { return recorder.free() }
        self.recorder = recorder
    }

    // MARK: The loop's work

    /// Takes all datagrams that wait at the socket.
    mutating func receive(_ batch: inout ReceivedBatch, at now: MonotonicInstant) {
        var isMore = true
        // Bounded, so that a flood at one session doesn't starve the others.
        for _ in 0..<4 where isMore {
            isMore = batch.receive(from: socket.descriptor, at: now)
            guard let media else { continue }
            for index in 0..<batch.count {
                let source = batch.source(of: index)
                let arrival = batch.arrival(of: index)
                var datagram = batch.datagram(index)
                media.pointer.pointee.receive(&datagram, from: source, at: arrival)
            }
        }
    }

    /// Runs the frames and deadlines that are due.
    mutating func run(
        at now: MonotonicInstant, sending batch: inout OutgoingBatch, replies: inout RingProducer<MediaReply>,
        hasRealTimePriority: Bool
    ) {
        guard let media else { return }
        if nextFrame <= now {
            let lateness = nextFrame.duration(to: now)
            if lateness > .milliseconds(5) { lateWakeUps += 1 }
            if lateness > Self.longestCatchUp { nextFrame = now }
        }
        while nextFrame <= now {
            runFrame(media, replies: &replies)
            send(media, &batch)
            nextFrame = nextFrame.advanced(by: Self.frame)
            frames += 1
            guard frames % 20 == 0 else { continue }
            _ = replies.push(
                .figures(
                    session: identifier, figures(media, at: now, hasRealTimePriority: hasRealTimePriority)))
        }
        if media.pointer.pointee.deadline <= now {
            media.pointer.pointee.handleDeadline(at: now)
            send(media, &batch)
        }
        tellEvents(media, replies: &replies)
    }

    private mutating func tellEvents(_ media: MediaReference, replies: inout RingProducer<MediaReply>) {
        pendingEvents.formUnion(media.pointer.pointee.takeEvents())
        guard pendingEvents != [], replies.push(.happened(session: identifier, pendingEvents)) else { return }
        pendingEvents = []
    }

    private mutating func runFrame(_ media: MediaReference, replies: inout RingProducer<MediaReply>) {
        var heard = played.mutableSpan
        media.pointer.pointee.playOut(&heard, at: nextFrame)
        fillInput(replies: &replies)
        mixMessage(media, replies: &replies)
        media.pointer.pointee.capture(captured.span, at: nextFrame)
        guard let recorder else { return }
        if media.pointer.pointee.isOnHold { captured = InlineArray(repeating: 0) }
        // A full queue is a disk that stands still: the recording has a gap, the call has none.
        _ = recorder.pointer.pointee.push(RecordedFrame(left: captured, right: played))
    }

    private mutating func fillInput(replies: inout RingProducer<MediaReply>) {
        switch input {
        case .silence:
            captured = InlineArray(repeating: 0)
        case .clip(let clip):
            for index in captured.indices {
                let position = inputPosition + index
                captured[index] = position < clip.count ? clip.samples[position] : 0
            }
            inputPosition += captured.count
            guard inputPosition >= clip.count, replies.push(.inputFinished(session: identifier)) else {
                return
            }
            setInput(.silence, replies: &replies)
        case .echo(let line):
            for index in captured.indices {
                captured[index] = line.samples[inputPosition]
                line.samples[inputPosition] = played[index]
                inputPosition = inputPosition + 1 == line.count ? 0 : inputPosition + 1
            }
        }
    }

    private mutating func mixMessage(_ media: MediaReference, replies: inout RingProducer<MediaReply>) {
        var samples = captured.mutableSpan
        media.pointer.pointee.applyMute(to: &samples)
        guard let message else { return }
        let count = min(message.count - messagePosition, samples.count)
        for index in 0..<max(0, count) {
            let sum = Int32(samples[index]) + Int32(message.samples[messagePosition + index])
            samples[index] = Int16(clamping: sum)
        }
        messagePosition += samples.count
        guard messagePosition >= message.count, replies.push(.messageFinished(session: identifier)) else {
            return
        }
        _ = replies.push(.release(message))
        self.message = nil
    }

    private mutating func send(_ media: MediaReference, _ batch: inout OutgoingBatch) {
        while !batch.isFull, let length = Self.take(media, &batch) {
            guard let address = media.pointer.pointee.remoteAddress else { break }
            batch.commit(length: length, to: address)
        }
        if batch.count > 0 { refusedDatagrams += batch.send(over: socket.descriptor) }
    }

    private static func take(_ media: MediaReference, _ batch: inout OutgoingBatch) -> Int? {
        var room = batch.room()
        return media.pointer.pointee.takeDatagram(into: &room)
    }

    /// Says goodbye to the other side.
    mutating func leave(at now: MonotonicInstant, sending batch: inout OutgoingBatch) {
        guard let media else { return }
        media.pointer.pointee.leave(at: now)
        send(media, &batch)
    }

    /// The figures at `now`; `nil` before there's media.
    func figures(at now: MonotonicInstant, hasRealTimePriority: Bool) -> SessionFigures? {
        media.map { figures($0, at: now, hasRealTimePriority: hasRealTimePriority) }
    }

    private func figures(
        _ media: MediaReference, at now: MonotonicInstant, hasRealTimePriority: Bool
    ) -> SessionFigures {
        SessionFigures(
            media: media.pointer.pointee.statistics(at: now), lateWakeUps: lateWakeUps,
            refusedDatagrams: refusedDatagrams, hasRealTimePriority: hasRealTimePriority)
    }
}
