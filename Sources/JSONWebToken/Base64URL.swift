import FoundationEssentials

/// Base64url without padding (RFC 4648 §5, RFC 7515 §2), read strictly: each octet string has one text.
package enum Base64URL {
    /// The text of `octets`.
    package static func text(_ octets: [UInt8]) -> String {
        var text = ""
        for character in Data(octets).base64EncodedString() {
            switch character {
            case "+": text.append("-")
            case "/": text.append("_")
            case "=": break
            default: text.append(character)
            }
        }
        return text
    }

    /// The octets of `text`, or `nil` with padding, a foreign character, or left-over bits that aren't zero.
    package static func octets(_ text: Substring) -> [UInt8]? {
        var standard = ""
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "-"): standard.append("+")
            case UInt8(ascii: "_"): standard.append("/")
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: standard.unicodeScalars.append(Unicode.Scalar(character))
            }
        }
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard) else { return nil }
        let octets = [UInt8](data)
        return Self.text(octets) == text ? octets : nil
    }
}
