internal import AudioProcessing
internal import LinuxIO
internal import MediaSession
internal import MediaTime

/// A session as the media thread holds it: sockets, media, and where its audio comes from and goes to.
struct SessionState: ~Copyable {
    let identifier: Int
    /// The one for reports is used only if these don't go with the media.
    let sockets: UDPSocketPair
    private(set) var media: MediaReference?
    var isClosing = false
    /// What must still be told, when the replies' queue was full.
    private var pendingEvents: MediaEvents = []

    private var isSendingDigits = false
    private var input = InputSource.silence
    private var inputPosition = 0
    private var message: ClipReference?
    private var messagePosition = 0
    private var recorder: RecorderReference?

    /// When the next period begins.
    private(set) var nextPeriod = MonotonicInstant(nanoseconds: 0)
    private let framesInPeriod: Int
    private var periods = 0
    private var lateWakeUps = 0
    private var refusedDatagrams = 0
    private var captured = FixedBuffer<Int16>(repeating: 0, count: MediaSession.frameSamples)
    private var played = FixedBuffer<Int16>(repeating: 0, count: MediaSession.frameSamples)

    private static var frameNanoseconds: Int64 { 10_000_000 }
    private static var lateNanoseconds: Int64 { 5_000_000 }
    /// A thread that slept longer than this goes on from now; what it missed is silence to the other side.
    private static var longestCatchUpNanoseconds: Int64 { 500_000_000 }

    /// - Parameters:
    ///   - identifier: The session's number.
    ///   - sockets: Bound, and named in the offer.
    ///   - input: What is captured from the first frame on.
    ///   - framesInPeriod: Frames of 10 ms that are handled at once. With no device to pace it, that is as many as a
    ///     packet has, at most two: each wake-up costs about as much as a frame.
    init(
        identifier: Int, sockets: consuming UDPSocketPair, input: InputSource, framesInPeriod: Int
    ) {
        self.identifier = identifier
        self.sockets = sockets
        self.input = input
        self.framesInPeriod = framesInPeriod
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
        let mediaDeadline = media.pointer.pointee.deadline
        return nextPeriod < mediaDeadline ? nextPeriod : mediaDeadline
    }

    // MARK: Commands

    /// - Parameters:
    ///   - media: Made for this session.
    ///   - now: When it starts.
    ///   - phase: Sets the session's periods apart from those of others, so that sends don't bunch.
    mutating func start(_ media: MediaReference, at now: MonotonicInstant, phase: Duration) {
        // A second answer's media never replaces the first: nothing here would keep its numbers going.
        guard self.media == nil else { return media.free() }
        self.media = media
        // On a grid that all sessions share, so that those of one phase wake the thread together.
        let period = Int64(framesInPeriod) * Self.frameNanoseconds
        let beginning = (now.nanoseconds / period + 1) * period
        nextPeriod = MonotonicInstant(nanoseconds: beginning).advanced(by: phase)
    }

    func apply(_ update: UpdateReference, at now: MonotonicInstant) {
        media?.pointer.pointee.apply(&update.pointer.pointee, at: now)
    }

