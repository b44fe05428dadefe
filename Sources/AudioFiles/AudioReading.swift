internal import AudioProcessing

/// Reads a sound file as one channel: the mean of its channels.
///
/// WAV, FLAC, Ogg Opus, Ogg Vorbis, MP3 and whatever else libsndfile reads, in any rate and sample format.
/// Samples beyond full scale, as float files may have, clip. The filter's delay is removed when the rate
/// changes: time stays true. Blocks; not for the media thread.
///
/// - Parameters:
///   - path: The file.
///   - rate: Samples a second of the result, Hz.
///   - maximumDuration: Longer files are refused rather than cut.
/// - Returns: At least one sample.
/// - Throws: ``AudioFileError``; its description is fit for the user.
package func readAudio(
    at path: String, rate: Int = 48_000, maximumDuration: Duration = .seconds(3600)
) throws(AudioFileError) -> [Int16] {
    let file = try SoundFile(readingFrom: path)
    return try read(file, selecting: nil, rate: rate, maximumDuration: maximumDuration)
}

/// Reads a sound file channel by channel: a call's recording, our side first.
///
/// As ``readAudio(at:rate:maximumDuration:)``, but nothing is mixed.
///
/// - Parameters:
///   - path: The file.
///   - rate: Samples a second of the result, Hz.
/// - Returns: At least one channel; all are equally long.
/// - Throws: ``AudioFileError``.
package func readChannels(at path: String, rate: Int = 48_000) throws(AudioFileError) -> [[Int16]] {
    let channels = try SoundFile(readingFrom: path).channels
    var result: [[Int16]] = []
    for channel in 0..<channels {
        let file = try SoundFile(readingFrom: path)
        result.append(try read(file, selecting: channel, rate: rate, maximumDuration: .seconds(24 * 3600)))
    }
    return result
}

/// `channel` counts from 0; `nil` is the mean of all.
private func read(
    _ file: consuming SoundFile, selecting channel: Int?, rate: Int, maximumDuration: Duration
) throws(AudioFileError) -> [Int16] {
    let maximumFrames = Int(maximumDuration / .seconds(1) * Double(file.rate))
    let tooLong = AudioFileError.tooLong(path: file.path, maximum: maximumDuration)
    if let promised = file.promisedFrames, promised > maximumFrames { throw tooLong }

    var conversion = try RateConversion(of: file.path, from: file.rate, to: rate)
    var interleaved = [Float](repeating: 0, count: 4_096 * file.channels)
    var mono: [Int16] = []
    while true {
        let frames = file.read(into: &interleaved)
        guard frames > 0 else { break }
        guard conversion.inputCount + frames <= maximumFrames else { throw tooLong }
        mono.removeAll(keepingCapacity: true)
        for frame in 0..<frames {
            mono.append(sample(interleaved, at: frame * file.channels, of: file.channels, selecting: channel))
        }
        conversion.append(mono)
    }
    if let reason = file.failure {
        let position = Duration.milliseconds(conversion.inputCount * 1_000 / file.rate)
        guard conversion.inputCount > 0 else { throw .notAudio(path: file.path, reason: reason) }
        throw .damaged(path: file.path, position: position, reason: reason)
    }
    guard conversion.inputCount > 0 else { throw .empty(path: file.path) }
    return conversion.finish()
}

/// One sample of one channel, or of the mean of all, rounded and clipped; what is no number is silence.
private func sample(_ interleaved: [Float], at start: Int, of channels: Int, selecting channel: Int?) -> Int16
{
    var value: Float = 0
    if let channel {
        value = interleaved[start + channel]
    } else {
        for offset in 0..<channels { value += interleaved[start + offset] }
        value /= Float(channels)
    }
    guard !value.isNaN else { return 0 }
    return Int16(max(-32_768, min(32_767, (value * 32_768).rounded())))
}
