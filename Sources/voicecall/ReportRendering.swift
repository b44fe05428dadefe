internal import Foundation

extension CallReport {
    /// The report for people: a label and a value a line, aligned, in groups; those of which nothing is known
    /// are left out, and so is all that is not known of a call that was never placed.
    package var table: String {
        let width = groups.joined().map(\.label.count).max() ?? 0
        let wasPlaced = callID != nil
        let shown = wasPlaced ? groups : groups.prefix(2).map { $0.filter { $0.value != .notMeasured } }
        let known = shown.filter { $0.contains { $0.value != .notMeasured } }
        let blocks = known.map { group in
            group.map { line in
                let gap = String(repeating: " ", count: width - line.label.count + 2)
                return line.label + gap + line.text
            }.joined(separator: "\n")
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The report for programs: one JSON object with all keys, in their alphabetical order; null is what was
    /// not measured.
    package var json: String {
        let values = Dictionary(uniqueKeysWithValues: groups.joined().map { ($0.key, $0.value) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(values) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension ReportLine {
    fileprivate var text: String {
        guard let value = value.text else { return absence }
        return unit.isEmpty ? value : value + " " + unit
    }
}

extension ReportValue: Encodable {
    fileprivate var text: String? {
        switch self {
        case .notMeasured: nil
        case .text(let text): text.withoutControlCharacters
        case .integer(let integer): String(integer)
        case .decimal(let number, let digits): String(format: "%.\(digits)f", number)
        case .flag(let flag): flag ? "yes" : "no"
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .notMeasured: try container.encodeNil()
        case .text(let text): try container.encode(text)
        case .integer(let integer): try container.encode(integer)
        case .decimal(let number, let digits): try container.encode(rounded(number, digits: digits))
        case .flag(let flag): try container.encode(flag)
        }
    }
}

extension String {
    /// What a platform calls itself must not steer the terminal.
    fileprivate var withoutControlCharacters: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}

private func rounded(_ number: Double, digits: Int) -> Double {
    let scale = pow(10, Double(digits))
    return (number * scale).rounded() / scale
}
