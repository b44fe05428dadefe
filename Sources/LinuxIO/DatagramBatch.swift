internal import CLinux
internal import Glibc
package import MediaTime
package import RTP

/// Memory for a batch of datagrams, laid out once for `recvmmsg` or `sendmmsg`.
struct MessageMemory: ~Copyable, @unchecked Sendable {  // owns its memory alone
    static var count: Int { 16 }
    static var datagramCapacity: Int { 2_048 }
    static var controlCapacity: Int { 128 }

    let messages: UnsafeMutablePointer<clinux_message>
    let vectors: UnsafeMutablePointer<iovec>
    let names: UnsafeMutablePointer<sockaddr_in>
    let octets: UnsafeMutablePointer<UInt8>
    let control: UnsafeMutableRawPointer

    init() {
        messages = .allocate(capacity: Self.count)
        vectors = .allocate(capacity: Self.count)
        names = .allocate(capacity: Self.count)
        octets = .allocate(capacity: Self.count * Self.datagramCapacity)
        control = .allocate(byteCount: Self.count * Self.controlCapacity, alignment: 16)
        messages.initialize(repeating: clinux_message(), count: Self.count)
        vectors.initialize(repeating: iovec(), count: Self.count)
        names.initialize(repeating: sockaddr_in(), count: Self.count)
        octets.initialize(repeating: 0, count: Self.count * Self.datagramCapacity)
        for index in 0..<Self.count {
            vectors[index].iov_base = UnsafeMutableRawPointer(datagram(index))
            messages[index].header.msg_iov = vectors + index
            messages[index].header.msg_iovlen = 1
            messages[index].header.msg_name = UnsafeMutableRawPointer(names + index)
            messages[index].header.msg_namelen = socklen_t(MemoryLayout<sockaddr_in>.size)
            vectors[index].iov_len = Self.datagramCapacity
        }
    }

    /// Makes room for the kernel's notes on each datagram received.
    func setUpControl() {
        for index in 0..<Self.count {
            messages[index].header.msg_control = control + index * Self.controlCapacity
            messages[index].header.msg_controllen = Self.controlCapacity
        }
    }

    deinit {
        messages.deallocate()
        vectors.deallocate()
        names.deallocate()
        octets.deallocate()
        control.deallocate()
    }

    func datagram(_ index: Int) -> UnsafeMutablePointer<UInt8> { octets + index * Self.datagramCapacity }
}

/// Datagrams as they come in, up to 16 at a time.
package struct ReceivedBatch: ~Copyable, Sendable {
    private let memory = MessageMemory()
    package private(set) var count = 0
    /// How far the wall clock is ahead of the monotonic one, for the kernel's times of arrival.
    private var wallClockLead: Int64 = 0
    private var now = MonotonicInstant(nanoseconds: 0)

    package init() { memory.setUpControl() }

    /// Takes what waits at `descriptor`; call again while it gives a full batch.
    ///
    /// - Returns: Whether the batch is full.
    package mutating func receive(from descriptor: Int32, at now: MonotonicInstant) -> Bool {
        // Only what the last call changed.
        for index in 0..<count {
            memory.vectors[index].iov_len = MessageMemory.datagramCapacity
            memory.messages[index].header.msg_controllen = MessageMemory.controlCapacity
        }
        // An error is that of an earlier datagram of ours, as when nobody listens there: nothing to do about it here.
        count = max(0, Int(clinux_receive_messages(descriptor, memory.messages, UInt32(MessageMemory.count))))
        if count > 0 {
            self.now = now
            wallClockLead = SystemClock.wallClock() - SystemClock.now().nanoseconds
        }
        return count == MessageMemory.count
    }

    package func source(of index: Int) -> TransportAddress {
        precondition(index < count, "no such datagram")
        return TransportAddress(memory.names[index])
    }

    /// When the kernel got the datagram; when it was taken, if that is not known or can't be.
    package func arrival(of index: Int) -> MonotonicInstant {
        precondition(index < count, "no such datagram")
        let wall = clinux_message_receive_time(&memory.messages[index].header)
        let arrival = MonotonicInstant(nanoseconds: wall - wallClockLead)
        // The wall clock may have been set in between.
        return wall > 0 && arrival <= now && now.nanoseconds - arrival.nanoseconds < 10_000_000_000
            ? arrival : now
    }

    /// The octets of a datagram, which may be changed where they stand.
    @_lifetime(&self)
    package mutating func datagram(_ index: Int) -> MutableSpan<UInt8> {
        precondition(index < count, "no such datagram")
        let length = min(Int(memory.messages[index].length), MessageMemory.datagramCapacity)
        let span = MutableSpan(_unsafeStart: memory.datagram(index), count: length)
        return _overrideLifetime(span, mutating: &self)
    }
}

/// Datagrams on their way out, up to 16 in one call to the kernel.
package struct OutgoingBatch: ~Copyable, Sendable {
    private let memory = MessageMemory()
    package private(set) var count = 0

    package init() {}

    package var isFull: Bool { count == MessageMemory.count }

    /// Room for the next datagram; ask ``isFull`` before.
    @_lifetime(&self)
    package mutating func room() -> MutableSpan<UInt8> {
        precondition(!isFull, "send what is there first")
        let span = MutableSpan(_unsafeStart: memory.datagram(count), count: MessageMemory.datagramCapacity)
        return _overrideLifetime(span, mutating: &self)
    }

    /// Takes the first `length` octets of ``room()`` in.
    package mutating func commit(length: Int, to address: TransportAddress) {
        precondition(length <= MessageMemory.datagramCapacity, "longer than its room")
        memory.vectors[count].iov_len = length
        memory.names[count] = sockaddr_in(address)
        count += 1
    }

    /// Sends all.
    ///
    /// - Returns: Datagrams that the kernel refused: a full buffer, or an earlier error; they are gone, as UDP's may be.
    package mutating func send(over descriptor: Int32) -> Int {
        var sent = 0
        var refused = 0
        while sent < count {
            let result = clinux_send_messages(descriptor, memory.messages + sent, UInt32(count - sent))
            if result > 0 {
                sent += Int(result)
            } else {
                // A pending error (ECONNREFUSED) or a full buffer: this one is lost, the next may pass.
                refused += 1
                sent += 1
            }
        }
        count = 0
        return refused
    }
}
