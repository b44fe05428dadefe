import AudioCodecs
import MediaSession
import MediaTime
import RTP
import TestSupport
import Testing

extension Listener {
    fileprivate mutating func run(seconds: Int, from first: Int) {
        run(first..<(first + seconds * 50), timestamp: { $0 * 160 })
        if now >= session.deadline { session.handleDeadline(at: now) }
    }
}

@Suite("The watch over what comes")
struct WatchdogTests {
    // HOLD-04
    @Test func aHeldCallMayBeSilentForAsLongAsItLikes() throws {
        var listener = try Listener { $0.timeout = .seconds(10) }
        listener.run(seconds: 2, from: 0)
        _ = listener.session.takeEvents()
        listener.session.setOnHold(true, at: listener.now)
        listener.wait(600_000)
        #expect(listener.session.takeEvents().isEmpty)
        // Resumed, it has the whole time again.
        listener.session.setOnHold(false, at: listener.now)
        listener.wait(9_900)
        #expect(listener.session.takeEvents().isEmpty)
        listener.wait(200)
        #expect(listener.session.takeEvents() == .timedOut)
        listener.run(seconds: 1, from: 100)
        #expect(listener.session.takeEvents() == .resumed)
    }

    // HOLD-04
    @Test func aCallThatTheOtherSideHoldsMayBeSilentToo() throws {
        var pair = try MediaPair(
            .pcmu, links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)]
        ) { parameters, _ in
            parameters.timeout = .seconds(10)
            parameters.usesRTCPMultiplexing = false
        }
        let tone = (0..<480).map { Int16(truncatingIfNeeded: $0 * 64) }
        pair.run(for: .seconds(2)) { _, _ in tone }
        _ = pair.right.takeEvents()
        // Left holds, and right is told to send nothing and to expect nothing: inactive.
        try pair.agreeAnew { parameters, _ in
            parameters.sendsAudio = false
            parameters.receivesAudio = false
        }
        let sent = pair.left.statistics(at: pair.now).packetsSent
        pair.keepsAudio = false
        pair.run(for: .seconds(120)) { _, _ in tone }
        #expect(pair.left.statistics(at: pair.now).packetsSent == sent)
        #expect(pair.right.takeEvents().isEmpty)
        // With nothing else on the way, an empty datagram every 15 s keeps it open.
        #expect((7...8).contains(pair.right.statistics(at: pair.now).drops[.keepAlive]))
        try pair.agreeAnew { parameters, _ in
            parameters.sendsAudio = true
            parameters.receivesAudio = true
        }
        pair.run(for: .seconds(12)) { _, _ in tone }
        #expect(pair.right.takeEvents().isEmpty)
        #expect(pair.right.statistics(at: pair.now).packetsReceived >= 690)
    }

    // HOLD-05
    @Test func ringingIsNoSilence() throws {
        // Media begins with the answer, however long it rang.
        var listener = try Listener { $0.timeout = .seconds(10) }
        listener.wait(900)
        listener.run(seconds: 2, from: 0)
        #expect(listener.session.takeEvents() == .started)
        listener.wait(9_000)
        #expect(listener.session.takeEvents().isEmpty)
    }

    // NAT-01
    @Test func aCallInWhichNoSoundComesSaysSoOnceAndWhereItCameFrom() throws {
        var listener = try Listener()
        let elsewhere = TransportAddress(address: 0x0A00_0001, port: 9_000)
        for number in 0..<140 {
            listener.take(number, timestamp: number * 160, from: elsewhere)
            listener.wait(20)
        }
        #expect(listener.session.takeEvents().isEmpty)
        listener.wait(400)
        #expect(listener.session.takeEvents() == .oneWay)
        #expect(listener.statistics.rejectedAddress == elsewhere)
        #expect(listener.statistics.remoteAddress == Listener.sender)
        #expect(listener.statistics.drops[.unknownSource] == 140)
        listener.wait(2_000)
        #expect(listener.session.takeEvents().isEmpty)
        listener.run(seconds: 1, from: 0)
        #expect(listener.session.takeEvents() == [.started, .twoWay])
    }

    @Test func mutingIsNoSilenceToTheOtherSide() throws {
        var pair = try MediaPair(
            .opus, links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)]
        ) { parameters, _ in parameters.timeout = .seconds(2) }
        pair.left.setMuted(true)
        pair.run(for: .seconds(20)) { _, _ in [Int16](repeating: 1_000, count: 480) }
        #expect(pair.right.takeEvents() == .started)
        #expect(pair.right.statistics(at: pair.now).packetsReceived >= 997)
    }
}

@Suite("Where plain RTP is taken from")
struct AddressLatchTests {
    static let otherPort = TransportAddress(address: Listener.sender.address, port: 40_000)
    static let thirdPort = TransportAddress(address: Listener.sender.address, port: 50_000)
    static let stranger = TransportAddress(address: 0xC000_0209, port: 6_000)

    // SEC-01
    @Test func anotherHostNeverTakesTheStreamBeforeNorAfterItsOwnerCame() throws {
        var listener = try Listener()
        for number in 0..<100 {
            listener.take(number, timestamp: number * 160, ssrc: 99, from: Self.stranger)
        }
        #expect(listener.session.remoteAddress == Listener.sender)
        #expect(listener.statistics.packetsReceived == 0)
        for number in 0..<50 {
            listener.take(number, timestamp: number * 160)
            for copy in 0..<20 {
                listener.take(
                    number * 20 + copy, timestamp: number * 160, ssrc: copy % 2 == 0 ? 7 : 99,
                    from: Self.stranger)
            }
            listener.play(20)
        }
        #expect(listener.session.remoteAddress == Listener.sender)
        // The first is heard, and not counted: it is the source's probation.
        #expect(listener.statistics.packetsReceived == 49)
        #expect(listener.statistics.packetsLost == 0)
        #expect(listener.statistics.jitterMilliseconds == 0)
        #expect(listener.statistics.drops[.unknownSource] == 1_100)
    }

    // SEC-01
    @Test func anotherPortOfTheHostIsFoundOnceAndKeptTo() throws {
        var listener = try Listener()
        for number in 0..<10 {
            listener.take(number, timestamp: number * 160, from: Self.otherPort)
            listener.play(20)
        }
        #expect(listener.session.remoteAddress == Self.otherPort)
        let received = listener.statistics.packetsReceived
        #expect(received >= 9)
        for number in 10..<20 { listener.take(number, timestamp: number * 160, from: Self.thirdPort) }
        #expect(listener.session.remoteAddress == Self.otherPort)
        #expect(listener.statistics.packetsReceived == received)
    }

    // SEC-01
    @Test func afterTheFirstSecondsNoOtherPortIsTaken() throws {
        var listener = try Listener()
        listener.wait(5_000)
        for number in 0..<10 { listener.take(number, timestamp: number * 160, from: Self.otherPort) }
        #expect(listener.session.remoteAddress == Listener.sender)
        #expect(listener.statistics.packetsReceived == 0)
    }

    // SEC-01
    @Test func whatIsNoMediaLatchesNothing() throws {
        var listener = try Listener()
        listener.take([0x80, 0x7E, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 1, 2, 3], from: Self.otherPort)
        listener.take([0x80], from: Self.otherPort)
        listener.take([], from: Self.otherPort)
        #expect(listener.session.remoteAddress == Listener.sender)
    }
}
