import Foundation

/// One measured figure: a line of JSON for machines, a row for people.
struct Figure: Encodable {
    /// `module.subject.quantity`, stable.
    let name: String
    let value: Double
    let unit: String
    /// What the value may be at most, if something is promised.
    var limit: Double?
    /// What the value is made of, for people.
    var remark = ""

    var isWithinLimit: Bool { limit.map { value <= $0 } ?? true }

    private enum CodingKeys: String, CodingKey { case name, value, unit, limit }

    func printLine() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }

    /// The table, on standard error, so that standard output stays JSON.
    static func printTable(_ figures: [Figure]) {
        var text = ""
        let width = figures.map(\.name.count).max() ?? 0
        for figure in figures {
            let name = figure.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let limit = figure.limit.map { String(format: "limit %g", $0) } ?? ""
            let verdict = figure.limit == nil ? "" : figure.isWithinLimit ? "ok" : "OVER"
            text += String(format: "%@  %12.5g %@  %@ %@\n", name, figure.value, figure.unit, limit, verdict)
            if !figure.remark.isEmpty { text += "    \(figure.remark)\n" }
        }
        FileHandle.standardError.write(Data(text.utf8))
    }
}
