/// The two companding laws of ITU-T G.711, on 16-bit samples.
package enum G711Law: BitwiseCopyable, Hashable, Sendable {
    case mu
    case a

    /// The octet for `sample`.
    package func encode(_ sample: Int16) -> UInt8 {
        switch self {
        case .mu: Self.encodeMu(sample)
        case .a: Self.encodeA(sample)
        }
    }

    /// The middle of the interval that `octet` stands for.
    package func decode(_ octet: UInt8) -> Int16 {
        switch self {
        case .mu: Self.decodeMu(octet)
        case .a: Self.decodeA(octet)
        }
    }

    private static func encodeMu(_ sample: Int16) -> UInt8 {
        let sign: UInt8 = sample < 0 ? 0x80 : 0
        // 14-bit magnitude in 16-bit units, moved up by the bias that makes segments powers of two.
        let magnitude = min(sample < 0 ? -Int32(sample) : Int32(sample), 32_635) + 132
        let segment = 24 - magnitude.leadingZeroBitCount
        let mantissa = (magnitude >> Int32(segment + 3)) & 0x0F
        return ~(sign | UInt8(truncatingIfNeeded: segment << 4) | UInt8(truncatingIfNeeded: mantissa))
    }

    private static func decodeMu(_ octet: UInt8) -> Int16 {
        let bits = ~octet
        let magnitude = ((Int32(bits & 0x0F) << 3) + 132) << Int32((bits & 0x70) >> 4) - 132
        return Int16(truncatingIfNeeded: bits & 0x80 != 0 ? -magnitude : magnitude)
    }

    private static func encodeA(_ sample: Int16) -> UInt8 {
        // Even bits are inverted on the line; a set sign bit means positive.
        let sign: UInt8 = sample < 0 ? 0 : 0x80
        let magnitude = Int32(sample < 0 ? ~sample : sample) >> 4
        let segment = max(0, 28 - magnitude.leadingZeroBitCount)
        let mantissa = segment > 1 ? magnitude >> Int32(segment - 1) : magnitude
        return (sign | UInt8(truncatingIfNeeded: segment << 4) | UInt8(truncatingIfNeeded: mantissa & 0x0F))
            ^ 0x55
    }

    private static func decodeA(_ octet: UInt8) -> Int16 {
        let bits = octet ^ 0x55
        let segment = Int32((bits & 0x70) >> 4)
        let mantissa = Int32(bits & 0x0F) << 4 + 8
        let magnitude = segment == 0 ? mantissa : (mantissa + 256) << (segment - 1)
        return Int16(truncatingIfNeeded: bits & 0x80 != 0 ? magnitude : -magnitude)
    }
}
