/// Why a payload is no comfort noise: count it, and drop the packet.
package enum ComfortNoiseParseError: Error, BitwiseCopyable, Hashable, Sendable {
    /// The payload is empty, and the first octet is the level.
    case empty
}

/// The payload of a comfort-noise packet (RFC 3389 §3): how the background sounds while nobody talks.
package struct ComfortNoise: BitwiseCopyable, Sendable {
    /// Coefficients that are kept; those of a model of higher order behind them only refine it.
    package static var maximumOrder: Int { 12 }
    /// Octets on the wire, at most.
    package static var maximumLength: Int { 1 + maximumOrder }
    /// The largest that has a number: 1 would make the filter ring for ever.
    private static var limit: Float { 127 * step }
    private static var step: Float { 258.0 / 32_768 }

    /// The noise's level below overload, dB: `0...127`, in steps of 1 dB.
    package var level: UInt8
    /// Coefficients of ``reflection`` that count, `0...maximumOrder`; with none the noise is white.
    package var order: Int
    /// Reflection coefficients of the all-pole model, between -1 and 1; the first of a low rumble is near -1.
    package var reflection: InlineArray<12, Float>

    package init(level: UInt8, order: Int, reflection: InlineArray<12, Float>) {
        self.level = level
        self.order = order
        self.reflection = reflection
    }

    /// Reads `payload`.
    ///
    /// Real-time safe. The unused bit of the level is ignored; what would make an unstable filter is the nearest that does
    /// not.
    package init(parsing payload: Span<UInt8>) throws(ComfortNoiseParseError) {
        guard payload.count > 0 else { throw .empty }
        level = payload[0] & 0x7F
        order = min(payload.count - 1, Self.maximumOrder)
        reflection = InlineArray(repeating: 0)
        for index in 0..<order {
            reflection[index] = min(Float(Int(payload[1 + index]) - 127) * Self.step, Self.limit)
        }
    }

    /// Appends the payload to `datagram`, which has ``maximumLength`` octets free.
    ///
    /// Real-time safe.
    package func serialize(into datagram: inout OutputSpan<UInt8>) {
        datagram.append(min(level, 127))
        for index in 0..<max(0, min(order, Self.maximumOrder)) {
            let bounded = max(-Self.limit, min(Self.limit, reflection[index]))
            datagram.append(UInt8((bounded / Self.step).rounded() + 127))
        }
    }
}
