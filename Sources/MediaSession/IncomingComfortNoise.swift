internal import AudioCodecs
internal import AudioProcessing
internal import MediaTime
internal import RTP

/// The other side's background, made anew in its pauses (RFC 3389).
///
/// Real-time safe after `init`.
struct IncomingComfortNoise: ~Copyable {
    private static var samplesPerNarrowSample: Int { 6 }

    private var generator = NoiseGenerator(seed: 3389)
    private var resampler: Resampler
    private var narrow = FixedBuffer<Int16>(
        repeating: 0, count: AudioProcessingRate.maximumPacketSamples / samplesPerNarrowSample)
    private var wide = FixedBuffer<Int16>(repeating: 0, count: AudioProcessingRate.maximumPacketSamples)
    private var newest: SequenceNumber?

    init() throws(CodecError) {
        do throws(ResamplerError) { resampler = try Resampler(from: 8_000, to: 48_000) } catch {
            throw .library(-1)
        }
    }

    /// Whether the other side has said how its background sounds.
    var isKnown: Bool { newest != nil }

    /// Takes what `packet` said, unless a newer one has come before it.
    mutating func take(_ noise: ComfortNoise, _ sequenceNumber: SequenceNumber) {
        if let newest, newest.distance(to: sequenceNumber) <= 0 { return }
        newest = sequenceNumber
        generator.setShape(NoiseShape(noise))
    }

    /// Forgets it: the pause is another's.
    mutating func forget() {
        guard newest != nil else { return }
        newest = nil
        generator = NoiseGenerator(seed: 3389)
    }

    /// Adds noise to `samples`, 48 kHz, whole multiples of 6 of at most 120 ms.
    mutating func mix(into samples: inout MutableSpan<Int16>) {
        let count = min(samples.count, wide.count)
        Self.generate(count / Self.samplesPerNarrowSample, with: &generator, into: &narrow)
        let produced = Self.resample(
            narrow, count / Self.samplesPerNarrowSample, with: &resampler, into: &wide)
        AudioProcessing.mix(wide.span.extracting(first: produced), into: &samples)
    }

    private static func generate(
        _ count: Int, with generator: inout NoiseGenerator, into buffer: inout FixedBuffer<Int16>
    ) {
        var samples = buffer.mutableSpan(0..<count)
        generator.generate(into: &samples)
    }

    private static func resample(
        _ narrow: borrowing FixedBuffer<Int16>, _ count: Int, with resampler: inout Resampler,
        into wide: inout FixedBuffer<Int16>
    ) -> Int {
        var samples = wide.mutableSpan(0..<(count * samplesPerNarrowSample))
        return resampler.process(narrow.span.extracting(first: count), into: &samples).produced
    }
}

extension NoiseShape {
    /// As `noise` has it: 0 dBov is a mean square at full scale.
    init(_ noise: ComfortNoise) {
        var meanSquare: Float = 32_768 * 32_768
        for _ in 0..<Int(min(noise.level, 127)) { meanSquare *= 0.794_328_23 }
        // Below half a step of 16 bits there is nothing to hear.
        self.init(
            meanSquare: meanSquare < 0.25 ? 0 : meanSquare, order: noise.order, reflection: noise.reflection)
    }
}

extension ComfortNoise {
    init(_ shape: NoiseShape) {
        let level = -decibels(Double(max(shape.meanSquare, 0.01)) / (32_768 * 32_768))
        self.init(
            level: UInt8(max(0, min(127, level.rounded()))), order: shape.order, reflection: shape.reflection)
    }
}
