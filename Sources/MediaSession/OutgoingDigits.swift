internal import AudioCodecs
internal import AudioProcessing
internal import MediaTime
package import RTP

/// What can be put in the queue of digits.
package enum DigitToSend: BitwiseCopyable, Hashable, Sendable {
    case digit(DTMFDigit)
    /// Half a second of nothing, the `w` of a dial string.
    case pause
}

/// The digits to send, one after the other: as telephone events in place of audio packets (RFC 4733), or as tones.
///
/// Tones are for where the other side takes no events and the audio is G.711. Never both.
struct OutgoingDigits: BitwiseCopyable {
    private static var capacity: Int { 64 }
    /// From the beginning of media to the first digit: a menu that has just answered isn't listening yet.
    private static var settling: Duration { .milliseconds(250) }

    private(set) var method: DigitSending.Method?
    private let earliest: MonotonicInstant
    private var queue = InlineArray<64, DigitToSend>(repeating: .pause)
    private var first = 0
    private(set) var count = 0
    /// Samples at 48 kHz that a pause still takes.
    private var pauseSamples = 0

    private var sender: TelephoneEventSender?
    private var generator = DTMFGenerator()
    /// Time on the events' clock, in samples at 48 kHz.
    private var clockSamples: UInt64 = 0
    /// Speech gives way to digits.
    private var fade = MuteFade()

    init(_ sending: DigitSending, from now: MonotonicInstant) {
        earliest = now.advanced(by: Self.settling)
        method = sending.method
        sender = sending.sender
    }

    /// Sends by what was agreed anew; digits that wait stay in the queue.
    mutating func adopt(_ sending: DigitSending) {
        guard method != sending.method else { return }
        method = sending.method
        sender = sending.sender
    }

    /// Puts one behind the others.
    ///
    /// - Returns: `false` if ``capacity`` wait, or there's no way to send any.
    mutating func append(_ item: DigitToSend) -> Bool {
        guard count < Self.capacity, method != nil else { return false }
        queue[(first + count) % Self.capacity] = item
        count += 1
        return true
    }

    mutating func removeAll() { count = 0 }

    /// Whether a digit is being sent, or waits.
    var isActive: Bool { count > 0 || isSounding || pauseSamples > 0 }

    private var isSounding: Bool {
        switch method {
        case .events: sender?.isIdle == false
        case .tones: !generator.isIdle
        case nil: false
        }
    }

    /// Takes the place of what is said in `frame`, the next to be sent.
    mutating func process(_ frame: inout MutableSpan<Int16>, at now: MonotonicInstant) {
        if !isSounding { startNext(frameSamples: frame.count, at: now) }
        fade.setMuted(isActive && now >= earliest)
        fade.apply(to: &frame)
        guard case .tones = method, !generator.isIdle else { return }
        generator.generate(into: &frame)
    }

    private mutating func startNext(frameSamples: Int, at now: MonotonicInstant) {
        if pauseSamples > 0 {
            pauseSamples -= frameSamples
            return
        }
        guard count > 0, now >= earliest else { return }
        let item = queue[first]
        first = (first + 1) % Self.capacity
        count -= 1
        switch (item, method) {
        case (.pause, _): pauseSamples = 24_000
        case (.digit(let digit), .events): _ = sender?.enqueue(digit)
        case (.digit(let digit), .tones):
            guard let signal = DTMFSignal(rawValue: digit.eventCode) else { return }
            generator.begin(
                signal, toneSamples: DigitSending.toneMilliseconds * 48,
                pauseSamples: DigitSending.pauseMilliseconds * 48)
        case (.digit, nil): break
        }
    }

    /// The event that takes the place of the audio packet at `timestamp`, on the audio's clock.
    ///
    /// An event on another clock than the audio's has its timestamp on the audio's all the same, since one stream has one
    /// time line (RFC 4733 §2.1); only its duration counts in its own units.
    mutating func nextEvent(
        timestamp: UInt32, packetSamples: Int, clockRate: Int
    ) -> (payload: MediaParameters.EventPayload, packet: TelephoneEventPacket, timestamp: UInt32)? {
        guard case .events(let payload) = method else { return nil }
        let own = UInt32(truncatingIfNeeded: clockSamples * UInt64(payload.clockRate) / 48_000)
        clockSamples += UInt64(packetSamples)
        guard let packet = sender?.nextPacket(timestamp: own) else { return nil }
        let age = Int64(own &- packet.timestamp) * Int64(clockRate) / Int64(payload.clockRate)
        return (payload, packet, timestamp &- UInt32(truncatingIfNeeded: age))
    }
}

/// How digits reach the other side, by what was agreed.
struct DigitSending: BitwiseCopyable {
    enum Method: BitwiseCopyable, Hashable {
        case events(MediaParameters.EventPayload)
        case tones
    }

    /// Long enough for every menu (ITU-T Q.24 asks for 40 and 40).
    static var toneMilliseconds: Int { 160 }
    static var pauseMilliseconds: Int { 100 }

    /// `nil` if there is no way: Opus may bend tones beyond recognition.
    let method: Method?
    let sender: TelephoneEventSender?

    init(_ parameters: MediaParameters) {
        if let payload = parameters.sendingEvents {
            method = .events(payload)
            sender = try? TelephoneEventSender(
                clockRate: payload.clockRate, toneMilliseconds: Self.toneMilliseconds,
                pauseMilliseconds: Self.pauseMilliseconds, packetMilliseconds: parameters.packetMilliseconds)
        } else {
            method = parameters.sending.format == .opus ? nil : .tones
            sender = nil
        }
    }
}

extension MediaParameters {
    /// Whether there's a way to send digits.
    package var canSendDigits: Bool { DigitSending(self).method != nil }
}
