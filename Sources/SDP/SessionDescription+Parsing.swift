extension SessionDescription {
    /// Reads a description as the field writes them, which is not always as RFC 8866 §9 does.
    ///
    /// Lines may end in CR LF, LF, CR or nothing, and in spaces; empty lines and null octets don't count; the order is free
    /// but for `v=` and `m=`. What had to be overlooked is in ``warnings``.
    package init(parsing text: String) throws(SDPParseError) {
        let length = text.utf8.count
        guard length <= Self.maximumLength else { throw .tooLong(octets: length) }
        var parser = DescriptionParser()
        var number = 0
        for line in Self.lines(of: text) {
            number += 1
            guard !line.isEmpty else { continue }
            try parser.read(line, number: number)
        }
        self = try parser.finish()
    }

    /// The lines without what they end in; a CR LF ends one line, not two.
    private static func lines(of text: String) -> [String] {
        let octets = text.utf8.filter { $0 != 0 }
        var lines: [String] = []
        var start = 0
        for index in octets.indices {
            let isReturn = octets[index] == 0x0D
            guard isReturn || octets[index] == 0x0A else { continue }
            let isSecondHalf = !isReturn && index > 0 && octets[index - 1] == 0x0D
            if !isSecondHalf { lines.append(trimmed(octets[start..<index])) }
            start = index + 1
        }
        lines.append(trimmed(octets[start...]))
        return lines
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> String {
        let end = line.lastIndex { $0 != 0x20 && $0 != 0x09 }
        return end.map { String(decoding: line[line.startIndex...$0], as: UTF8.self) } ?? ""
    }
}

/// Takes line after line, and knows which section it is in.
private struct DescriptionParser {
    private var description = SessionDescription(origin: nil, otherLines: [])
    private var hasVersion = false
    private var hasSessionName = false
    /// How far the order of RFC 8866 §9 has come in this section.
    private var place = 0

    mutating func read(_ line: String, number: Int) throws(SDPParseError) {
        let type = line.first ?? " "
        guard line.utf8.dropFirst().first == UInt8(ascii: "="), type.isASCII, type.isLetter else {
            guard hasVersion else { throw .noVersion(line: number) }
            warn(.malformedLine, number)
            return
        }
        let value = String(line.dropFirst(2))
        guard hasVersion else {
            guard type == "v", value == "0" else { throw .noVersion(line: number) }
            hasVersion = true
            return
        }
        checkOrder(of: type, number)
        switch type {
        case "m": try readMedia(value, number)
        case "c": try readConnection(value, number)
        case "a": readAttribute(value, number)
        case "v": warn(.repeatedLine, number)
        case "o" where description.media.isEmpty: readOrigin(value, number)
        case "s" where description.media.isEmpty: readSessionName(value, number)
        default: keep(SDPLine(type: type, value: value))
        }
    }

    func finish() throws(SDPParseError) -> SessionDescription {
        guard hasVersion else { throw .empty }
        return description
    }

    private mutating func warn(_ kind: SDPWarning.Kind, _ number: Int) {
        description.warnings.append(SDPWarning(kind: kind, line: number))
    }

    private mutating func checkOrder(of type: Character, _ number: Int) {
        guard type != "m" else {
            place = 0
            return
        }
        let order: [Character] =
            description.media.isEmpty
            ? ["v", "o", "s", "i", "u", "e", "p", "c", "b", "t", "r", "z", "k", "a"]
            : ["i", "c", "b", "k", "a"]
        guard let here = order.firstIndex(of: type) else { return }
        // Times repeat with their own r= lines.
        if here < place, !(type == "t" && order[place] == "r") { warn(.outOfOrder, number) }
        place = max(place, here)
    }

    private mutating func readMedia(_ value: String, _ number: Int) throws(SDPParseError) {
        guard description.media.count < SessionDescription.maximumMediaCount else {
            throw .tooManyMediaSections(line: number)
        }
        guard let media = MediaDescription(parsing: value) else { throw .malformedMedia(line: number) }
        description.media.append(media)
    }

    private mutating func readConnection(_ value: String, _ number: Int) throws(SDPParseError) {
        let fields = value.fields()
        guard let connection = ConnectionAddress(fields: fields[...]) else {
            throw .malformedConnection(line: number)
        }
        let last = description.media.count - 1
        let hasOne = last < 0 ? description.connection != nil : description.media[last].connection != nil
        guard !hasOne else {
            warn(.repeatedLine, number)
            return
        }
        if last < 0 {
            description.connection = connection
        } else {
            description.media[last].connection = connection
        }
    }

    private mutating func readAttribute(_ value: String, _ number: Int) {
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else {
            warn(.namelessAttribute, number)
            return
        }
        let attribute = SDPAttribute(String(name), parts.count > 1 ? String(parts[1]) : nil)
        if description.media.isEmpty {
            description.attributes.append(attribute)
        } else {
            description.media[description.media.count - 1].attributes.append(attribute)
        }
    }

    private mutating func readOrigin(_ value: String, _ number: Int) {
        guard description.origin == nil else {
            warn(.repeatedLine, number)
            return
        }
        description.origin = SessionOrigin(parsing: value)
        if description.origin == nil { warn(.malformedOrigin, number) }
    }

    private mutating func readSessionName(_ value: String, _ number: Int) {
        guard !hasSessionName else {
            warn(.repeatedLine, number)
            return
        }
        hasSessionName = true
        description.sessionName = value.isEmpty ? "-" : value
    }

    private mutating func keep(_ line: SDPLine) {
        if description.media.isEmpty {
            description.otherLines.append(line)
        } else {
            description.media[description.media.count - 1].otherLines.append(line)
        }
    }
}
