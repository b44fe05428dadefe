import JitterBuffer
import MediaTime

/// A 20 ms stream at 48 kHz on its way through a jitter buffer, in virtual time.
struct Playout: ~Copyable {
    /// What was heard, in order, 20 ms or less each.
    enum Heard: Equatable {
        case packet(UInt16)
        case recovered
        case concealed(ConcealmentReason)
        case rest
    }

    struct Arrival {
        var milliseconds: Double
        var number: Int
        var timestampOffset = 0
        var startsPause = false
        var isSoundless = false
    }

    var buffer = JitterBuffer(.init(clockRate: 48_000))
    var heard: [Heard] = []
    var delays: [Double] = []
    var outcomes: [InsertionOutcome] = []
    private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var nextPlayout = MonotonicInstant(nanoseconds: 1_000_000_000)
    private let firstSequence: UInt16
    private let firstTimestamp: UInt32

    init(firstSequence: UInt16 = 100, firstTimestamp: UInt32 = 5_000) {
        self.firstSequence = firstSequence
        self.firstTimestamp = firstTimestamp
    }

    /// Lets each packet arrive at its time, and plays up to `end` ms after the start.
    mutating func run(_ arrivals: [Arrival], until end: Double) {
        for arrival in arrivals.sorted(by: { $0.milliseconds < $1.milliseconds }) {
            let time = MonotonicInstant(nanoseconds: 1_000_000_000 + Int64(arrival.milliseconds * 1e6))
            play(until: time)
            let number = UInt16(truncatingIfNeeded: arrival.number)
            let packet = BufferedPacket(
                sequenceNumber: firstSequence &+ number,
                timestamp: firstTimestamp
                    &+ UInt32(truncatingIfNeeded: arrival.number * 960 + arrival.timestampOffset),
                durationTicks: arrival.isSoundless ? 0 : 960, payloadType: 111,
                startsPause: arrival.startsPause)
            outcomes.append(
                buffer.insert(packet, payload: [UInt8(truncatingIfNeeded: number)].span, at: time))
        }
        play(until: MonotonicInstant(nanoseconds: 1_000_000_000 + Int64(end * 1e6)))
    }

    private mutating func play(until end: MonotonicInstant) {
        while nextPlayout <= end {
            now = nextPlayout
            var ticks = 960
            switch buffer.nextDecision(at: now) {
            case .play(let slot):
                heard.append(.packet(buffer.packet(inSlot: slot).sequenceNumber &- firstSequence))
                if let delay = buffer.currentDelay(at: now) { delays.append(delay.inMilliseconds + 20) }
            case .recover(_, let count):
                heard.append(.recovered)
                ticks = count
            case .conceal(let count, let reason):
                heard.append(.concealed(reason))
                ticks = count
            case .rest(let count):
                heard.append(.rest)
                ticks = count
            }
            nextPlayout = nextPlayout.advanced(by: .nanoseconds(Int64(ticks) * 1_000_000_000 / 48_000))
        }
    }

    var packetsHeard: [UInt16] {
        heard.compactMap { if case .packet(let number) = $0 { number } else { nil } }
    }

    var concealments: Int {
        heard.filter { if case .concealed = $0 { true } else { false } }.count
    }

    /// `count` packets 20 ms apart, each `delay` ms after it was sent.
    static func stream(_ numbers: Range<Int>, delay: (Int) -> Double = { _ in 0 }) -> [Arrival] {
        numbers.map { Arrival(milliseconds: Double($0) * 20 + delay($0), number: $0) }
    }
}
