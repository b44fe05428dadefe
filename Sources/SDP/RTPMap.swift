/// What a payload type stands for (RFC 8866 §6.6).
package struct RTPMap: Hashable, Sendable {
    package var payloadType: UInt8
    /// As written; compare without regard to case.
    package var encodingName: String
    /// Units of the RTP timestamp in a second, `1...1_000_000`.
    package var clockRate: Int
    package var channels: Int

    package init(payloadType: UInt8, encodingName: String, clockRate: Int, channels: Int = 1) {
        self.payloadType = payloadType
        self.encodingName = encodingName
        self.clockRate = clockRate
        self.channels = channels
    }

    /// Reads `111 opus/48000/2`.
    init?(parsing value: String) {
        let fields = value.fields()
        guard fields.count >= 2, let number = fields[0].decimal, number < 128 else { return nil }
        let parts = fields[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, !parts[0].isEmpty, let clockRate = parts[1].decimal,
            (1...1_000_000).contains(clockRate)
        else { return nil }
        let channels = parts.count > 2 ? parts[2].decimal ?? 1 : 1
        guard (1...255).contains(channels) else { return nil }
        self.init(
            payloadType: UInt8(number), encodingName: String(parts[0]), clockRate: clockRate,
            channels: channels)
    }

    /// What the payload type means with no `a=rtpmap`, for those that we use (RFC 3551 §6).
    fileprivate init?(static payloadType: UInt8) {
        switch payloadType {
        case 0: self.init(payloadType: 0, encodingName: "PCMU", clockRate: 8000)
        case 8: self.init(payloadType: 8, encodingName: "PCMA", clockRate: 8000)
        case 9: self.init(payloadType: 9, encodingName: "G722", clockRate: 8000)
        case 13: self.init(payloadType: 13, encodingName: "CN", clockRate: 8000)
        default: return nil
        }
    }

    var value: String {
        "\(payloadType) \(encodingName)/\(clockRate)" + (channels > 1 ? "/\(channels)" : "")
    }

    /// Whether both stand for the same, whatever their numbers.
    ///
    /// Opus has two channels in SDP whatever it carries (RFC 7587 §7), so a description that forgot to say so is understood.
    package func isSameEncoding(as other: Self) -> Bool {
        let name = encodingName.lowercased()
        return clockRate == other.clockRate && name == other.encodingName.lowercased()
            && (channels == other.channels || name == "opus")
    }
}

/// The parameters of a format: `a=fmtp:111 minptime=10;useinbandfec=1` (RFC 8866 §6.15).
package struct FormatParameters: Hashable, Sendable {
    /// As written, without the payload type.
    package var text: String

    package init(text: String) {
        self.text = text
    }

    /// The value of the parameter `name`, in any case; the first if there are several, `""` if it has none.
    package subscript(name: String) -> String? {
        for parameter in text.split(separator: ";") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(parts[0]).fields().joined(separator: " ")
            guard key.lowercased() == name.lowercased() else { continue }
            return parts.count > 1 ? String(parts[1]).fields().joined(separator: " ") : ""
        }
        return nil
    }
}

extension MediaDescription {
    /// What the payload types of the `m=` line stand for, in order; without those of unknown meaning.
    ///
    /// An `a=rtpmap` wins over the static table (RFC 3551 §6), and the first of several over the others.
    package var rtpMaps: [RTPMap] {
        var named: [UInt8: RTPMap] = [:]
        for value in values(of: "rtpmap") {
            guard let map = RTPMap(parsing: value), named[map.payloadType] == nil else { continue }
            named[map.payloadType] = map
        }
        return payloadTypes.compactMap { named[$0] ?? RTPMap(static: $0) }
    }

    /// The parameters of a payload type; empty without an `a=fmtp` of its own.
    package func formatParameters(of payloadType: UInt8) -> FormatParameters {
        for value in values(of: "fmtp") {
            let parts = value.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].decimal == Int(payloadType) else { continue }
            return FormatParameters(text: String(parts[1]))
        }
        return FormatParameters(text: "")
    }
}
