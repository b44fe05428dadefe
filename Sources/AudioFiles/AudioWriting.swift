internal import CSndfile

/// Writes a 16-bit WAV file in one go.
///
/// Blocks; not for the media thread.
///
/// - Parameters:
///   - samples: Interleaved, a whole number of frames.
///   - rate: Samples a second and channel, Hz.
///   - channels: 1 or more.
///   - path: The file; replaced if it exists.
/// - Throws: ``AudioFileError``.
package func writeAudio(_ samples: [Int16], rate: Int, channels: Int, to path: String) throws(AudioFileError)
{
    precondition(channels > 0 && samples.count % channels == 0, "samples make whole frames")
    let file = try SoundFile(
        writingTo: path, format: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16), rate: rate, channels: channels)
    try file.write(samples.span)
    try file.synchronize()
}
