internal import LinuxIO
internal import MediaTime

/// The control thread: takes the media thread's replies, tells the sessions, and writes the recordings.
struct ControlLoop: ~Copyable, Sendable {
    private let core: EngineCore
    private var replies: RingConsumer<MediaReply>
    private let wakeUps: WakeUps
    private let poller: Poller
    private var ready = ReadyTags()

    init(core: EngineCore, replies: consuming RingConsumer<MediaReply>, wakeUps: WakeUps) throws(SystemError)
    {
        let poller = try Poller()
        try poller.add(wakeUps.reply.descriptor, tag: 0)
        self.core = core
        self.replies = replies
        self.wakeUps = wakeUps
        self.poller = poller
    }

    mutating func run() {
        while true {
            // Ten times a second while there's a recording to write.
            let isBusy = core.allSessions.contains { $0.isRecording }
            _ = poller.wait(&ready, milliseconds: isBusy ? 100 : 1_000)
            wakeUps.reply.drain()
            for session in core.allSessions { session.drainRecording() }
            while let reply = replies.pop() {
                guard handle(reply) else { return core.markStopped() }
            }
            _ = core.flushBacklog()
        }
    }

    /// - Returns: `false` after the last reply.
    private func handle(_ reply: MediaReply) -> Bool {
        switch reply {
        case .happened(let identifier, let events):
            core.session(identifier)?.mediaHappened(events)
        case .inputFinished(let identifier):
            core.session(identifier)?.tell(.inputFinished)
        case .messageFinished(let identifier):
            core.session(identifier)?.tell(.messageFinished)
        case .digit(let identifier, let digit):
            core.session(identifier)?.received(digit)
        case .digitsSent(let identifier):
            core.session(identifier)?.tell(.digitsSent)
        case .figures(let identifier, let figures):
            core.session(identifier)?.update(figures)
        case .release(let clip):
            clip.free()
        case .releaseUpdate(let update):
            update.free()
        case .closed(let identifier, let reference, let figures):
            reference.free()
            core.session(identifier)?.finish(figures)
            core.forget(identifier)
        case .stopped:
            return false
        }
        return true
    }
}
