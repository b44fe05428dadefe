public import Synchronization

/// Memory that a ``RingProducer`` and a ``RingConsumer`` share.
@usableFromInline
struct RingCore<Element: BitwiseCopyable>: ~Copyable {
    @usableFromInline let head = Atomic<Int>(0)
    /// Keeps the two counters in cache lines of their own.
    let spacing = InlineArray<15, UInt64>(repeating: 0)
    @usableFromInline let tail = Atomic<Int>(0)
    let holders = Atomic<Int>(2)
    @usableFromInline let elements: UnsafeMutablePointer<Element>
    @usableFromInline let mask: Int

    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two")
        elements = .allocate(capacity: capacity)
        mask = capacity - 1
    }

    deinit { elements.deallocate() }

    static func release(_ core: UnsafeMutablePointer<Self>) {
        guard core.pointee.holders.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        core.deinitialize(count: 1)
        core.deallocate()
    }
}

/// The writing end of a bounded queue between two threads, where neither ever waits, locks or allocates.
///
/// Public, so that the compiler specialises it in other modules; as `FixedBuffer`.
public struct RingProducer<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {  // one end
    // One thread at a time: `push` is mutating, and the struct can't be copied.
    @usableFromInline let core: UnsafeMutablePointer<RingCore<Element>>
    @usableFromInline var hasNews = false

    fileprivate init(_ core: UnsafeMutablePointer<RingCore<Element>>) { self.core = core }

    deinit { RingCore.release(core) }

    /// Whether anything was appended since the last call: then the reader must be woken.
    @inlinable
    public mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Appends `element`, or returns `false` when the queue is full.
    @inlinable
    public mutating func push(_ element: Element) -> Bool {
        let tail = core.pointee.tail.load(ordering: .relaxed)
        guard tail - core.pointee.head.load(ordering: .acquiring) <= core.pointee.mask else { return false }
        core.pointee.elements[tail & core.pointee.mask] = element
        core.pointee.tail.store(tail + 1, ordering: .releasing)
        hasNews = true
        return true
    }
}

/// The reading end; see ``RingProducer``.
public struct RingConsumer<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {  // one end
    // One thread at a time: `pop` is mutating, and the struct can't be copied.
    @usableFromInline let core: UnsafeMutablePointer<RingCore<Element>>

    fileprivate init(_ core: UnsafeMutablePointer<RingCore<Element>>) { self.core = core }

    deinit { RingCore.release(core) }

    /// Takes the oldest element, or returns `nil` when the queue is empty.
    @inlinable
    public mutating func pop() -> Element? {
        let head = core.pointee.head.load(ordering: .relaxed)
        guard head < core.pointee.tail.load(ordering: .acquiring) else { return nil }
        let element = core.pointee.elements[head & core.pointee.mask]
        core.pointee.head.store(head + 1, ordering: .releasing)
        return element
    }
}

/// Both ends of a new queue; take them apart with ``takeProducer()`` and ``takeConsumer()``.
package struct Ring<Element: BitwiseCopyable & Sendable>: ~Copyable {
    private var producer: RingProducer<Element>?
    private var consumer: RingConsumer<Element>?

    /// - Parameter capacity: Elements, a power of two.
    package init(capacity: Int) {
        let core = UnsafeMutablePointer<RingCore<Element>>.allocate(capacity: 1)
        core.initialize(to: RingCore(capacity: capacity))
        producer = RingProducer(core)
        consumer = RingConsumer(core)
    }

    /// Hands the writing end out, once.
    package mutating func takeProducer() -> RingProducer<Element> {
        guard let end = producer.take() else { preconditionFailure("a ring has one producer") }
        return end
    }

    /// Hands the reading end out, once.
    package mutating func takeConsumer() -> RingConsumer<Element> {
        guard let end = consumer.take() else { preconditionFailure("a ring has one consumer") }
        return end
    }
}
