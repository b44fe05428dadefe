/// Why a datagram was dropped.
///
/// Nothing else is done about one: no log, no change of state.
package enum DatagramDropReason: Int, CaseIterable, BitwiseCopyable, Hashable, Sendable {
    /// Too short for what it claims to be.
    case truncated
    /// By its first octet neither RTP nor RTCP (RFC 7983), or of another version.
    case notRTP
    /// The padding is longer than the packet, or of length 0.
    case badPadding
    /// SRTP's tag is wrong, and none has been right yet: another key or suite than signalling agreed on.
    case wrongKey
    /// SRTP's tag is wrong, and earlier ones were right: a forged or damaged packet, or the other side's rollover counter
    /// is not where we follow it.
    case authentication
    /// SRTP has seen it before, or it is older than the replay window.
    case replay
    /// Plain RTP from an address that signalling didn't name, or a second source beside the one that is heard.
    case unknownSource
    /// It bears our own SSRC: a loop or a collision (RFC 3550 §8.2).
    case ownSource
    /// Signalling didn't agree on its payload type.
    case unknownPayloadType
    /// No payload of its format has this length or form.
    case malformedPayload
    /// Longer than any media packet.
    case oversized
    /// No compound RTCP packet (RFC 3550 §A.2).
    case malformedRTCP
    /// We agreed to receive nothing, or hold the call.
    case notReceiving
    /// Far off from the stream, alone.
    case stray
    /// Empty: sent to keep a NAT's path open (RFC 6263 §4.1).
    case keepAlive
}

/// Dropped datagrams by reason.
package struct DropCounts: BitwiseCopyable, Sendable {
    private var counts = InlineArray<16, UInt64>(repeating: 0)

    package init() {}

    package subscript(reason: DatagramDropReason) -> Int { Int(counts[reason.rawValue]) }

    mutating func count(_ reason: DatagramDropReason) { counts[reason.rawValue] += 1 }
}
