internal import COpus

/// How an Opus encoder works (RFC 6716, RFC 7587).
package struct OpusEncoderConfiguration: BitwiseCopyable, Hashable, Sendable {
    /// bit/s, `6000...510_000`.
    package var bitrate: Int
    /// `0...10`.
    package var complexity: Int
    /// Whether packets carry a coarse copy of the one before.
    package var usesForwardErrorCorrection: Bool
    /// Share of packets that the peer is expected to lose, percent: what FEC is weighed by.
    package var expectedLossPercentage: Int
    package var usesDiscontinuousTransmission: Bool

    package init(
        bitrate: Int = 28_000, complexity: Int = 5, usesForwardErrorCorrection: Bool = true,
        expectedLossPercentage: Int = 5, usesDiscontinuousTransmission: Bool = false
    ) {
        self.bitrate = bitrate
        self.complexity = complexity
        self.usesForwardErrorCorrection = usesForwardErrorCorrection
        self.expectedLossPercentage = expectedLossPercentage
        self.usesDiscontinuousTransmission = usesDiscontinuousTransmission
    }
}

/// An Opus encoder for speech: 48 kHz, one channel.
///
/// Real-time safe after `init`.
@safe package struct OpusEncoder: ~Copyable, @unchecked Sendable {  // the only holder of its encoder
    private let encoder: OpaquePointer

    package init(_ configuration: OpusEncoderConfiguration) throws(CodecError) {
        var code: Int32 = 0
        let made = unsafe opus_encoder_create(48_000, 1, OPUS_APPLICATION_VOIP, &code)
        guard let made = unsafe made else { throw .library(code) }
        let refusal = unsafe Self.configure(made, configuration)
        guard refusal == OPUS_OK else {
            unsafe opus_encoder_destroy(made)
            throw .library(refusal)
        }
        unsafe encoder = made
    }

    deinit { unsafe opus_encoder_destroy(encoder) }

    /// Changes how the encoder works from the next packet on.
    package mutating func set(_ configuration: OpusEncoderConfiguration) throws(CodecError) {
        let refusal = unsafe Self.configure(encoder, configuration)
        guard refusal == OPUS_OK else { throw .library(refusal) }
    }

    /// Encodes one packet.
    ///
    /// - Parameters:
    ///   - samples: 10, 20, 40 or 60 ms: 480, 960, 1920 or 2880 samples.
    ///   - payload: At least 400 octets of room.
    /// - Returns: Octets written. With discontinuous transmission, up to 2 mean that nothing need be sent.
    /// - Throws: ``CodecError``; send nothing this time.
    package mutating func encode(
        _ samples: Span<Int16>, into payload: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        let input = unsafe samples.withUnsafeBufferPointer { $0.baseAddress }
        let output = unsafe payload.withUnsafeMutableBufferPointer { $0.baseAddress }
        guard let input = unsafe input, let output = unsafe output else {
            throw .unsupportedLength(samples.count)
        }
        let length = unsafe copus_encode(
            encoder, input, Int32(clamping: samples.count), output, Int32(clamping: min(payload.count, 1_275))
        )
        guard length > 0 else {
            throw length == OPUS_BAD_ARG ? .unsupportedLength(samples.count) : .library(length)
        }
        return Int(length)
    }

    /// - Returns: The library's first refusal, or `OPUS_OK`.
    private static func configure(_ encoder: OpaquePointer, _ configuration: OpusEncoderConfiguration)
        -> Int32
    {
        var code = unsafe copus_encoder_set_bitrate(encoder, Int32(clamping: configuration.bitrate))
        guard code == OPUS_OK else { return code }
        code = unsafe copus_encoder_set_complexity(encoder, Int32(clamping: configuration.complexity))
        guard code == OPUS_OK else { return code }
        code = unsafe copus_encoder_set_inband_fec(encoder, configuration.usesForwardErrorCorrection ? 1 : 0)
        guard code == OPUS_OK else { return code }
        code = unsafe copus_encoder_set_packet_loss_percentage(
            encoder, Int32(clamping: configuration.expectedLossPercentage))
        guard code == OPUS_OK else { return code }
        return unsafe copus_encoder_set_dtx(encoder, configuration.usesDiscontinuousTransmission ? 1 : 0)
    }
}

/// An Opus decoder: 48 kHz, one channel, whatever the packets hold.
///
/// Real-time safe after `init`.
@safe package struct OpusDecoder: ~Copyable, @unchecked Sendable {  // the only holder of its decoder
    private let decoder: OpaquePointer

    package init() throws(CodecError) {
        var code: Int32 = 0
        let made = unsafe opus_decoder_create(48_000, 1, &code)
        guard let made = unsafe made else { throw .library(code) }
        unsafe decoder = made
    }

    deinit { unsafe opus_decoder_destroy(decoder) }

    /// Samples at 48 kHz that a packet plays, by its first octets; `nil` when it is no Opus packet.
    package static func samples(in payload: Span<UInt8>) -> Int? {
        let octets = unsafe payload.withUnsafeBufferPointer { $0.baseAddress }
        guard let octets = unsafe octets, payload.count > 0 else { return nil }
        let samples = unsafe copus_packet_samples(octets, Int32(clamping: payload.count), 48_000)
        return samples > 0 ? Int(samples) : nil
    }

    /// Decodes a packet, with room for ``AudioProcessingRate/maximumPacketSamples``.
    ///
    /// Throws ``CodecError/corrupted`` for what is none; conceal instead.
    package mutating func decode(
        _ payload: Span<UInt8>, into samples: inout MutableSpan<Int16>
    ) throws(CodecError) -> Int {
        let octets = unsafe payload.withUnsafeBufferPointer { $0.baseAddress }
        return try unsafe run(octets, payload.count, into: &samples, count: samples.count, usesFEC: 0)
    }

    /// Restores the packet before `following`, of `count` samples, from the copy in it; conceals where there is none.
    ///
    /// The count is a multiple of 2.5 ms (120).
    package mutating func recover(
        from following: Span<UInt8>, count: Int, into samples: inout MutableSpan<Int16>
    ) throws(CodecError) -> Int {
        let octets = unsafe following.withUnsafeBufferPointer { $0.baseAddress }
        return try unsafe run(octets, following.count, into: &samples, count: count, usesFEC: 1)
    }

    /// Makes up `count` samples, a multiple of 2.5 ms (120), from what was heard last.
    package mutating func conceal(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError)
        -> Int
    {
        try unsafe run(nil, 0, into: &samples, count: count, usesFEC: 0)
    }

    private mutating func run(
        _ octets: UnsafePointer<UInt8>?, _ length: Int, into samples: inout MutableSpan<Int16>, count: Int,
        usesFEC: Int32
    ) throws(CodecError) -> Int {
        guard count > 0, count <= samples.count else { throw .unsupportedLength(count) }
        let output = unsafe samples.withUnsafeMutableBufferPointer { $0.baseAddress }
        guard let output = unsafe output else { throw .unsupportedLength(count) }
        let written = unsafe copus_decode(
            decoder, octets, Int32(clamping: length), output, Int32(clamping: count), usesFEC)
        guard written > 0 else { throw written == OPUS_BAD_ARG ? .unsupportedLength(count) : .corrupted }
        return Int(written)
    }
}
