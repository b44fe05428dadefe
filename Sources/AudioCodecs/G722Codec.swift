internal import AudioProcessing
internal import CSpanDSP
internal import MediaTime

/// Encodes 48 kHz audio as G.722 at 64 kbit/s, which carries 50 to 7000 Hz (ITU-T G.722), with libspandsp.
///
/// Real-time safe after `init`.
@safe package struct G722Encoder: ~Copyable, @unchecked Sendable {  // owns its state alone
    private let state: OpaquePointer
    private var resampler: Resampler
    private var wide = FixedBuffer<Int16>(repeating: 0, count: G722Decoder.maximumOctets * 2)

    package init() throws(CodecError) {
        let resampler = try makeResampler(from: 48_000, to: 16_000)
        guard let made = unsafe cspandsp_g722_encoder() else { throw .library(-1) }
        unsafe state = made
        self.resampler = resampler
    }

    deinit { unsafe _ = g722_encode_free(state) }

    /// Encodes `samples`, a multiple of 6, into a sixth as many octets.
    package mutating func encode(
        _ samples: Span<Int16>, into payload: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        let octets = samples.count / AudioProcessingRate.samplesPerG711Octet
        guard octets > 0, octets <= G722Decoder.maximumOctets, octets <= payload.count else {
            throw .unsupportedLength(samples.count)
        }
        _ = resampler.process(samples, into: &wide, count: octets * 2)
        let source = wide.span
        return unsafe source.withUnsafeBufferPointer { samples in
            unsafe payload.withUnsafeMutableBufferPointer { target in
                Int(
                    unsafe cspandsp_g722_encode(
                        state, target.baseAddress, samples.baseAddress, Int32(truncatingIfNeeded: octets * 2))
                )
            }
        }
    }
}

/// Decodes G.722 to 48 kHz, and makes up what is lost by repeating the last pitch period.
///
/// Real-time safe after `init`.
@safe package struct G722Decoder: ~Copyable, @unchecked Sendable {  // owns its state alone
    /// 120 ms.
    package static var maximumOctets: Int { 960 }

    private let state: OpaquePointer
    private var resampler: Resampler
    private var concealment = PitchRepetition(sampleRate: 16_000)
    private var wide = FixedBuffer<Int16>(repeating: 0, count: maximumOctets * 2)

    package init() throws(CodecError) {
        let resampler = try makeResampler(from: 16_000, to: 48_000)
        guard let made = unsafe cspandsp_g722_decoder() else { throw .library(-1) }
        unsafe state = made
        self.resampler = resampler
    }

    deinit { unsafe _ = g722_decode_free(state) }

    package mutating func decode(
        _ payload: Span<UInt8>, into samples: inout MutableSpan<Int16>
    ) throws(CodecError) -> Int {
        guard payload.count > 0, payload.count <= Self.maximumOctets else {
            throw .unsupportedLength(payload.count)
        }
        let decoded = unsafe Self.decode(payload, with: state, into: &wide)
        concealment.join(&wide, count: decoded)
        return resampler.process(wide, count: decoded, into: &samples)
    }

    private static func decode(
        _ payload: Span<UInt8>, with state: OpaquePointer, into wide: inout FixedBuffer<Int16>
    ) -> Int {
        var room = wide.mutableSpan
        return unsafe payload.withUnsafeBufferPointer { octets in
            unsafe room.withUnsafeMutableBufferPointer { target in
                Int(
                    unsafe cspandsp_g722_decode(
                        state, target.baseAddress, octets.baseAddress, Int32(truncatingIfNeeded: octets.count)
                    ))
            }
        }
    }

    /// Goes on with `count` samples of silence at 48 kHz, a multiple of 3, where the sender pauses.
    package mutating func rest(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError) -> Int {
        let wideCount = try checked(count, room: samples.count)
        wide.fill(from: 0, with: 0)
        concealment.join(&wide, count: wideCount)
        return resampler.process(wide, count: wideCount, into: &samples)
    }

    /// Makes up `count` samples at 48 kHz, a multiple of 3.
    package mutating func conceal(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError)
        -> Int
    {
        let wideCount = try checked(count, room: samples.count)
        concealment.fill(&wide, count: wideCount)
        return resampler.process(wide, count: wideCount, into: &samples)
    }

    private func checked(_ count: Int, room: Int) throws(CodecError) -> Int {
        guard count >= 3, count / 3 <= wide.count, count <= room else { throw .unsupportedLength(count) }
        return count / 3
    }
}

private func makeResampler(from: Int, to: Int) throws(CodecError) -> Resampler {
    do throws(ResamplerError) { return try Resampler(from: from, to: to) } catch { throw .library(-1) }
}
