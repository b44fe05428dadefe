internal import AudioCodecs
internal import RTP

/// What a payload type stands for.
enum PayloadMeaning: BitwiseCopyable, Hashable, Sendable {
    case audio(AudioFormat)
    /// Telephone events, with the units of their durations in a second.
    case telephoneEvent(clockRate: Int)
    /// Of formats with a clock of 8 kHz.
    case comfortNoise
}

/// What the payload types stand for: all 128 of them, looked up without a branch worth a test.
struct PayloadTable: BitwiseCopyable, Sendable {
    private var meanings = InlineArray<128, PayloadMeaning?>(repeating: nil)

    init(_ parameters: MediaParameters) {
        for type in parameters.receivingComfortNoise where type.rawValue < 128 {
            meanings[Int(type.rawValue)] = .comfortNoise
        }
        for event in parameters.receivingEvents where event.type.rawValue < 128 {
            meanings[Int(event.type.rawValue)] = .telephoneEvent(clockRate: event.clockRate)
        }
        for payload in parameters.receiving where payload.type.rawValue < 128 {
            meanings[Int(payload.type.rawValue)] = .audio(payload.format)
        }
    }

    subscript(type: PayloadType) -> PayloadMeaning? { meanings[Int(type.rawValue & 0x7F)] }

    /// What `type` stands for as audio.
    func format(of type: PayloadType) -> AudioFormat? {
        guard case .audio(let format) = self[type] else { return nil }
        return format
    }

    /// The first format with a clock of 8 kHz.
    var narrowFormat: AudioFormat? {
        for type in 0..<128 {
            if case .audio(let format) = meanings[type], format.clockRate == 8_000 { return format }
        }
        return nil
    }

    /// Keeps what `earlier` has under numbers that are free here: packets under them may still be on their way, and no
    /// number may change its meaning (RFC 3264 §8.3.2).
    mutating func keep(_ earlier: Self) {
        for type in 0..<128 where meanings[type] == nil { meanings[type] = earlier.meanings[type] }
    }
}
