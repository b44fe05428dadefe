extension SessionDescription {
    /// The text to send, in the order of RFC 8866 §9, its lines ended by CR LF.
    ///
    /// It holds the keys: never log it, but ``redacted()``.
    package func serialized() -> String { text(masked: false) }

    /// The text to log: ``serialized()`` with keys and passwords masked.
    package func redacted() -> String { text(masked: true) }

    private func text(masked: Bool) -> String {
        let isBeforeConnection = { (line: SDPLine) in "iuep".contains(line.type) }
        var lines = ["v=0"]
        if let origin { lines.append("o=\(origin.value)") }
        lines.append("s=\(sessionName)")
        lines += otherLines.filter(isBeforeConnection).map { $0.text(masked: masked) }
        if let connection { lines.append("c=\(connection.value)") }
        lines += otherLines.filter { !isBeforeConnection($0) }.map { $0.text(masked: masked) }
        lines += attributes.map { $0.text(masked: masked) }
        for section in media { lines += section.lines(masked: masked) }
        return lines.map { $0 + "\r\n" }.joined()
    }
}

extension MediaDescription {
    fileprivate func lines(masked: Bool) -> [String] {
        var lines = [(["m=\(kind)", "\(port)", profile] + formats).joined(separator: " ")]
        lines += otherLines.filter { $0.type == "i" }.map { $0.text(masked: masked) }
        if let connection { lines.append("c=\(connection.value)") }
        lines += otherLines.filter { $0.type != "i" }.map { $0.text(masked: masked) }
        lines += attributes.map { $0.text(masked: masked) }
        return lines
    }
}

extension SessionOrigin {
    fileprivate var value: String { "\(username) \(sessionID) \(sessionVersion) \(address.value)" }
}

// What a log, a debugger or a failed test prints of a description never holds a key.

extension SessionDescription: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { redacted() }
    package var debugDescription: String { redacted() }
}

extension MediaDescription: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { lines(masked: true).joined(separator: "\n") }
    package var debugDescription: String { description }
}

extension SDPAttribute: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { text(masked: true) }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    func text(masked: Bool) -> String {
        guard let value else { return "a=\(name)" }
        return "a=\(name):\(masked ? maskedValue(value) : value)"
    }

    /// The value without what a key or password could be in, even in a line that is malformed.
    private func maskedValue(_ value: String) -> String {
        switch name.lowercased() {
        case "crypto":
            let fields = value.fields().prefix(2)
            guard let tag = fields.first, tag.decimal != nil, let suite = fields.last,
                CryptoSuite(rawValue: String(suite)) != nil
            else { return "…" }
            return "\(tag) \(suite) inline:…"
        case "key-mgmt", "ice-pwd": return "…"
        default: return value
        }
    }
}

extension SDPLine: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { text(masked: true) }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    func text(masked: Bool) -> String {
        // `k=` held keys before RFC 8866 §5.12 forbade it.
        "\(type)=\(masked && type == "k" ? "…" : value)"
    }
}
