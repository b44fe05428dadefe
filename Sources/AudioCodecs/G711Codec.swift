internal import AudioProcessing
internal import MediaTime

/// Encodes 48 kHz audio as G.711 at 8 kHz.
///
/// Real-time safe after `init`.
package struct G711Encoder: ~Copyable {
    private let law: G711Law
    private var resampler: Resampler
    private var narrow = FixedBuffer<Int16>(
        repeating: 0,
        count: AudioProcessingRate.maximumPacketSamples / AudioProcessingRate.samplesPerG711Octet)

    package init(_ law: G711Law) throws(CodecError) {
        self.law = law
        do throws(ResamplerError) {
            resampler = try Resampler(from: 48_000, to: 8_000)
        } catch {
            throw .library(-1)
        }
    }

    /// Encodes `samples`, a multiple of 6, into a sixth as many octets.
    package mutating func encode(
        _ samples: Span<Int16>, into payload: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        let count = samples.count / AudioProcessingRate.samplesPerG711Octet
        guard count > 0, count <= narrow.count, count <= payload.count else {
            throw .unsupportedLength(samples.count)
        }
        let produced = resampler.process(samples, into: &narrow, count: count)
        for index in 0..<produced { payload[index] = law.encode(narrow[index]) }
        return produced
    }
}

// The span of one property shuts its owner's other properties, so these take both apart.
extension Resampler {
    mutating func process(
        _ input: Span<Int16>, into output: inout FixedBuffer<Int16>, count: Int
    ) -> Int {
        var span = output.mutableSpan(0..<count)
        return process(input, into: &span).produced
    }

    mutating func process(
        _ input: borrowing FixedBuffer<Int16>, count: Int, into output: inout MutableSpan<Int16>
    ) -> Int {
        process(input.span.extracting(0..<count), into: &output).produced
    }
}

extension PitchRepetition {
    mutating func fill(_ buffer: inout FixedBuffer<Int16>, count: Int) {
        var span = buffer.mutableSpan(0..<count)
        fill(&span)
    }

    mutating func join(_ buffer: inout FixedBuffer<Int16>, count: Int) {
        var span = buffer.mutableSpan(0..<count)
        join(&span)
    }
}

/// Decodes G.711 to 48 kHz, and makes up what is lost by repeating the last pitch period.
///
/// Real-time safe after `init`.
package struct G711Decoder: ~Copyable {
    /// 120 ms.
    package static var maximumOctets: Int { 960 }

    private let law: G711Law
    private var resampler: Resampler
    private var concealment = PitchRepetition(sampleRate: 8_000)
    private var narrow = FixedBuffer<Int16>(repeating: 0, count: maximumOctets)

    package init(_ law: G711Law) throws(CodecError) {
        self.law = law
        do throws(ResamplerError) {
            resampler = try Resampler(from: 8_000, to: 48_000)
        } catch {
            throw .library(-1)
        }
    }

    package mutating func decode(
        _ payload: Span<UInt8>, into samples: inout MutableSpan<Int16>
    ) throws(CodecError) -> Int {
        guard payload.count > 0, payload.count <= Self.maximumOctets else {
            throw .unsupportedLength(payload.count)
        }
        for index in payload.indices { narrow[index] = law.decode(payload[index]) }
        concealment.join(&narrow, count: payload.count)
        return resampler.process(narrow, count: payload.count, into: &samples)
    }

    /// Goes on with `count` samples of silence at 48 kHz, a multiple of 6, where the sender pauses: what was heard before
    /// ends in it.
    package mutating func rest(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError) -> Int {
        let narrowCount = count / AudioProcessingRate.samplesPerG711Octet
        guard narrowCount > 0, narrowCount <= narrow.count, count <= samples.count else {
            throw .unsupportedLength(count)
        }
        narrow.fill(from: 0, with: 0)
        concealment.join(&narrow, count: narrowCount)
        return resampler.process(narrow, count: narrowCount, into: &samples)
    }

    /// Makes up `count` samples at 48 kHz, a multiple of 6.
    package mutating func conceal(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError)
        -> Int
    {
        let narrowCount = count / AudioProcessingRate.samplesPerG711Octet
        guard narrowCount > 0, narrowCount <= narrow.count, count <= samples.count else {
            throw .unsupportedLength(count)
        }
        concealment.fill(&narrow, count: narrowCount)
        return resampler.process(narrow, count: narrowCount, into: &samples)
    }
}
