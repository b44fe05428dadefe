internal import AudioCodecs
internal import JitterBuffer
internal import MediaTime

/// A decoder for each format that may arrive, made before the first packet.
struct DecoderBank: ~Copyable {
    private var opus: AudioDecoder?
    private var g722: AudioDecoder?
    private var pcmu: AudioDecoder?
    private var pcma: AudioDecoder?

    init(_ formats: [AudioFormat]) throws(CodecError) {
        let opus = formats.contains(.opus) ? try AudioDecoder(.opus) : nil
        let g722 = formats.contains(.g722) ? try AudioDecoder(.g722) : nil
        let pcmu = formats.contains(.pcmu) ? try AudioDecoder(.pcmu) : nil
        let pcma = formats.contains(.pcma) ? try AudioDecoder(.pcma) : nil
        self.opus = opus
        self.g722 = g722
        self.pcmu = pcmu
        self.pcma = pcma
    }

    /// Takes the decoders that it has not from `other`.
    mutating func adopt(_ other: inout Self) {
        if opus == nil { swap(&opus, &other.opus) }
        if g722 == nil { swap(&g722, &other.g722) }
        if pcmu == nil { swap(&pcmu, &other.pcmu) }
        if pcma == nil { swap(&pcma, &other.pcma) }
    }

    /// Decodes the packet in `slot` of `buffer` behind what waits in `queue`.
    mutating func decode(
        _ slot: Int, of buffer: borrowing JitterBuffer, as format: AudioFormat, into queue: inout PlayoutQueue
    ) throws(CodecError) {
        let payload = buffer.payload(inSlot: slot)
        var room = queue.room()
        let written =
            switch format {
            case .opus: try opus?.decode(payload, into: &room) ?? 0
            case .g722: try g722?.decode(payload, into: &room) ?? 0
            case .pcmu: try pcmu?.decode(payload, into: &room) ?? 0
            case .pcma: try pcma?.decode(payload, into: &room) ?? 0
            }
        queue.commit(written)
    }

    /// Restores `samples` from the packet that followed them, in `slot` of `buffer`.
    mutating func recover(
        from slot: Int, of buffer: borrowing JitterBuffer, samples: Int, as format: AudioFormat,
        into queue: inout PlayoutQueue
    ) throws(CodecError) {
        let payload = buffer.payload(inSlot: slot)
        var room = queue.room()
        let written =
            switch format {
            case .opus: try opus?.recover(from: payload, count: samples, into: &room) ?? 0
            case .g722: try g722?.recover(from: payload, count: samples, into: &room) ?? 0
            case .pcmu: try pcmu?.recover(from: payload, count: samples, into: &room) ?? 0
            case .pcma: try pcma?.recover(from: payload, count: samples, into: &room) ?? 0
            }
        queue.commit(written)
    }

    /// Goes on with `samples` where the sender pauses.
    mutating func rest(
        samples: Int, as format: AudioFormat, into queue: inout PlayoutQueue
    ) throws(CodecError) {
        var room = queue.room()
        let written =
            switch format {
            case .opus: try opus?.rest(count: samples, into: &room) ?? 0
            case .g722: try g722?.rest(count: samples, into: &room) ?? 0
            case .pcmu: try pcmu?.rest(count: samples, into: &room) ?? 0
            case .pcma: try pcma?.rest(count: samples, into: &room) ?? 0
            }
        queue.commit(written)
    }

    /// Makes `samples` up.
    mutating func conceal(
        samples: Int, as format: AudioFormat, into queue: inout PlayoutQueue
    ) throws(CodecError) {
        var room = queue.room()
        let written =
            switch format {
            case .opus: try opus?.conceal(count: samples, into: &room) ?? 0
            case .g722: try g722?.conceal(count: samples, into: &room) ?? 0
            case .pcmu: try pcmu?.conceal(count: samples, into: &room) ?? 0
            case .pcma: try pcma?.conceal(count: samples, into: &room) ?? 0
            }
        queue.commit(written)
    }
}
