/// A session description (RFC 8866): what one side of a call offers or answers.
///
/// Not for the media path: it is made of strings. Attributes and lines that we don't know are kept and written back.
package struct SessionDescription: Hashable, Sendable {
    /// Octets that are read at most; the largest in the field have some tens of thousands.
    package static let maximumLength = 262_144
    /// Media sections that are read at most.
    package static let maximumMediaCount = 64

    package var origin: SessionOrigin?
    /// `-` for none (RFC 8866 §5.3).
    package var sessionName: String
    /// Where media goes, for sections that don't say so themselves.
    package var connection: ConnectionAddress?
    package var attributes: [SDPAttribute]
    /// The other lines of the session, `i u e p b t r z k`, in the order they came.
    package var otherLines: [SDPLine]
    package var media: [MediaDescription]
    /// What was overlooked in parsing; empty in a description that we made.
    package var warnings: [SDPWarning] = []

    package init(
        origin: SessionOrigin?, sessionName: String = "-", connection: ConnectionAddress? = nil,
        attributes: [SDPAttribute] = [], otherLines: [SDPLine] = [SDPLine(type: "t", value: "0 0")],
        media: [MediaDescription] = []
    ) {
        self.origin = origin
        self.sessionName = sessionName
        self.connection = connection
        self.attributes = attributes
        self.otherLines = otherLines
        self.media = media
    }
}

/// Who made a description, and which edition it is (RFC 8866 §5.2).
package struct SessionOrigin: Hashable, Sendable {
    package var username: String
    /// The same through all descriptions of one session.
    package var sessionID: UInt64
    /// One more in each changed description (RFC 3264 §8).
    package var sessionVersion: UInt64
    package var address: ConnectionAddress

    package init(
        username: String = "-", sessionID: UInt64, sessionVersion: UInt64, address: ConnectionAddress
    ) {
        self.username = username
        self.sessionID = sessionID
        self.sessionVersion = sessionVersion
        self.address = address
    }

    /// Reads the value of an `o=` line.
    init?(parsing value: String) {
        let fields = value.fields()
        guard fields.count == 6, let sessionID = UInt64(fields[1]), let sessionVersion = UInt64(fields[2]),
            let address = ConnectionAddress(fields: fields[3...])
        else { return nil }
        self.init(
            username: String(fields[0]), sessionID: sessionID, sessionVersion: sessionVersion,
            address: address)
    }
}

/// A network address, numeric or a name (RFC 8866 §5.7).
package struct ConnectionAddress: Hashable, Sendable {
    package enum Family: String, Hashable, Sendable {
        case ip4 = "IP4"
        case ip6 = "IP6"
    }

    package var family: Family
    package var host: String

    package init(family: Family, host: String) {
        self.family = family
        self.host = host
    }

    /// Whether it is `0.0.0.0` or `::`: nothing may be sent there (RFC 3264 §8.4).
    package var isUnspecified: Bool {
        host.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: family == .ip4 ? "." : ":") }
    }

    /// Reads `IN IP4 host`; what follows a slash, as in multicast, is dropped.
    init?(fields: ArraySlice<Substring>) {
        guard fields.count == 3, let network = fields.first, network.uppercased() == "IN",
            let family = Family(rawValue: fields[fields.startIndex + 1].uppercased()),
            let host = fields[fields.startIndex + 2].split(separator: "/").first
        else { return nil }
        self.init(family: family, host: String(host))
    }

    var value: String { "IN \(family.rawValue) \(host)" }
}

/// A line that we keep without reading it: its letter and what follows the equals sign.
package struct SDPLine: Hashable, Sendable {
    package var type: Character
    package var value: String

    package init(type: Character, value: String) {
        self.type = type
        self.value = value
    }
}

/// An `a=` line: `name` or `name:value` (RFC 8866 §5.13).
package struct SDPAttribute: Hashable, Sendable {
    package var name: String
    package var value: String?

    package init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }
}

extension String {
    /// What stands between spaces and tabs.
    func fields() -> [Substring] {
        split { $0 == " " || $0 == "\t" }
    }
}

extension StringProtocol {
    /// The number that these are the decimal digits of, and nothing else, with up to 18 of them.
    var decimal: Int? {
        guard utf8.count <= 18, utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(self)
    }
}
