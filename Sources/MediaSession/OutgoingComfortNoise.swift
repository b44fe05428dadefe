internal import AudioCodecs
internal import AudioProcessing
internal import MediaTime
internal import RTP

/// Notices our pauses, and says how they sound in place of sending them (RFC 3389).
///
/// Real-time safe after `init`.
struct OutgoingComfortNoise: ~Copyable {
    /// What becomes of a packet.
    enum Decision: BitwiseCopyable {
        case speech
        /// The pause begins, or goes on for so long that its noise is told again.
        case noise(ComfortNoise)
        case nothing
    }

    /// After the last speech, so that its quiet ends are heard: 200 ms.
    private static var hangoverFrames: Int { 20 }
    /// Between two packets in a pause: 400 ms, as Opus has it, which keeps NATs and watchdogs content too.
    private static var updateSamples: Int { 19_200 }

    private var resampler: Resampler
    private var narrow = FixedBuffer<Int16>(repeating: 0, count: SpeechDetector.frameSamples)
    private var detector = SpeechDetector()
    private var analyzer = NoiseAnalyzer()
    private var quietFrames = 0
    /// Since the last packet in this pause; `nil` while there's no pause.
    private var silentSamples: Int?

    init() throws(CodecError) {
        do throws(ResamplerError) { resampler = try Resampler(from: 48_000, to: 8_000) } catch {
            throw .library(-1)
        }
    }

    /// Listens to the next 10 ms that are to be sent.
    ///
    /// - Parameters:
    ///   - frame: At 48 kHz.
    ///   - isSpeech: Whether they are sound in any case: a digit's tones stand as still as noise does.
    mutating func listen(to frame: Span<Int16>, isSpeech: Bool) {
        guard Self.resample(frame, with: &resampler, into: &narrow) else { return }
        Self.analyze(narrow, with: &analyzer)
        guard Self.detect(in: narrow, with: &detector) || isSpeech else {
            quietFrames += 1
            return
        }
        quietFrames = 0
        analyzer.reset()
    }

    /// What becomes of the packet of `samples` that ends with what was heard last.
    mutating func decide(samples: Int) -> Decision {
        guard quietFrames >= Self.hangoverFrames else {
            silentSamples = nil
            return .speech
        }
        let elapsed = (silentSamples ?? Self.updateSamples) + samples
        guard elapsed > Self.updateSamples else {
            silentSamples = elapsed
            return .nothing
        }
        silentSamples = 0
        return .noise(ComfortNoise(analyzer.shape))
    }

    private static func resample(
        _ frame: Span<Int16>, with resampler: inout Resampler, into narrow: inout FixedBuffer<Int16>
    ) -> Bool {
        var samples = narrow.mutableSpan
        return resampler.process(frame, into: &samples).produced == SpeechDetector.frameSamples
    }

    private static func analyze(
        _ narrow: borrowing FixedBuffer<Int16>, with analyzer: inout NoiseAnalyzer
    ) {
        analyzer.add(narrow.span)
    }

    private static func detect(
        in narrow: borrowing FixedBuffer<Int16>, with detector: inout SpeechDetector
    ) -> Bool {
        detector.isSpeech(in: narrow.span)
    }
}
