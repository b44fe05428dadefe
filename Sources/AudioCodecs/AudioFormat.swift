/// How a payload is coded: what an RTP payload type stands for (RFC 3551, RFC 7587).
package enum AudioFormat: BitwiseCopyable, Hashable, Sendable {
    case opus
    /// Its RTP clock runs at 8 kHz, though its samples are at 16, by a mistake in RFC 1890 that stayed (RFC 3551 §4.5.2).
    case g722
    case pcmu
    case pcma

    /// Of the RTP clock, Hz.
    ///
    /// Opus' runs at 48 kHz whatever it codes (RFC 7587 §4.1).
    package var clockRate: Int {
        switch self {
        case .opus: 48_000
        case .g722, .pcmu, .pcma: 8_000
        }
    }

    /// The name and rate as SDP writes them (RFC 8866 §6.6).
    package var encodingName: String {
        switch self {
        case .opus: "opus/48000/2"
        case .g722: "G722/8000"
        case .pcmu: "PCMU/8000"
        case .pcma: "PCMA/8000"
        }
    }

    /// How long a payload plays, in samples at 48 kHz.
    ///
    /// - Parameter payload: As received, of any content.
    /// - Returns: `nil` when the payload is of no length that this format has.
    package func samples(in payload: Span<UInt8>) -> Int? {
        switch self {
        case .opus: OpusDecoder.samples(in: payload)
        case .g722, .pcmu, .pcma:
            payload.isEmpty || payload.count > G711Decoder.maximumOctets
                ? nil : payload.count * AudioProcessingRate.samplesPerG711Octet
        }
    }
}

/// The rate that all audio inside has.
package enum AudioProcessingRate {
    /// Samples a second.
    package static var samplesPerSecond: Int { 48_000 }
    static var samplesPerG711Octet: Int { 6 }
    /// The longest packet: 120 ms (RFC 6716 §2.1.4).
    package static var maximumPacketSamples: Int { 5_760 }
}

/// Why a codec could not be made or used.
package enum CodecError: Error, BitwiseCopyable, Hashable, Sendable {
    /// The codec library refused; the number is its own.
    case library(Int32)
    /// The payload can't be decoded.
    case corrupted
    /// Samples or room of a count that the codec doesn't take.
    case unsupportedLength(Int)
}
