internal import MediaSession
internal import RTP

extension DigitToSend {
    /// The digits and pauses of a dial string.
    static func items(of text: String) throws(VoiceEngineError) -> [Self] {
        guard text.count <= 64 else {
            throw VoiceEngineError(
                .digits, "\(text.count) digits at once: send at most 64, and wait for `digitsSent`")
        }
        var items: [Self] = []
        for character in text {
            if character == "w" || character == "W" {
                items.append(.pause)
            } else if let digit = DTMFDigit(character) {
                items.append(.digit(digit))
            } else {
                throw VoiceEngineError(
                    .digits, "\"\(character)\" is no digit: use 0-9, *, #, A-D, and w for a pause")
            }
        }
        return items
    }
}
