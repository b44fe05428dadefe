internal import AudioProcessing

/// Collects a channel at a new rate, from pieces at its own, with the filter's delay removed and the length
/// right.
struct RateConversion: ~Copyable {
    /// Samples appended so far, at the old rate.
    private(set) var inputCount = 0
    private let inputRate: Int
    private let outputRate: Int
    private var output: [Int16] = []
    /// `nil` when the rates are equal: the samples then pass unchanged.
    private var resampler: Resampler?

    init(of path: String, from inputRate: Int, to outputRate: Int) throws(AudioFileError) {
        self.inputRate = inputRate
        self.outputRate = outputRate
        guard inputRate != outputRate else {
            resampler = nil
            return
        }
        do {
            var made = try Resampler(from: inputRate, to: outputRate, quality: 8)
            made.skipLeadingZeros()
            resampler = consume made
        } catch {
            throw .notAudio(
                path: path, reason: "its rate of \(inputRate) Hz can't be converted to \(outputRate) Hz")
        }
    }

    mutating func append(_ samples: [Int16]) {
        inputCount += samples.count
        convert(samples)
    }

    /// The whole result: the filter is flushed with silence up to the length that the input makes.
    consuming func finish() -> [Int16] {
        let length = (inputCount * outputRate + inputRate / 2) / inputRate
        let silence = [Int16](repeating: 0, count: 1_024)
        while output.count < length { convert(silence) }
        output.removeLast(output.count - length)
        return output
    }

    private mutating func convert(_ samples: [Int16]) {
        guard resampler != nil else {
            output += samples
            return
        }
        var room = [Int16](repeating: 0, count: 8_192)
        var start = 0
        while start < samples.count {
            var target = room.mutableSpan
            let rest = samples.span.extracting(start..<samples.count)
            guard let progress = resampler?.process(rest, into: &target) else { return }
            output += room[..<progress.produced]
            start += progress.consumed
        }
    }
}
