import AllocationCounter
import LinuxIO
import MediaTime
import RTP
import Testing

private let loopback = TransportAddress(address: 0x7F00_0001, port: 0)

extension OutgoingBatch {
    fileprivate mutating func append(_ octets: [UInt8], to address: TransportAddress) {
        var room = room()
        for index in octets.indices { room[index] = octets[index] }
        commit(length: octets.count, to: address)
    }
}

extension ReceivedBatch {
    fileprivate mutating func octets(_ index: Int) -> [UInt8] {
        let span = datagram(index)
        return span.indices.map { span[$0] }
    }
}

@Suite struct DatagramTests {
    @Test func aBatchArrivesWholeWithItsSourceAndTheKernelsTime() throws {
        let left = try UDPSocket(boundTo: loopback)
        let right = try UDPSocket(boundTo: loopback)
        var outgoing = OutgoingBatch()
        let before = SystemClock.now()
        let sent: [[UInt8]] = [[1], [2, 3], [UInt8](repeating: 9, count: 1_500), []]
        for datagram in sent { outgoing.append(datagram, to: right.localAddress) }
        let refused = outgoing.send(over: left.descriptor)
        #expect(refused == 0)
        var received = ReceivedBatch()
        let now = SystemClock.now()
        let isFull = received.receive(from: right.descriptor, at: now)
        #expect(!isFull)
        let count = received.count
        #expect(count == 4)
        for index in 0..<count {
            let octets = received.octets(index)
            #expect(octets == sent[index])
            #expect(received.source(of: index) == left.localAddress)
            let arrival = received.arrival(of: index)
            // The two clocks are read one after the other, so the kernel's time may seem a little early.
            #expect(arrival >= before.advanced(by: .milliseconds(-1)) && arrival <= now)
        }
    }

    @Test func aFullBatchSaysThatThereMayBeMore() throws {
        let left = try UDPSocket(boundTo: loopback)
        let right = try UDPSocket(boundTo: loopback)
        var outgoing = OutgoingBatch()
        for round in 0..<2 {
            var number: UInt8 = 0
            while !outgoing.isFull {
                outgoing.append([UInt8(round), number], to: right.localAddress)
                number += 1
            }
            _ = outgoing.send(over: left.descriptor)
        }
        var received = ReceivedBatch()
        let first = received.receive(from: right.descriptor, at: SystemClock.now())
        let second = received.receive(from: right.descriptor, at: SystemClock.now())
        let last = received.octets(15)
        let third = received.receive(from: right.descriptor, at: SystemClock.now())
        let left16 = received.count
        #expect(first && second && !third && left16 == 0)
        #expect(last == [1, 15])
    }

    @Test func aPortWhereNobodyListensCostsOnlyTheDatagram() throws {
        let left = try UDPSocket(boundTo: loopback)
        let right = try UDPSocket(boundTo: loopback)
        let nobody = TransportAddress(address: loopback.address, port: 1)
        var outgoing = OutgoingBatch()
        for _ in 0..<3 {
            outgoing.append([1], to: nobody)
            outgoing.append([2], to: right.localAddress)
            _ = outgoing.send(over: left.descriptor)
        }
        var received = ReceivedBatch()
        _ = received.receive(from: right.descriptor, at: SystemClock.now())
        let count = received.count
        #expect(count == 3)
    }

    @Test func aBusyPortIsNamedInTheError() throws {
        let first = try UDPSocket(boundTo: loopback)
        let address = first.localAddress
        var thrown: SystemError?
        do throws(SystemError) { _ = try UDPSocket(boundTo: address) } catch { thrown = error }
        #expect(thrown?.description.contains("\(address)") == true)
    }

    @Test func aPairHasAnEvenPortAndTheOneAboveItAndHoldsBoth() throws {
        let pair = try UDPSocketPair(boundTo: loopback)
        let media = pair.media.localAddress
        let reports = pair.reports.localAddress
        #expect(media.port.isMultiple(of: 2) && reports.port == media.port + 1)
        for taken in [media, reports] {
            var thrown: SystemError?
            do throws(SystemError) { _ = try UDPSocket(boundTo: taken) } catch { thrown = error }
            #expect(thrown != nil)
        }
    }

