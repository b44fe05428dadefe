/// An `a=crypto` line that we could use (RFC 4568 §9.1).
package struct CryptoAttribute: Hashable, Sendable {
    /// `0...999_999_999`; the answer repeats the tag of the line it takes.
    package var tag: Int
    package var key: MasterKey
    /// Packets that the key may serve, `1...2^48`, or `nil` for the suite's own limit.
    package var lifetime: UInt64?
    /// What packets under this key carry to name it (RFC 3711 §3.1).
    package var masterKeyIdentifier: MasterKeyIdentifier?
    /// As given, such as `WSH=64`: only those that don't change what is sent.
    package var sessionParameters: [String]

    package init(
        tag: Int, key: MasterKey, lifetime: UInt64? = nil, masterKeyIdentifier: MasterKeyIdentifier? = nil,
        sessionParameters: [String] = []
    ) {
        self.tag = tag
        self.key = key
        self.lifetime = lifetime
        self.masterKeyIdentifier = masterKeyIdentifier
        self.sessionParameters = sessionParameters
    }
}

/// An MKI and the octets that it takes in each packet (RFC 4568 §6.1).
package struct MasterKeyIdentifier: Hashable, Sendable {
    package var value: UInt64
    /// `1...128`, and enough for ``value``.
    package var length: Int

    package init(value: UInt64, length: Int) {
        self.value = value
        self.length = length
    }

    /// As packets carry it: ``length`` octets, the most significant first.
    package var octets: [UInt8] {
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        return [UInt8](repeating: 0, count: max(0, length - 8)) + octets.suffix(length)
    }
}

/// Why a crypto line was passed over.
///
/// The lines beside it stay usable.
package enum CryptoLineProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// No tag of one to nine digits, suite, and `inline:` key.
    case malformed
    /// A tag that an earlier line has.
    case repeatedTag
    /// A suite that we don't have. Its name, if it looks like one, and not like a key in the wrong place.
    case unknownSuite(String?)
    /// Not base 64, or not the length that the suite needs.
    case badKey
    /// Several keys on one line, which need an MKI in each packet.
    case severalKeys
    /// Not `2^0...2^48` nor a number of up to that.
    case badLifetime
    /// Not a number and a length of `1...128` octets that it fits in.
    case badMasterKeyIdentifier
    /// A parameter that is unknown or unwanted, like `UNENCRYPTED_SRTCP` (RFC 4568 §6.3).
    case unsupportedParameter

    package var description: String {
        switch self {
        case .malformed: "not of the form tag suite inline:key"
        case .repeatedTag: "a tag given twice"
        case .unknownSuite(let name): name.map { "unknown suite \($0)" } ?? "unknown suite"
        case .badKey: "a key that is no base 64 of its suite's length"
        case .severalKeys: "several keys"
        case .badLifetime: "no lifetime"
        case .badMasterKeyIdentifier: "no master key identifier"
        case .unsupportedParameter: "an unknown session parameter"
        }
    }
}

/// The crypto lines of a section, in order of preference.
package struct CryptoLines: Hashable, Sendable {
    package var usable: [CryptoAttribute] = []
    package var problems: [CryptoLineProblem] = []

    /// Why none was taken, if none was.
    var allProblems: [CryptoLineProblem] {
        problems + usable.map { .unknownSuite($0.key.suite.rawValue) }
    }
}

extension MediaDescription {
    /// What the section's `a=crypto` lines say, each on its own.
    package var cryptoLines: CryptoLines {
        var lines = CryptoLines()
        for attribute in attributes where attribute.name == "crypto" {
            do throws(CryptoLineProblem) {
                let line = try CryptoAttribute(parsing: attribute.value ?? "")
                guard !lines.usable.contains(where: { $0.tag == line.tag }) else { throw .repeatedTag }
                lines.usable.append(line)
            } catch {
                lines.problems.append(error)
            }
        }
        return lines
    }
}

extension CryptoAttribute {
    /// The value of its line, with the key.
    var value: String {
        var key = "inline:" + Base64.encoded(key.keyAndSalt)
        if let lifetime { key += "|\(lifetime)" }
        if let masterKeyIdentifier { key += "|\(masterKeyIdentifier.value):\(masterKeyIdentifier.length)" }
        return (["\(tag)", self.key.suite.rawValue, key] + sessionParameters).joined(separator: " ")
    }

    /// Reads the value of a line.
    init(parsing value: String) throws(CryptoLineProblem) {
        let fields = value.fields()
        guard fields.count >= 3, fields[0].utf8.count <= 9, let tag = fields[0].decimal else {
            throw .malformed
        }
        guard let suite = CryptoSuite(rawValue: fields[1].uppercased()) else {
            let isName = fields[1].contains("_") && fields[1].utf8.count <= 40
            throw .unknownSuite(isName ? String(fields[1]) : nil)
        }
        for parameter in fields[3...] where !Self.isHarmless(parameter) { throw .unsupportedParameter }
        guard !fields[2].contains(";") else { throw .severalKeys }
        guard fields[2].prefix(7).lowercased() == "inline:" else { throw .malformed }
        let parts = fields[2].dropFirst(7).split(separator: "|", omittingEmptySubsequences: false)

        guard let octets = Base64.decoded(parts[0]), let key = MasterKey(suite: suite, keyAndSalt: octets)
        else { throw .badKey }
        self.init(tag: tag, key: key, sessionParameters: fields[3...].map(String.init))
        try readKeyParameters(parts.dropFirst())
    }

    /// Reads `[lifetime]` and `[MKI:length]`, either of which may be missing but not empty.
    private mutating func readKeyParameters(_ parts: ArraySlice<Substring>) throws(CryptoLineProblem) {
        var parts = parts
        if let first = parts.first, !first.contains(":") {
            guard let packets = Self.lifetime(first) else { throw .badLifetime }
            lifetime = packets
            parts = parts.dropFirst()
        }
        guard let last = parts.first else { return }
        let fields = last.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 1, fields.count == 2, let value = fields[0].decimal,
            let length = fields[1].decimal, (1...128).contains(length),
            length >= 8 || value >> (8 * length) == 0
        else { throw .badMasterKeyIdentifier }
        masterKeyIdentifier = MasterKeyIdentifier(value: UInt64(value), length: length)
    }

    private static func lifetime(_ text: Substring) -> UInt64? {
        let isPower = text.hasPrefix("2^")
        guard let number = (isPower ? text.dropFirst(2) : text).decimal else { return nil }
        if isPower { return number <= 48 ? 1 << UInt64(number) : nil }
        return number >= 1 && number <= 1 << 48 ? UInt64(number) : nil
    }

    /// A hint about the replay window, or an extension marked as one that may be ignored (RFC 4568 §6.3.6, §6.3.7).
    private static func isHarmless(_ parameter: Substring) -> Bool {
        if parameter.hasPrefix("-") { return true }
        guard parameter.uppercased().hasPrefix("WSH="), let size = parameter.dropFirst(4).decimal else {
            return false
        }
        return size >= 64
    }
}