    mutating func send(_ digit: DigitToSend) {
        guard media?.pointer.pointee.send(digit) == true else { return }
        isSendingDigits = true
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

    /// Runs the frames and deadlines that are due.
    mutating func run(
        at now: MonotonicInstant, receiving received: inout ReceivedBatch, sending batch: inout OutgoingBatch,
        replies: inout RingProducer<MediaReply>, hasRealTimePriority: Bool
    ) {
        guard let media else { return }
        if nextPeriod <= now {
            let lateness = now.nanoseconds - nextPeriod.nanoseconds
            if lateness > Self.lateNanoseconds { lateWakeUps += 1 }
            if lateness > Self.longestCatchUpNanoseconds { nextPeriod = now }
            receive(media, &received, at: now)
        }
        while nextPeriod <= now {
            for frame in 0..<framesInPeriod {
                let offset = Int64(frame) * Self.frameNanoseconds
                runFrame(media, at: nextPeriod.advanced(byNanoseconds: offset), &replies)
            }
            send(media, &batch)
            nextPeriod = nextPeriod.advanced(byNanoseconds: Int64(framesInPeriod) * Self.frameNanoseconds)
            periods += 1
            guard periods % 10 == 0 else { continue }
            let figures = figures(media, at: now, hasRealTimePriority: hasRealTimePriority)
            _ = replies.push(.figures(session: identifier, figures))
        }
        if media.pointer.pointee.deadline <= now {
            media.pointer.pointee.handleDeadline(at: now)
            send(media, &batch)
        }
        tellEvents(media, replies: &replies)
        tellDigits(media, replies: &replies)
    }

    /// Takes the datagrams that wait at the socket.
    ///
    /// Once a period is enough: the kernel noted when each arrived. So no packet wakes the thread, a flood costs no more
    /// than 64 datagrams a period, and 16 for reports on a port of their own, and what came before there was media to give it to is still there.
    private mutating func receive(
        _ media: MediaReference, _ batch: inout ReceivedBatch, at now: MonotonicInstant
    ) {
        for _ in 0..<4 {
            let isMore = batch.receive(from: sockets.media.descriptor, at: now)
            for index in 0..<batch.count {
                let source = batch.source(of: index)
                let arrival = batch.arrival(of: index)
                var datagram = batch.datagram(index)
                media.pointer.pointee.receive(&datagram, from: source, at: arrival)
            }
            guard isMore else { break }
        }
        guard media.pointer.pointee.remoteRTCPAddress != nil else { return }
        _ = batch.receive(from: sockets.reports.descriptor, at: now)
        for index in 0..<batch.count {
            let source = batch.source(of: index)
            let arrival = batch.arrival(of: index)
            var datagram = batch.datagram(index)
            media.pointer.pointee.receiveReport(&datagram, from: source, at: arrival)
        }
    }

    private mutating func tellEvents(_ media: MediaReference, replies: inout RingProducer<MediaReply>) {
        let events = MediaEvents(
            rawValue: pendingEvents.rawValue | media.pointer.pointee.takeEvents().rawValue)
        pendingEvents = events
        guard events.rawValue != 0, replies.push(.happened(session: identifier, events)) else { return }
        pendingEvents = MediaEvents(rawValue: 0)
    }

    private mutating func tellDigits(_ media: MediaReference, replies: inout RingProducer<MediaReply>) {
        while let digit = media.pointer.pointee.takeDigit() {
            _ = replies.push(.digit(session: identifier, digit))
        }
        guard isSendingDigits, !media.pointer.pointee.isSendingDigits else { return }
        isSendingDigits = !replies.push(.digitsSent(session: identifier))
    }

    private mutating func runFrame(
        _ media: MediaReference, at time: MonotonicInstant, _ replies: inout RingProducer<MediaReply>
    ) {
        Self.playOut(media, into: &played, at: time)
        fillInput(replies: &replies)
        Self.applyMute(media, to: &captured)
        mixMessage(replies: &replies)
        media.pointer.pointee.capture(captured.span, at: time)
        guard let recorder else { return }
        Self.record(captured, played, isOnHold: media.pointer.pointee.isOnHold, with: recorder)
    }

    private static func playOut(
        _ media: MediaReference, into buffer: inout FixedBuffer<Int16>, at time: MonotonicInstant
    ) {
        var frame = buffer.mutableSpan
        media.pointer.pointee.playOut(&frame, at: time)
    }

    private static func applyMute(_ media: MediaReference, to buffer: inout FixedBuffer<Int16>) {
        var frame = buffer.mutableSpan
        media.pointer.pointee.applyMute(to: &frame)
    }

    private static func record(
        _ captured: borrowing FixedBuffer<Int16>, _ played: borrowing FixedBuffer<Int16>, isOnHold: Bool,
        with recorder: RecorderReference
    ) {
        var frame = RecordedFrame()
        var left = frame.left.mutableSpan
        if !isOnHold { captured.copy(0..<captured.count, into: &left) }
        var right = frame.right.mutableSpan
        played.copy(0..<played.count, into: &right)
        // A full queue is a disk that stands still: the recording has a gap, the call has none.
        _ = recorder.pointer.pointee.push(frame)
    }

    private mutating func fillInput(replies: inout RingProducer<MediaReply>) {
        switch input {
        case .silence:
            captured.fill(from: 0, with: 0)
        case .clip(let clip):
            let count = min(captured.count, max(0, clip.count - inputPosition))
            captured.replace(at: 0, with: clip.span(inputPosition, count))
            captured.fill(from: count, with: 0)
            inputPosition += captured.count
            guard inputPosition >= clip.count, replies.push(.inputFinished(session: identifier)) else {
                return
            }
            setInput(.silence, replies: &replies)
        case .echo(let line):
            // A delay is whole frames long, so a frame never wraps.
            captured.replace(at: 0, with: line.span(inputPosition, captured.count))
            line.overwrite(at: inputPosition, with: played.span)
            inputPosition += captured.count
            if inputPosition >= line.count { inputPosition = 0 }
        }
    }

    private mutating func mixMessage(replies: inout RingProducer<MediaReply>) {
        guard let message else { return }
        let count = min(captured.count, max(0, message.count - messagePosition))
        Self.mix(message.span(messagePosition, count), into: &captured)
        messagePosition += captured.count
        guard messagePosition >= message.count, replies.push(.messageFinished(session: identifier)) else {
            return
        }
        _ = replies.push(.release(message))
        self.message = nil
    }

    private static func mix(_ message: Span<Int16>, into buffer: inout FixedBuffer<Int16>) {
        var frame = buffer.mutableSpan(0..<message.count)
        AudioProcessing.mix(message, into: &frame)
    }

    private mutating func send(_ media: MediaReference, _ batch: inout OutgoingBatch) {
        while !batch.isFull, let length = Self.take(media, &batch) {
            guard let address = media.pointer.pointee.remoteAddress else { break }
            batch.commit(length: length, to: address)
        }
        if batch.count > 0 { refusedDatagrams += batch.send(over: sockets.media.descriptor) }
        guard let address = media.pointer.pointee.remoteRTCPAddress else { return }
        while !batch.isFull, let length = Self.takeReport(media, &batch) {
            batch.commit(length: length, to: address)
        }
        if batch.count > 0 { refusedDatagrams += batch.send(over: sockets.reports.descriptor) }
    }

    private static func takeReport(_ media: MediaReference, _ batch: inout OutgoingBatch) -> Int? {
        var room = batch.room()
        return media.pointer.pointee.takeReport(into: &room)
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
