/// The octets that `hex` names, two digits each.
func octets(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The octets that `serialize` appends to an empty datagram.
func datagram(capacity: Int, _ serialize: (inout OutputSpan<UInt8>) -> Void) -> [UInt8] {
    [UInt8](capacity: capacity) { serialize(&$0) }
}

extension [UInt8] {
    static func random(count: Int, using generator: inout some RandomNumberGenerator) -> Self {
        (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
