import FuzzSupport
import MediaTime
import RTP

/// A receiver of digits, hearing whatever packets come in whatever order, and the account of what it said.
struct Listening {
    private var receiver = TelephoneEventReceiver()
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var pressed: DTMFDigit?
    private var sequenceNumbers: [UInt16] = [65_530, 7]
    private var timestamps: [UInt32] = [.max - 1_000, 5_000]

    mutating func step(_ input: inout FuzzInput) {
        let choice = input.octet()
        let source = Int(choice & 1)
        let ssrc = SSRC(rawValue: source == 0 ? 0xDECA_FBAD : 1)
        sequenceNumbers[source] &+= UInt16(truncatingIfNeeded: Int(Int8(bitPattern: input.octet())))
        let units = UInt32(truncatingIfNeeded: Int(Int8(bitPattern: input.octet())))
        timestamps[source] &+= units &* (choice & 2 == 0 ? 160 : 1)
        now = now.advanced(by: .milliseconds(Int(input.octet())))
        let sequenceNumber = SequenceNumber(rawValue: sequenceNumbers[source])
        switch choice >> 6 {
        case 0:
            let ended = receiver.receiveAudio(
                ssrc: ssrc, sequenceNumber: sequenceNumber, timestamp: timestamps[source])
            take(TelephoneEventNews(ended: ended))
        case 1:
            let wasDue = receiver.deadline.map { $0 <= now } ?? false
            let ended = receiver.handleDeadline(at: now)
            precondition(wasDue || ended == nil, "no press ends before its deadline")
            precondition(receiver.deadline.map { $0 > now } ?? true, "a deadline that has passed is done")
            take(TelephoneEventNews(ended: ended))
        default:
            let payload = (0..<4).map { _ in input.octet() }
            guard let event = try? TelephoneEvent(parsing: payload.span) else { return }
            let news = receiver.receive(
                event, ssrc: ssrc, sequenceNumber: sequenceNumber, timestamp: timestamps[source],
                marker: choice & 4 != 0, clockRate: [8_000, 16_000, 48_000][Int(choice >> 3) % 3], at: now)
            take(news)
        }
        precondition(pressed == nil || receiver.deadline != nil, "a press that goes on ends some time")
    }

    private mutating func take(_ news: TelephoneEventNews) {
        if let ended = news.endedBefore { close(ended) }
        if let digit = news.began {
            precondition(pressed == nil, "one key at a time")
            pressed = digit
        }
        if let ended = news.ended { close(ended) }
    }

    private mutating func close(_ ended: CompletedDigit) {
        precondition(ended.digit == pressed, "what ends is what began")
        precondition(ended.milliseconds >= 0, "no press is shorter than nothing")
        pressed = nil
    }
}

@main enum FuzzTelephoneEvent {
    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        checkPayload(octets)
        var input = FuzzInput(octets)
        var listening = Listening()
        while !input.isAtEnd { listening.step(&input) }
    }

    /// A payload has four octets at least, and one written again reads the same.
    private static func checkPayload(_ octets: [UInt8]) {
        guard let event = try? TelephoneEvent(parsing: octets.span) else { return }
        precondition(octets.count >= TelephoneEvent.length, "nothing is read past the end")
        let written = [UInt8](capacity: TelephoneEvent.length) { event.serialize(into: &$0) }
        precondition(written.count == TelephoneEvent.length, "a payload has its length")
        guard let again = try? TelephoneEvent(parsing: written.span) else {
            preconditionFailure("what is written can be read")
        }
        precondition(again == event, "a payload is read as it was written")
    }
}
