internal import LinuxIO
internal import MediaTime
internal import Synchronization

/// What the engine, its sessions and its two threads share.
///
/// The media thread gets commands and gives replies through rings, and never waits. The control thread takes the
/// replies, tells the sessions, and writes the recordings.
final class EngineCore: Sendable {
    private struct State: ~Copyable, Sendable {
        var commands: RingProducer<MediaCommand>
        /// Commands that found the ring full, in order.
        var backlog: [MediaCommand] = []
        var sessions: [Int: VoiceSession] = [:]
        var nextIdentifier = 1
        var isShutDown = false
        var isStopped = false
        var stopWaiters: [CheckedContinuation<Void, Never>] = []

        init(commands: consuming RingProducer<MediaCommand>) { self.commands = commands }

        mutating func flushBacklog() {
            while let command = backlog.first, commands.push(command) { backlog.removeFirst() }
        }
    }

    private let state: Mutex<State>
    private let wakeUps: WakeUps

    /// Starts both threads.
    static func start() throws(SystemError) -> EngineCore {
        var commandRing = Ring<MediaCommand>(capacity: 1_024)
        var replyRing = Ring<MediaReply>(capacity: 1_024)
        let wakeUps = try WakeUps()
        let core = EngineCore(commands: commandRing.takeProducer(), wakeUps: wakeUps)
        let loop = try MediaLoop(
            commands: commandRing.takeConsumer(), replies: replyRing.takeProducer(), wakeUps: wakeUps)
        let control = try ControlLoop(core: core, replies: replyRing.takeConsumer(), wakeUps: wakeUps)
        // Each thread owns its loop; a box hands it over, since a closure can't consume what it captures.
        let loopBox = Handover(loop)
        let controlBox = Handover(control)
        try SystemThread(name: "voice-media", realTimePriority: 50) { hasRealTimePriority in
            guard var loop = loopBox.take() else { return }
            loop.run(hasRealTimePriority: hasRealTimePriority)
        }.detach()
        try SystemThread(name: "voice-control") { _ in
            guard var control = controlBox.take() else { return }
            control.run()
        }.detach()
        return core
    }

    private init(commands: consuming RingProducer<MediaCommand>, wakeUps: WakeUps) {
        state = Mutex(State(commands: commands))
        self.wakeUps = wakeUps
    }

    // MARK: From any thread

    /// Tells the media thread; in order, whatever the ring holds.
    ///
    /// - Returns: Whether the media thread still takes commands.
    @discardableResult
    func send(_ command: MediaCommand) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.backlog.append(command)
            state.flushBacklog()
            return true
        }
        if isTaken { wakeUps.command.signal() }
        return isTaken
    }

    /// Makes a session known under a number of its own.
    ///
    /// - Parameter make: Makes it, given the number.
    /// - Returns: What was made.
    /// - Throws: ``VoiceEngineError`` when the engine is shut down, or what `make` throws.
    func register(
        _ make: (Int) throws(VoiceEngineError) -> (VoiceSession, SessionReference)
    ) throws(VoiceEngineError) -> VoiceSession {
        let identifier = state.withLock { state -> Int? in
            guard !state.isShutDown else { return nil }
            defer { state.nextIdentifier += 1 }
            return state.nextIdentifier
        }
        guard let identifier else { throw VoiceEngineError(.closed, "the engine is shut down") }
        let (session, reference) = try make(identifier)
        state.withLock { $0.sessions[identifier] = session }
        guard send(.add(reference)) else {
            state.withLock { $0.sessions[identifier] = nil }
            reference.free()
            throw VoiceEngineError(.closed, "the engine is shut down")
        }
        return session
    }

    /// Ends the media thread; it closes the sessions first.
    func stop() {
        let isFirst = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.backlog.append(.stop)
            state.flushBacklog()
            state.isShutDown = true
            return true
        }
        if isFirst { wakeUps.command.signal() }
    }

    /// Returns when both threads have ended their work.
    func waitUntilStopped() async {
        await withCheckedContinuation { continuation in
            let isStopped = state.withLock { state in
                if !state.isStopped { state.stopWaiters.append(continuation) }
                return state.isStopped
            }
            if isStopped { continuation.resume() }
        }
    }

    // MARK: From the control thread

    func session(_ identifier: Int) -> VoiceSession? { state.withLock { $0.sessions[identifier] } }

    var allSessions: [VoiceSession] { state.withLock { Array($0.sessions.values) } }

    func forget(_ identifier: Int) { state.withLock { $0.sessions[identifier] = nil } }

    /// Tries again what found the ring full.
    ///
    /// - Returns: Whether something is left.
    func flushBacklog() -> Bool {
        let isLeft = state.withLock { state in
            guard !state.backlog.isEmpty else { return false }
            state.flushBacklog()
            return true
        }
        if isLeft { wakeUps.command.signal() }
        return isLeft
    }

    func markStopped() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.stopWaiters = [] }
            return state.stopWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// Hands a value that can't be copied from one thread to another, once.
final class Handover<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming sending Value) { self.value = Mutex(value) }

    func take() -> sending Value? { value.withLock { $0.take() } }
}
