import CCAIKit
import Dispatch
import Synchronization
import Testing

struct EventPublisherTests {
    private let queue = DispatchQueue(label: "test")

    @Test func aLateSubscriberOfAStateGetsTheCurrentValueThenTheLaterOnes() async {
        let subject = EventSubject<Int>(isReplaying: true, queue: queue)
        subject.send(1)
        subject.send(2)
        let values = subject.publisher.values
        subject.send(3)
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 2)
        #expect(await iterator.next() == 3)
    }

    @Test func aLateSubscriberOfEventsGetsOnlyLaterOnes() async {
        let subject = EventSubject<Int>(isReplaying: false, queue: queue)
        subject.send(1)
        var iterator = subject.publisher.values.makeAsyncIterator()
        subject.send(2)
        #expect(await iterator.next() == 2)
    }

    @Test func allSubscribersSeeOneOrderFromManyThreads() async {
        let subject = EventSubject<Int>(isReplaying: false, queue: queue)
        let values = [subject.publisher.values, subject.publisher.values]
        DispatchQueue.concurrentPerform(iterations: 200) { subject.send($0) }
        var seen: [[Int]] = []
        for stream in values {
            var collected: [Int] = []
            for await value in stream {
                collected.append(value)
                if collected.count == 200 { break }
            }
            seen.append(collected)
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0].sorted() == Array(0..<200))
    }

    @Test func nothingArrivesAfterTheEnd() {
        let subject = EventSubject<Int>(isReplaying: false, queue: queue)
        let seen = Mutex<[Int]>([])
        let subscription = subject.publisher.sink { value in seen.withLock { $0.append(value) } }
        subject.send(1)
        queue.sync {}
        queue.suspend()
        subject.send(2)
        subscription.cancel()
        queue.resume()
        subject.send(3)
        queue.sync {}
        #expect(seen.withLock { $0 } == [1])
    }

    @Test func releasingEndsTheSubscription() {
        let subject = EventSubject<Int>(isReplaying: false, queue: queue)
        let seen = Mutex<[Int]>([])
        var kept: Set<AnyCancellable> = []
        subject.publisher.sink { value in seen.withLock { $0.append(value) } }.store(in: &kept)
        subject.send(1)
        queue.sync {}
        kept.removeAll()
        subject.send(2)
        queue.sync {}
        #expect(seen.withLock { $0 } == [1])
    }

    @Test func aSubscriberMaySendAndSubscribeInItsCallback() async {
        let subject = EventSubject<Int>(isReplaying: true, queue: queue)
        let subscription = subject.publisher.sink { value in
            if value < 3 { subject.send(value + 1) }
            _ = subject.publisher.sink { _ in }
        }
        let values = subject.publisher.values
        subject.send(0)
        var seen: [Int] = []
        for await value in values {
            seen.append(value)
            if value == 3 { break }
        }
        #expect(seen == [0, 1, 2, 3])
        subscription.cancel()
    }

    @Test func deliversOnTheQueueThatWasAskedFor() async {
        let key = DispatchSpecificKey<Int>()
        let other = DispatchQueue(label: "other")
        other.setSpecific(key: key, value: 7)
        let subject = EventSubject<Int>(isReplaying: true, queue: queue)
        subject.send(1)
        let places = AsyncStream<Int?>.makeStream()
        let subscription = subject.publisher.receive(on: other).sink { _ in
            places.continuation.yield(DispatchQueue.getSpecific(key: key))
        }
        subject.send(2)
        var iterator = places.stream.makeAsyncIterator()
        #expect(await iterator.next() == .some(7))
        #expect(await iterator.next() == .some(7))
        subscription.cancel()
    }
}

@MainActor private final class Screen {
    var seen: [Int] = []
    var subscriptions: Set<AnyCancellable> = []

    func watch(_ publisher: EventPublisher<Int>, until last: Int, _ done: @escaping () -> Void) {
        publisher.receive(on: DispatchQueue.main).sink { [weak self] value in
            self?.seen.append(value)
            if value == last { done() }
        }.store(in: &subscriptions)
    }
}

struct MainActorSubscriberTests {
    @Test @MainActor func aClosureWrittenOnTheMainActorUsesItsState() async {
        let subject = EventSubject<Int>(isReplaying: true, queue: DispatchQueue(label: "test"))
        let screen = Screen()
        let done = AsyncStream<Void>.makeStream()
        screen.watch(subject.publisher, until: 2) { done.continuation.yield() }
        subject.send(1)
        subject.send(2)
        for await _ in done.stream { break }
        #expect(screen.seen == [1, 2])
    }
}
