public import Dispatch
internal import Synchronization

/// A subscription.
///
/// It ends when it is cancelled or released, so keep it: `store(in:)`.
///
/// Safe from any thread.
public final class AnyCancellable: Hashable, @unchecked Sendable {  // guarded by the lock
    private struct Action: @unchecked Sendable {  // run once, by whoever took it out of the lock
        let run: () -> Void
    }
    private let action: Mutex<Action?>

    /// Makes a subscription that runs `cancel` once, when it ends, on the thread that ends it.
    public init(_ cancel: @escaping () -> Void) {
        let action = Action(run: cancel)
        self.action = Mutex(action)
    }

    deinit { cancel() }

    /// Ends the subscription.
    ///
    /// A value that is being delivered at this moment still arrives.
    public func cancel() {
        action.withLock { $0.take() }?.run()
    }

    /// Keeps the subscription in `set`.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    /// Keeps the subscription in `collection`.
    public func store<C: RangeReplaceableCollection>(in collection: inout C)
    where C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Whether both are the same subscription.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Something that happens again and again, to subscribe to.
///
/// Values arrive in order, one at a time, on a serial queue of the SDK's, unless ``receive(on:)`` names another. A publisher
/// of a state gives a new subscriber the current value first. What a value tells is already true when it arrives.
public struct EventPublisher<Output: Sendable>: Sendable {
    private let subject: EventSubject<Output>
    private let queue: DispatchQueue

    init(_ subject: EventSubject<Output>, queue: DispatchQueue) {
        self.subject = subject
        self.queue = queue
    }

    /// The same events, delivered on `queue`.
    ///
    /// Use a serial one; on a concurrent queue values may overtake each other.
    public func receive(on queue: DispatchQueue) -> EventPublisher<Output> {
        EventPublisher(subject, queue: queue)
    }

    /// Subscribes.
    ///
    /// The closure isn't `@Sendable`, so that one written in a `@MainActor` class may use its state; combine that with
    /// `receive(on: DispatchQueue.main)`, since neither compiler nor run time would notice another queue.
    ///
    /// - Parameter receiveValue: Called for each value.
    /// - Returns: The subscription; nothing arrives once it is released.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        let handler = EventHandler(receiveValue)
        return subject.attach(on: queue) { handler.run($0) }
    }

    /// The events as a sequence that never ends by itself; it buffers what isn't taken yet.
    public var values: AsyncStream<Output> {
        AsyncStream { continuation in
            let subscription = subject.attach(on: queue) { continuation.yield($0) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }
}

private struct EventHandler<Output>: @unchecked Sendable {  // only ever run on the one queue its maker chose
    let run: (Output) -> Void

    init(_ run: @escaping (Output) -> Void) { self.run = run }
}

/// Where events come from: the sending end of an ``EventPublisher``.
package final class EventSubject<Output: Sendable>: Sendable {
    private struct Subscriber {
        let queue: DispatchQueue
        let receive: @Sendable (Output) -> Void
    }
    private struct State {
        var nextID = 0
        var subscribers: [Int: Subscriber] = [:]
        var latest: Output?
    }
    private let state = Mutex(State())
    private let isReplaying: Bool
    private let queue: DispatchQueue

    /// Makes a subject.
    ///
    /// - Parameters:
    ///   - isReplaying: Whether a new subscriber gets the latest value.
    ///   - queue: Where values are delivered unless the subscriber says otherwise; serial.
    package init(isReplaying: Bool, queue: DispatchQueue) {
        self.isReplaying = isReplaying
        self.queue = queue
    }

    package var publisher: EventPublisher<Output> { EventPublisher(self, queue: queue) }

    /// Delivers `value` to all subscribers; returns before they have seen it.
    ///
    /// Queued under the lock, so that values keep one order; run outside of it.
    package func send(_ value: Output) {
        state.withLock { state in
            if isReplaying { state.latest = value }
            for subscriber in state.subscribers.values {
                subscriber.queue.async { subscriber.receive(value) }
            }
        }
    }

    fileprivate func attach(on queue: DispatchQueue, _ receive: @escaping @Sendable (Output) -> Void)
        -> AnyCancellable
    {
        let isLive = LiveFlag()
        let subscriber = Subscriber(queue: queue) { if isLive.isSet { receive($0) } }
        let id = state.withLock { state in
            state.nextID += 1
            state.subscribers[state.nextID] = subscriber
            if let latest = state.latest { queue.async { subscriber.receive(latest) } }
            return state.nextID
        }
        return AnyCancellable { [weak self] in
            isLive.clear()
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
    }
}

/// Whether a subscription still wants values.
private final class LiveFlag: Sendable {
    private let flag = Atomic<Bool>(true)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func clear() { flag.store(false, ordering: .releasing) }
}
