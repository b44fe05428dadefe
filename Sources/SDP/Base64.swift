/// Base 64 with the standard alphabet (RFC 4648 §4), as RFC 4568 §6.1 writes keys.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            let padded = Array(group) + [0, 0]
            let bits = Int(padded[0]) << 16 | Int(padded[1]) << 8 | Int(padded[2])
            for position in 0..<4 {
                let digit = alphabet[bits >> (18 - 6 * position) & 63]
                text.append(position <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The octets that `text` encodes, or `nil`.
    ///
    /// Some phones leave the padding out, so it may be missing.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let digits = text.utf8.dropLast(padding)
        guard padding == 0 || (padding <= 2 && text.utf8.count % 4 == 0), digits.count % 4 != 1 else {
            return nil
        }
        var octets: [UInt8] = []
        var bits = 0
        var bitCount = 0
        for character in digits {
            guard let digit = value(of: character) else { return nil }
            bits = (bits << 6 | digit) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                octets.append(UInt8(bits >> bitCount & 0xFF))
            }
        }
        // What is left over must be zero, or two texts would mean one key.
        return bits & (1 << bitCount - 1) == 0 ? octets : nil
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case 0x41...0x5A: Int(character) - 0x41
        case 0x61...0x7A: Int(character) - 0x61 + 26
        case 0x30...0x39: Int(character) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
