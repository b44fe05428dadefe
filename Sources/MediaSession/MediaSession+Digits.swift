internal import AudioCodecs
internal import AudioProcessing
internal import MediaTime
internal import RTP

extension MediaSession {
    /// Whether digits wait, or one is being sent.
    package var isSendingDigits: Bool { outgoingDigits.isActive }

    /// Puts a digit or pause behind those that wait; what is said is not heard meanwhile.
    ///
    /// - Returns: `false` if too many wait, or there's no way to send any: see ``MediaParameters/canSendDigits``.
    package mutating func send(_ digit: DigitToSend) -> Bool { outgoingDigits.append(digit) }

    /// The next that was found of the other side's digits.
    package mutating func takeDigit() -> ReceivedDigit? { incomingDigits.take() }

    /// Sends an event in place of the audio packet at `timestamp`, if it is one's turn.
    mutating func sendEvent(timestamp: UInt32) -> Bool {
        let next = outgoingDigits.nextEvent(
            timestamp: timestamp, packetSamples: packetSamples, clockRate: sending.format.clockRate)
        guard let next else { return false }
        let header = RTPHeader(
            marker: next.packet.marker, payloadType: next.payload.type, sequenceNumber: nextSequenceNumber,
            timestamp: next.timestamp, ssrc: ssrc)
        // The sound that follows is a new beginning.
        isTalkSpurtStart = true
        let length = packet.write { output in
            header.serialize(into: &output)
            next.packet.event.serialize(into: &output)
        }
        sendRTP(length: length, payloadLength: TelephoneEvent.length)
        return true
    }
}
