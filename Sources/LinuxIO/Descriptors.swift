internal import CLinux
internal import Glibc
package import MediaTime

/// Waits for many descriptors at once (epoll).
///
/// Each has a tag that comes back with it.
package struct Poller: ~Copyable, Sendable {
    private let descriptor: Int32

    package init() throws(SystemError) {
        descriptor = try valueOrError(epoll_create1(Int32(EPOLL_CLOEXEC)), "epoll_create1")
    }

    deinit { close(descriptor) }

    /// Starts to wait for something to read from `other`.
    package func add(_ other: Int32, tag: UInt64) throws(SystemError) {
        try check(clinux_epoll_add(descriptor, other, EPOLLIN.rawValue, tag), "epoll_ctl")
    }

    /// Waits until a descriptor is ready.
    ///
    /// - Parameters:
    ///   - ready: Gets the tags of those that are.
    ///   - milliseconds: The longest wait; -1 waits for ever.
    /// - Returns: How many are ready; 0 when the time was over.
    package func wait(_ ready: inout ReadyTags, milliseconds: Int32 = -1) -> Int {
        ready.wait(descriptor, milliseconds)
    }
}

/// Room for the tags of ready descriptors.
package struct ReadyTags: ~Copyable, @unchecked Sendable {  // owns its memory alone
    private let events: UnsafeMutablePointer<epoll_event>
    private static var capacity: Int { 64 }

    package init() {
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: epoll_event(), count: Self.capacity)
    }

    deinit { events.deallocate() }

    package subscript(index: Int) -> UInt64 {
        precondition(index >= 0 && index < Self.capacity, "index out of range")
        return clinux_epoll_tag(events + index)
    }

    fileprivate mutating func wait(_ poller: Int32, _ milliseconds: Int32) -> Int {
        max(0, Int(clinux_epoll_wait(poller, events, Int32(Self.capacity), milliseconds)))
    }
}

/// A clock that wakes a ``Poller`` at a given time (timerfd).
package struct TimerDescriptor: ~Copyable, Sendable {
    package let descriptor: Int32

    package init() throws(SystemError) {
        descriptor = try valueOrError(
            timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)), "timerfd_create")
    }

    deinit { close(descriptor) }

    /// Becomes ready at `time`; at once if that is over.
    package func arm(at time: MonotonicInstant) {
        _ = clinux_timerfd_arm(descriptor, max(1, time.nanoseconds))
    }

    /// Is ready no more, and doesn't become so.
    package func disarm() {
        _ = clinux_timerfd_arm(descriptor, 0)
    }
}

/// A wake-up call from one thread to another (eventfd).
package struct EventDescriptor: ~Copyable, Sendable {
    package let descriptor: Int32

    package init() throws(SystemError) {
        descriptor = try valueOrError(
            eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)), "eventfd")
    }

    deinit { close(descriptor) }

    /// Wakes the other side.
    ///
    /// Any thread, real-time safe.
    package func signal() { clinux_eventfd_signal(descriptor) }

    /// Takes the wake-ups that came, so that the next one wakes again.
    package func drain() { _ = clinux_eventfd_drain(descriptor) }
}
