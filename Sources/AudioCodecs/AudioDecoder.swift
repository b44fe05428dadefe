/// Decodes one ``AudioFormat`` to 48 kHz, one channel, and makes up what is lost.
///
/// Real-time safe after `init`.
package struct AudioDecoder: ~Copyable {
    package let format: AudioFormat
    /// Exactly one is there, as ``format`` says: an enum of these could not be changed in place.
    private var opus: OpusDecoder?
    private var g711: G711Decoder?
    private var g722: G722Decoder?

    package init(_ format: AudioFormat) throws(CodecError) {
        self.format = format
        switch format {
        case .opus: opus = try OpusDecoder()
        case .g722: g722 = try G722Decoder()
        case .pcmu: g711 = try G711Decoder(.mu)
        case .pcma: g711 = try G711Decoder(.a)
        }
    }

    /// Decodes a packet, with room for ``AudioProcessingRate/maximumPacketSamples``, and returns the samples written.
    ///
    /// Throws ``CodecError`` for what can't be decoded; conceal instead.
    package mutating func decode(
        _ payload: Span<UInt8>, into samples: inout MutableSpan<Int16>
    ) throws(CodecError) -> Int {
        switch format {
        case .opus: try opus?.decode(payload, into: &samples) ?? 0
        case .g722: try g722?.decode(payload, into: &samples) ?? 0
        case .pcmu, .pcma: try g711?.decode(payload, into: &samples) ?? 0
        }
    }

    /// Restores the packet of `count` samples before `following` where that one carries a copy, makes it up where not.
    package mutating func recover(
        from following: Span<UInt8>, count: Int, into samples: inout MutableSpan<Int16>
    ) throws(CodecError) -> Int {
        switch format {
        case .opus: try opus?.recover(from: following, count: count, into: &samples) ?? 0
        case .g722: try g722?.conceal(count: count, into: &samples) ?? 0
        case .pcmu, .pcma: try g711?.conceal(count: count, into: &samples) ?? 0
        }
    }

    /// Goes on with `count` samples where the sender pauses: comfort noise with Opus, silence else.
    package mutating func rest(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError) -> Int {
        switch format {
        case .opus: try opus?.conceal(count: count, into: &samples) ?? 0
        case .g722: try g722?.rest(count: count, into: &samples) ?? 0
        case .pcmu, .pcma: try g711?.rest(count: count, into: &samples) ?? 0
        }
    }

    /// Makes up `count` samples from what was heard last.
    package mutating func conceal(count: Int, into samples: inout MutableSpan<Int16>) throws(CodecError)
        -> Int
    {
        switch format {
        case .opus: try opus?.conceal(count: count, into: &samples) ?? 0
        case .g722: try g722?.conceal(count: count, into: &samples) ?? 0
        case .pcmu, .pcma: try g711?.conceal(count: count, into: &samples) ?? 0
        }
    }
}
