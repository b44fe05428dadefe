/// Encodes 48 kHz, one channel, in any ``AudioFormat``.
///
/// Real-time safe after `init`.
package struct AudioEncoder: ~Copyable {
    package let format: AudioFormat
    /// Exactly one is there, as ``format`` says: an enum of these could not be changed in place.
    private var opus: OpusEncoder?
    private var g711: G711Encoder?
    private var g722: G722Encoder?

    /// Makes an encoder of `format`; `configuration` says how, if that is Opus.
    package init(_ format: AudioFormat, opus configuration: OpusEncoderConfiguration) throws(CodecError) {
        self.format = format
        switch format {
        case .opus: opus = try OpusEncoder(configuration)
        case .g722: g722 = try G722Encoder()
        case .pcmu: g711 = try G711Encoder(.mu)
        case .pcma: g711 = try G711Encoder(.a)
        }
    }

    /// Changes how Opus is encoded from the next packet on; other formats have nothing to change.
    package mutating func set(_ configuration: OpusEncoderConfiguration) throws(CodecError) {
        try opus?.set(configuration)
    }

    /// Encodes the samples of one packet.
    ///
    /// - Returns: Octets written, at least 1.
    /// - Throws: ``CodecError``; send nothing this time.
    package mutating func encode(
        _ samples: Span<Int16>, into payload: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        switch format {
        case .opus: try opus?.encode(samples, into: &payload) ?? 0
        case .g722: try g722?.encode(samples, into: &payload) ?? 0
        case .pcmu, .pcma: try g711?.encode(samples, into: &payload) ?? 0
        }
    }
}
