internal import LinuxIO
internal import MediaSession
internal import MediaTime

/// The media thread: it sleeps in one `epoll_wait` over a timer and the commands, and looks after each session once
/// in a period of its frames.
///
/// Sockets are read then too; see ``SessionState``.
///
/// Once a session has started, its path through here neither allocates nor locks.
struct MediaLoop: ~Copyable, @unchecked Sendable {  // made by one thread, then owned by the media thread
    /// Sessions that one loop takes.
    static var capacity: Int { 256 }

    private static var timerTag: UInt64 { UInt64.max }
    private static var commandTag: UInt64 { UInt64.max - 1 }

    private let poller: Poller
    private let timer: TimerDescriptor
    private let wakeUps: WakeUps
    private var commands: RingConsumer<MediaCommand>
    private var replies: RingProducer<MediaReply>
    private let sessions: UnsafeMutablePointer<SessionReference?>
    /// Slots from this on have never held a session.
    private var usedSlots = 0
    private var received = ReceivedBatch()
    private var outgoing = OutgoingBatch()
    private var ready = ReadyTags()
    private var started = 0
    private var isStopping = false

    init(
        commands: consuming RingConsumer<MediaCommand>, replies: consuming RingProducer<MediaReply>,
        wakeUps: WakeUps
    ) throws(SystemError) {
        let poller = try Poller()
        let timer = try TimerDescriptor()
        try poller.add(timer.descriptor, tag: Self.timerTag)
        try poller.add(wakeUps.command.descriptor, tag: Self.commandTag)
        self.poller = poller
        self.timer = timer
        self.wakeUps = wakeUps
        self.commands = commands
        self.replies = replies
        sessions = .allocate(capacity: Self.capacity)
        sessions.initialize(repeating: nil, count: Self.capacity)
    }

    deinit { sessions.deallocate() }

    /// Runs until it is told to stop and all sessions are closed.
    mutating func run(hasRealTimePriority: Bool) {
        while true {
            // Either way the timer is unready again, so the wait waits.
            if let deadline = nextDeadline() { timer.arm(at: deadline) } else { timer.disarm() }
            let count = poller.wait(&ready)
            let now = SystemClock.now()
            for index in 0..<count { handle(ready[index], at: now) }
            runSessions(at: now, hasRealTimePriority: hasRealTimePriority)
            let isFinished = isStopping && isEmpty && replies.push(.stopped)
            if replies.takeNews() { wakeUps.reply.signal() }
            if isFinished { return }
        }
    }

    private var isEmpty: Bool {
        for slot in 0..<usedSlots where sessions[slot] != nil { return false }
        return true
    }

    private func nextDeadline() -> MonotonicInstant? {
        var earliest: MonotonicInstant?
        for slot in 0..<usedSlots {
            guard let session = sessions[slot], let deadline = session.pointer.pointee.deadline else {
                continue
            }
            if let known = earliest, known <= deadline { continue }
            earliest = deadline
        }
        return earliest
    }

    private mutating func handle(_ tag: UInt64, at now: MonotonicInstant) {
        switch tag {
        case Self.timerTag:
            break  // set anew before the next wait
        default:
            wakeUps.command.drain()
            while let command = commands.pop() { obey(command, at: now) }
        }
    }

    private mutating func runSessions(at now: MonotonicInstant, hasRealTimePriority: Bool) {
        for slot in 0..<usedSlots {
            guard let session = sessions[slot] else { continue }
            if session.pointer.pointee.isClosing {
                finish(session, slot: slot, at: now, hasRealTimePriority: hasRealTimePriority)
            } else {
                session.pointer.pointee.run(
                    at: now, receiving: &received, sending: &outgoing, replies: &replies,
                    hasRealTimePriority: hasRealTimePriority)
            }
        }
    }

    /// Gives a closing session back; again at the next turn if there's no room to say so.
    private mutating func finish(
        _ session: SessionReference, slot: Int, at now: MonotonicInstant, hasRealTimePriority: Bool
    ) {
        let figures = session.pointer.pointee.figures(at: now, hasRealTimePriority: hasRealTimePriority)
        let reply = MediaReply.closed(session: session.pointer.pointee.identifier, session, figures)
        guard replies.push(reply) else { return }
        sessions[slot] = nil
    }

    // MARK: Commands

    private mutating func obey(_ command: MediaCommand, at now: MonotonicInstant) {
        switch command {
        case .add(let session):
            add(session)
        case .start(let identifier, let media):
            guard let session = session(identifier) else { return media.free() }
            // Eight sessions share a wake-up, which costs about as much as a frame; the next eight come 7 ms later, so that
            // sends of many don't bunch.
            session.pointer.pointee.start(media, at: now, phase: .milliseconds(started / 8 * 7 % 20))
            started += 1
        case .update(let identifier, let update):
            session(identifier)?.pointer.pointee.apply(update, at: now)
            _ = replies.push(.releaseUpdate(update))
        case .send(let identifier, let digit):
            session(identifier)?.pointer.pointee.send(digit)
        case .setMuted(let identifier, let isMuted):
            session(identifier)?.pointer.pointee.media?.pointer.pointee.setMuted(isMuted)
        case .setOnHold(let identifier, let isOnHold):
            session(identifier)?.pointer.pointee.media?.pointer.pointee.setOnHold(isOnHold, at: now)
        case .setInput(let identifier, let input):
            guard let session = session(identifier) else { return input.memory?.free() ?? () }
            session.pointer.pointee.setInput(input, replies: &replies)
        case .play(let identifier, let clip):
            guard let session = session(identifier) else { return clip.free() }
            session.pointer.pointee.play(clip, replies: &replies)
        case .record(let identifier, let recorder):
            guard let session = session(identifier) else { return recorder.free() }
            session.pointer.pointee.record(with: recorder)
        case .close(let identifier):
            close(session(identifier), at: now)
        case .stop:
            for slot in 0..<usedSlots { close(sessions[slot], at: now) }
            isStopping = true
        }
    }

    private mutating func add(_ session: SessionReference) {
        for slot in 0..<Self.capacity where sessions[slot] == nil {
            sessions[slot] = session
            usedSlots = max(usedSlots, slot + 1)
            return
        }
        _ = replies.push(.closed(session: session.pointer.pointee.identifier, session, nil))
    }

    private func session(_ identifier: Int) -> SessionReference? {
        for slot in 0..<usedSlots {
            if let session = sessions[slot], session.pointer.pointee.identifier == identifier {
                return session
            }
        }
        return nil
    }

    private mutating func close(_ session: SessionReference?, at now: MonotonicInstant) {
        guard let session, !session.pointer.pointee.isClosing else { return }
        session.pointer.pointee.leave(at: now, sending: &outgoing)
        session.pointer.pointee.isClosing = true
    }
}

/// The wake-up calls between the media thread and the rest.
final class WakeUps: Sendable {
    let command: EventDescriptor
    let reply: EventDescriptor

    init() throws(SystemError) {
        command = try EventDescriptor()
        reply = try EventDescriptor()
    }
}
