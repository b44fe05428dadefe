/// Why a ``TelephoneEventSender`` could not be made.
package enum TelephoneEventSenderError: Error, BitwiseCopyable, Hashable, Sendable {
    /// A clock outside ``TelephoneEventSender/supportedClockRates``.
    case unsupportedClockRate(Int)
    /// A tone outside ``TelephoneEventSender/supportedToneMilliseconds``.
    case unsupportedTone(milliseconds: Int)
    /// A pause outside ``TelephoneEventSender/supportedPauseMilliseconds``.
    case unsupportedPause(milliseconds: Int)
}

/// What takes the place of one audio packet: the caller adds payload type, sequence number and SSRC.
package struct TelephoneEventPacket: BitwiseCopyable, Hashable, Sendable {
    /// Set on the first packet of a digit only, not on that of a further segment (RFC 4733 §2.5.1.3).
    package let marker: Bool
    /// When the event, or this segment of it, began: the same in all its packets.
    package let timestamp: UInt32
    package let event: TelephoneEvent
}

/// Sends digits one after the other as telephone events (RFC 4733 §2.5.1), one packet in place of each audio packet.
///
/// Ask ``nextPacket(timestamp:)`` once for every audio packet that would go out. While not ``isIdle``, what is
/// spoken must not be heard: send silence where there is no event, in the pause after a digit.
package struct TelephoneEventSender: BitwiseCopyable, Sendable {
    /// Digits that can wait, the one being sent not counted.
    package static var capacity: Int {
        @_noLocks @_noAllocation
        get { 32 }
    }
    /// Clock rates of audio formats, Hz.
    package static var supportedClockRates: ClosedRange<Int> { 8_000...192_000 }
    /// Receivers accept 40 ms (ITU-T Q.24), voice menus often not below 100.
    package static var supportedToneMilliseconds: ClosedRange<Int> { 100...6_000 }
    /// The least that leaves room for the repeated ends and a gap behind them.
    package static var supportedPauseMilliseconds: ClosedRange<Int> { 70...6_000 }

    /// Times the last packet of an event and of a segment goes out (RFC 4733 §2.5.1.4).
    private static var transmissionsOfTheLast: Int {
        @_noLocks @_noAllocation
        get { 3 }
    }
    /// The longest duration that a packet can tell.
    private static var longestSegment: UInt32 {
        @_noLocks @_noAllocation
        get { 0xFFFF }
    }

    private struct Tone: BitwiseCopyable {
        let eventCode: UInt8
        var segmentTimestamp: UInt32
        /// Clock units since the tone began, and those of its finished segments.
        var elapsed: UInt32 = 0
        var finished: UInt32 = 0
        var hasSentFirst = false
        /// How often the last packet of the segment, or of the event, is still to be repeated.
        var repetitions = 0
        var isEnding = false
    }

    private enum State: BitwiseCopyable {
        case idle
        case tone(Tone)
        case pause(elapsed: UInt32)
    }

    private let toneUnits, pauseUnits, packetUnits, clockRate: UInt32
    private let volume: UInt8
    private var state = State.idle
    private var previousTimestamp: UInt32 = 0
    private var waiting = InlineArray<32, UInt8>(repeating: 0)
    private var firstWaiting = 0
    /// Digits that wait: `0...capacity`.
    package private(set) var waitingCount = 0

    /// - Parameters:
    ///   - clockRate: Of the audio that the events take the place of, Hz (RFC 4733 §2.2).
    ///   - toneMilliseconds: Length of each digit, in ``supportedToneMilliseconds``.
    ///   - pauseMilliseconds: Least time between two digits, in ``supportedPauseMilliseconds``; it ends on the
    ///     next packet's slot.
    ///   - packetMilliseconds: Time of an audio packet.
    ///   - volume: The tone's level below 0 dBm0, in dB: `0...63`.
    /// - Throws: ``TelephoneEventSenderError``; choose values in range.
    package init(
        clockRate: Int, toneMilliseconds: Int = 160, pauseMilliseconds: Int = 100,
        packetMilliseconds: Int = 20,
        volume: UInt8 = 10
    ) throws(TelephoneEventSenderError) {
        precondition((5...120).contains(packetMilliseconds), "an audio packet holds 5 to 120 ms")
        guard Self.supportedClockRates.contains(clockRate) else { throw .unsupportedClockRate(clockRate) }
        guard Self.supportedToneMilliseconds.contains(toneMilliseconds) else {
            throw .unsupportedTone(milliseconds: toneMilliseconds)
        }
        guard Self.supportedPauseMilliseconds.contains(pauseMilliseconds) else {
            throw .unsupportedPause(milliseconds: pauseMilliseconds)
        }
        self.clockRate = UInt32(clockRate)
        toneUnits = UInt32(toneMilliseconds * clockRate / 1_000)
        pauseUnits = UInt32(pauseMilliseconds * clockRate / 1_000)
        packetUnits = UInt32(packetMilliseconds * clockRate / 1_000)
        self.volume = volume
    }

    /// Whether no digit waits, is being sent, or keeps its pause.
    package var isIdle: Bool {
        @_noLocks @_noAllocation
        get {
            guard case .idle = state else { return false }
            return waitingCount == 0
        }
    }

    /// Puts `digit` behind those that wait.
    ///
    /// - Returns: `false` if ``capacity`` digits wait; the digit is then not taken.
    @_noLocks @_noAllocation
    package mutating func enqueue(_ digit: DTMFDigit) -> Bool {
        guard waitingCount < Self.capacity else { return false }
        waiting[(firstWaiting + waitingCount) % Self.capacity] = digit.eventCode
        waitingCount += 1
        return true
    }

    /// What to send instead of the audio packet of this slot.
    ///
    /// Real-time safe. Slots left out, up to 1 s, count as time that passed; a clock that jumped further, or
    /// back, doesn't.
    ///
    /// - Parameter timestamp: The audio packet's own.
    /// - Returns: `nil` where audio goes out, as silence unless ``isIdle``.
    @_noLocks @_noAllocation
    package mutating func nextPacket(timestamp: UInt32) -> TelephoneEventPacket? {
        let step = timestamp &- previousTimestamp
        let passed = step > 0 && step <= clockRate ? step : packetUnits
        previousTimestamp = timestamp

        switch state {
        case .tone(var tone):
            // The first slot's own length was counted when the tone began.
            tone.elapsed += passed
            return advance(&tone)
        case .pause(let elapsed):
            // The slot that begins now may be the next digit's, if the pause is over by then.
            guard elapsed + passed >= pauseUnits + packetUnits else {
                state = .pause(elapsed: elapsed + passed)
                return nil
            }
            return beginNext(at: timestamp)
        case .idle:
            return beginNext(at: timestamp)
        }
    }

    @_noLocks @_noAllocation
    private mutating func beginNext(at timestamp: UInt32) -> TelephoneEventPacket? {
        guard waitingCount > 0 else {
            state = .idle
            return nil
        }
        var tone = Tone(eventCode: waiting[firstWaiting], segmentTimestamp: timestamp)
        firstWaiting = (firstWaiting + 1) % Self.capacity
        waitingCount -= 1
        tone.elapsed = packetUnits
        return advance(&tone)
    }

    /// The packet for a tone whose `elapsed` stands at the end of this slot.
    @_noLocks @_noAllocation
    private mutating func advance(_ tone: inout Tone) -> TelephoneEventPacket {
        if tone.repetitions == 0 { report(&tone) }
        tone.repetitions -= 1

        let soFar = (tone.elapsed < toneUnits ? tone.elapsed : toneUnits) - tone.finished
        let duration = tone.isEnding ? toneUnits - tone.finished : min(soFar, Self.longestSegment)
        let packet = TelephoneEventPacket(
            marker: !tone.hasSentFirst, timestamp: tone.segmentTimestamp,
            event: TelephoneEvent(
                eventCode: tone.eventCode, isEnd: tone.isEnding, volume: volume,
                duration: UInt16(truncatingIfNeeded: duration)))
        tone.hasSentFirst = true
        leave(tone, duration: duration)
        return packet
    }

    /// Decides what the next packets report, and how often.
    @_noLocks @_noAllocation
    private func report(_ tone: inout Tone) {
        let isOver = tone.elapsed >= toneUnits && toneUnits - tone.finished <= Self.longestSegment
        let isFull = tone.elapsed - tone.finished >= Self.longestSegment
        tone.isEnding = isOver
        tone.repetitions = isOver || isFull ? Self.transmissionsOfTheLast : 1
    }

    /// After a packet: the same tone, its next segment, or the pause.
    @_noLocks @_noAllocation
    private mutating func leave(_ tone: Tone, duration: UInt32) {
        guard tone.repetitions == 0 else {
            state = .tone(tone)
            return
        }
        if tone.isEnding {
            state = .pause(elapsed: tone.elapsed - toneUnits)
            return
        }
        var next = tone
        if duration == Self.longestSegment {
            next.segmentTimestamp &+= Self.longestSegment
            next.finished += Self.longestSegment
        }
        state = .tone(next)
    }
}
