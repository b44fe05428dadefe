// Foundation's older parser is the one that says where a text goes wrong.
import Foundation

/// A text that isn't JSON, and where, as far as the parsers say.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `line 3, column 7: Invalid value`; counted from 1, columns in octets.
    package let description: String

    init(locating octets: [UInt8]) {
        guard !octets.isEmpty else {
            description = "the text is empty"
            return
        }
        let separator = " around character "
        let complaint = Self.complaint(about: octets)
        let parts = complaint.split(separator: separator, maxSplits: 1)
        guard parts.count == 2, let offset = Int(parts[1].prefix { $0.isNumber }), offset <= octets.count
        else {
            description = complaint
            return
        }
        let before = octets[..<offset]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = offset - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
        description = "line \(line), column \(column): \(parts[0])"
    }

    private static func complaint(about octets: [UInt8]) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(octets), options: [.fragmentsAllowed])
            return "the text is not JSON, or is nested too deeply"
        } catch {
            let reason = (error as NSError).userInfo["NSDebugDescription"] as? String
            return reason ?? "the text is not JSON"
        }
    }
}
