internal import AudioProcessing
internal import MediaTime
package import RTP

/// What came of a key at the other side.
package enum ReceivedDigit: BitwiseCopyable, Hashable, Sendable {
    /// It was pressed.
    case began(DTMFDigit)
    /// It was released, after `milliseconds` as far as was told; 0 if it was heard as a tone.
    case ended(DTMFDigit, milliseconds: Int)
}

/// Finds the digits in what comes: in telephone events where these were agreed on, else in the sound of G.711.
///
/// Never in both, or each would be found twice.
struct IncomingDigits: BitwiseCopyable {
    private static var capacity: Int { 32 }

    private var events = TelephoneEventReceiver()
    private var detector: DTMFDetector?
    private var found = InlineArray<32, ReceivedDigit>(repeating: .began(.zero))
    private var first = 0
    private var count = 0

    /// `listens` for tones, with no telephone events to come.
    init(listens: Bool) { detector = listens ? DTMFDetector() : nil }

    mutating func setListening(_ listens: Bool) {
        guard listens != (detector != nil) else { return }
        detector = listens ? DTMFDetector() : nil
    }

    /// Whether a key is pressed at the other side, by its events.
    var isInEvent: Bool { events.deadline != nil }

    var deadline: MonotonicInstant? { events.deadline }

    mutating func handleDeadline(at now: MonotonicInstant) {
        if let ended = events.handleDeadline(at: now) { append(ended) }
    }

    /// Takes an event's packet.
    mutating func receive(
        _ event: TelephoneEvent, _ header: RTPHeader, clockRate: Int, at now: MonotonicInstant
    ) {
        let news = events.receive(
            event, ssrc: header.ssrc, sequenceNumber: header.sequenceNumber, timestamp: header.timestamp,
            marker: header.marker, clockRate: clockRate, at: now)
        if let ended = news.endedBefore { append(ended) }
        if let digit = news.began { append(.began(digit)) }
        if let ended = news.ended { append(ended) }
    }

    /// Takes note of an audio packet, which may end an event.
    mutating func receiveAudio(_ header: RTPHeader) {
        let ended = events.receiveAudio(
            ssrc: header.ssrc, sequenceNumber: header.sequenceNumber, timestamp: header.timestamp)
        if let ended { append(ended) }
    }

    /// Listens to a frame of what is played.
    mutating func listen(to frame: Span<Int16>) {
        guard let signal = detector?.process(frame), let digit = DTMFDigit(eventCode: signal.rawValue) else {
            return
        }
        append(.began(digit))
        append(.ended(digit, milliseconds: 0))
    }

    private mutating func append(_ ended: CompletedDigit) {
        append(.ended(ended.digit, milliseconds: ended.milliseconds))
    }

    /// The newest are lost if nobody takes them.
    private mutating func append(_ digit: ReceivedDigit) {
        guard count < Self.capacity else { return }
        found[(first + count) % Self.capacity] = digit
        count += 1
    }

    mutating func take() -> ReceivedDigit? {
        guard count > 0 else { return nil }
        let digit = found[first]
        first = (first + 1) % Self.capacity
        count -= 1
        return digit
    }
}