    @Test func theAddressFacingLoopbackIsLoopback() throws {
        #expect(try UDPSocket.localAddress(facing: "127.0.0.1").dottedAddress == "127.0.0.1")
    }

    @Test(.enabled(if: allocation_counting_is_available()))
    func sendingAndReceivingDoNotAllocateOrLock() throws {
        let left = try UDPSocket(boundTo: loopback)
        let right = try UDPSocket(boundTo: loopback)
        var outgoing = OutgoingBatch()
        var received = ReceivedBatch()
        var counts = (allocations: UInt64(0), locks: UInt64(0))
        var total = 0
        for round in 0..<200 {
            if round == 10 { counts = (allocation_count(), lock_count()) }
            outgoing.commit(length: 100, to: right.localAddress)
            _ = outgoing.send(over: left.descriptor)
            _ = received.receive(from: right.descriptor, at: SystemClock.now())
            total += received.count
            if received.count > 0 { _ = received.arrival(of: 0) }
        }
        let spent = (allocation_count() - counts.allocations, lock_count() - counts.locks)
        #expect(spent == (0, 0))
        #expect(total > 190)
    }
}

@Suite struct PollerTests {
    @Test func aSignalFromAnotherThreadWakesTheWaiter() throws {
        let poller = try Poller()
        let event = try EventDescriptor()
        try poller.add(event.descriptor, tag: 42)
        var ready = ReadyTags()
        let none = poller.wait(&ready, milliseconds: 0)
        event.signal()
        let one = poller.wait(&ready, milliseconds: 1_000)
        let tag = ready[0]
        event.drain()
        let again = poller.wait(&ready, milliseconds: 0)
        #expect(none == 0 && one == 1 && tag == 42 && again == 0)
    }

    @Test func aTimerOfThePastIsReadyAndOneOfTheFutureIsNot() throws {
        let poller = try Poller()
        let timer = try TimerDescriptor()
        try poller.add(timer.descriptor, tag: 7)
        var ready = ReadyTags()
        timer.arm(at: SystemClock.now().advanced(by: .seconds(3_600)))
        let early = poller.wait(&ready, milliseconds: 0)
        timer.arm(at: MonotonicInstant(nanoseconds: 0))
        let due = poller.wait(&ready, milliseconds: 1_000)
        #expect(early == 0 && due == 1)
        // Neither an old expiry nor a new one wakes any more: a loop with nothing to do must not spin.
        timer.disarm()
        let disarmed = poller.wait(&ready, milliseconds: 0)
        #expect(disarmed == 0)
    }
}

@Suite struct RingTests {
    @Test func keepsOrderBetweenTwoThreads() throws {
        var ring = Ring<Int>(capacity: 64)
        let producer = Mailbox(ring.takeProducer())
        var consumer = ring.takeConsumer()
        let thread = try SystemThread(name: "ring-producer") { _ in
            guard var end = producer.take() else { return }
            var number = 0
            while number < 100_000 { if end.push(number) { number += 1 } }
        }
        var expected = 0
        while expected < 100_000 {
            guard let number = consumer.pop() else { continue }
            guard number == expected else { break }
            expected += 1
        }
        #expect(expected == 100_000)
        thread.join()
    }

    @Test func aFullRingRefusesAndAnEmptyOneGivesNothing() {
        var ring = Ring<UInt8>(capacity: 2)
        var producer = ring.takeProducer()
        var consumer = ring.takeConsumer()
        let pushed = [producer.push(1), producer.push(2), producer.push(3)]
        let popped = [consumer.pop(), consumer.pop(), consumer.pop()]
        let news = [producer.takeNews(), producer.takeNews()]
        #expect(pushed == [true, true, false])
        #expect(popped == [1, 2, nil])
        #expect(news == [true, false])
    }
}

/// Hands a ring's end to a thread's closure, which can't consume what it captures.
private final class Mailbox: @unchecked Sendable {  // put in before the thread starts, taken by it alone
    private var content: RingProducer<Int>?

    init(_ content: consuming RingProducer<Int>) { self.content = consume content }

    func take() -> RingProducer<Int>? { content.take() }
}
