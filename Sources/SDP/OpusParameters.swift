/// What one side asks of the Opus streams that it receives (RFC 7587 §6.1).
package struct OpusParameters: Hashable, Sendable {
    /// Whether to send forward error correction in the packets.
    package var wantsForwardErrorCorrection: Bool
    /// Whether to pause in silence.
    package var wantsDiscontinuousTransmission: Bool
    /// Whether packets should all be of one size.
    package var wantsConstantBitrate: Bool
    /// Whether it would make use of two channels.
    package var prefersStereo: Bool
    /// In bit/s, `6000...510_000`: what it can take on average.
    package var maximumAverageBitrate: Int?
    /// In Hz, `8000...48_000`: above half of that it plays nothing.
    package var maximumPlaybackRate: Int?
    /// In ms, `3...120`: the shortest packets that it likes.
    package var minimumPacketDuration: Int?

    package init(
        wantsForwardErrorCorrection: Bool = true, wantsDiscontinuousTransmission: Bool = false,
        wantsConstantBitrate: Bool = false, prefersStereo: Bool = false, maximumAverageBitrate: Int? = nil,
        maximumPlaybackRate: Int? = nil, minimumPacketDuration: Int? = 10
    ) {
        self.wantsForwardErrorCorrection = wantsForwardErrorCorrection
        self.wantsDiscontinuousTransmission = wantsDiscontinuousTransmission
        self.wantsConstantBitrate = wantsConstantBitrate
        self.prefersStereo = prefersStereo
        self.maximumAverageBitrate = maximumAverageBitrate
        self.maximumPlaybackRate = maximumPlaybackRate
        self.minimumPacketDuration = minimumPacketDuration
    }

    /// Reads an `a=fmtp`.
    ///
    /// A value out of its range counts as not given.
    package init(_ parameters: FormatParameters) {
        func number(_ name: String, in range: ClosedRange<Int>) -> Int? {
            parameters[name]?.decimal.flatMap { range.contains($0) ? $0 : nil }
        }
        wantsForwardErrorCorrection = parameters["useinbandfec"] == "1"
        wantsDiscontinuousTransmission = parameters["usedtx"] == "1"
        wantsConstantBitrate = parameters["cbr"] == "1"
        prefersStereo = parameters["stereo"] == "1"
        maximumAverageBitrate = number("maxaveragebitrate", in: 6000...510_000)
        maximumPlaybackRate = number("maxplaybackrate", in: 8000...48_000)
        minimumPacketDuration = number("minptime", in: 3...120)
    }

    /// The parameters that differ from their defaults.
    var value: String {
        var parts: [String] = []
        if let minimumPacketDuration { parts.append("minptime=\(minimumPacketDuration)") }
        if wantsForwardErrorCorrection { parts.append("useinbandfec=1") }
        if wantsDiscontinuousTransmission { parts.append("usedtx=1") }
        if wantsConstantBitrate { parts.append("cbr=1") }
        if prefersStereo { parts.append("stereo=1") }
        if let maximumAverageBitrate { parts.append("maxaveragebitrate=\(maximumAverageBitrate)") }
        if let maximumPlaybackRate { parts.append("maxplaybackrate=\(maximumPlaybackRate)") }
        return parts.joined(separator: ";")
    }
}
