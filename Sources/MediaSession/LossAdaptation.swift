internal import AudioCodecs

/// Fits the Opus encoder to the loss that the other side reports: protection goes up at once and down slowly, the bitrate
/// down at once and up slowly.
///
/// Loss below a tenth calls for protection; above it the path is full, and sending less helps more.
struct LossAdaptation: BitwiseCopyable {
    private static var lowestBitrate: Int { 12_000 }
    private static var highestLossPercentage: Double { 30 }

    private let configured: OpusEncoderConfiguration
    private(set) var current: OpusEncoderConfiguration
    private var lossPercentage: Double

    init(_ configured: OpusEncoderConfiguration) {
        self.configured = configured
        current = configured
        lossPercentage = Double(configured.expectedLossPercentage)
    }

    /// Takes the fraction lost of a report block (RFC 3550 §6.4.1), in 256ths.
    ///
    /// - Returns: Whether ``current`` has changed.
    mutating func reported(fractionLost: UInt8) -> Bool {
        let reported = Double(fractionLost) * 100 / 256
        lossPercentage = reported > lossPercentage ? reported : lossPercentage * 0.75 + reported * 0.25
        var next = current
        // Never below what was configured: the first loss shouldn't find the stream bare.
        next.expectedLossPercentage = max(
            configured.expectedLossPercentage, Int(min(lossPercentage, Self.highestLossPercentage).rounded()))
        if reported > 10 {
            next.bitrate = max(min(Self.lowestBitrate, configured.bitrate), current.bitrate * 85 / 100)
        } else if reported < 2 {
            next.bitrate = min(configured.bitrate, current.bitrate * 105 / 100)
        }
        guard next != current else { return false }
        current = next
        return true
    }
}
