/// Who sends, seen from the side whose description says it (RFC 8866 §6.7).
package enum MediaDirection: String, Hashable, Sendable, CaseIterable {
    case sendrecv, sendonly, recvonly, inactive

    package init(sends: Bool, receives: Bool) {
        switch (sends, receives) {
        case (true, true): self = .sendrecv
        case (true, false): self = .sendonly
        case (false, true): self = .recvonly
        case (false, false): self = .inactive
        }
    }

    package var sends: Bool { self == .sendrecv || self == .sendonly }
    package var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The same, seen from the other side.
    package var reversed: Self { Self(sends: receives, receives: sends) }

    /// What both allow, seen from the same side.
    package func intersection(_ other: Self) -> Self {
        Self(sends: sends && other.sends, receives: receives && other.receives)
    }
}

/// An `m=` line and the lines that belong to it (RFC 8866 §5.14).
package struct MediaDescription: Hashable, Sendable {
    /// What is sent, such as `audio`.
    package var kind: String
    /// Where the describing side receives, or 0 for a section that is off (RFC 3264 §6, §8.2).
    package var port: UInt16
    /// How it is sent, such as `RTP/AVP` and `RTP/SAVP`.
    package var profile: String
    /// For RTP, payload types in the order of preference.
    package var formats: [String]
    package var connection: ConnectionAddress?
    package var attributes: [SDPAttribute]
    /// The other lines of the section, `i b k`, in the order they came.
    package var otherLines: [SDPLine]

    package init(
        kind: String, port: UInt16, profile: String, formats: [String], connection: ConnectionAddress? = nil,
        attributes: [SDPAttribute] = [], otherLines: [SDPLine] = []
    ) {
        self.kind = kind
        self.port = port
        self.profile = profile
        self.formats = formats
        self.connection = connection
        self.attributes = attributes
        self.otherLines = otherLines
    }

    /// Reads the value of an `m=` line.
    ///
    /// How many ports there are, after a slash, is dropped.
    init?(parsing value: String) {
        let fields = value.fields()
        guard fields.count >= 3, let port = fields[1].split(separator: "/").first?.decimal,
            let port = UInt16(exactly: port)
        else { return nil }
        self.init(
            kind: String(fields[0]), port: port, profile: String(fields[2]),
            formats: fields[3...].map(String.init))
    }
}

extension MediaDescription {
    /// The values of the attributes called `name`, those without a value left out.
    func values(of name: String) -> some Sequence<String> {
        attributes.lazy.filter { $0.name == name }.compactMap(\.value)
    }

    var isAudio: Bool { kind.lowercased() == "audio" }

    /// Payload types of the `m=` line, each once, in order.
    package var payloadTypes: [UInt8] {
        var seen: Set<UInt8> = []
        return formats.compactMap { format in
            guard let number = format.decimal, number < 128, seen.insert(UInt8(number)).inserted else {
                return nil
            }
            return UInt8(number)
        }
    }

    /// Audio in a packet that the describing side wants to receive, ms.
    package var packetDuration: Int? { duration(of: "ptime") }

    /// Audio in a packet that the describing side can receive at most, ms.
    package var maximumPacketDuration: Int? { duration(of: "maxptime") }

    private func duration(of name: String) -> Int? {
        values(of: name).lazy
            .compactMap { $0.prefix { $0.isASCII && $0.isNumber }.decimal }
            .first { (1...10_000).contains($0) }
    }

    /// The section's direction, or `nil` if it takes the session's.
    package var direction: MediaDirection? { attributes.direction }

    /// Whether the describing side can receive RTCP on its RTP port (RFC 5761 §5.1.1).
    package var hasRTCPMultiplexing: Bool { attributes.contains { $0.name == "rtcp-mux" } }

    /// Where the describing side receives RTCP if it isn't multiplexed: `a=rtcp` (RFC 3605 §2.1), else the port above
    /// the media's; `nil` if there is neither.
    package var rtcpPort: UInt16? {
        if let named { return named.port == 0 ? nil : named.port }
        return port > 0 && port < UInt16.max ? port + 1 : nil
    }

    /// The address that `a=rtcp` names; `nil` if it is that of the media.
    package var rtcpAddress: ConnectionAddress? { named?.address }

    /// What the first `a=rtcp` that can be read says.
    private var named: (port: UInt16, address: ConnectionAddress?)? {
        for value in values(of: "rtcp") {
            let fields = value.fields()
            guard let port = fields.first?.decimal.flatMap({ UInt16(exactly: $0) }) else { continue }
            return (port, ConnectionAddress(fields: fields.dropFirst()))
        }
        return nil
    }
}

extension [SDPAttribute] {
    /// The last direction that is named, or `nil`.
    var direction: MediaDirection? {
        last { MediaDirection(rawValue: $0.name) != nil }.flatMap { MediaDirection(rawValue: $0.name) }
    }
}

extension SessionDescription {
    /// Who sends in `media`, one of this description's sections: its own word, the session's, or `sendrecv`.
    package func direction(of media: MediaDescription) -> MediaDirection {
        media.direction ?? attributes.direction ?? .sendrecv
    }

    /// Where `media`, one of this description's sections, is received.
    package func connection(of media: MediaDescription) -> ConnectionAddress? {
        media.connection ?? connection
    }
}
