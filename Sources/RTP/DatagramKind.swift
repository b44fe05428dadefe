/// What a datagram on a port shared by several protocols is, by its first two octets alone.
package enum DatagramKind: BitwiseCopyable, Hashable, Sendable {
    case rtp
    case rtcp
    case stun
    case dtls
    case zrtp
    case turnChannel
    case unknown
    case empty

    /// Classifies after RFC 7983 §7, and RTCP after RFC 5761 §4: a second octet of `192...223`.
    ///
    /// Real-time safe. It says which parser to ask, not that the datagram is any good: a lone octet of
    /// `128...191` counts as RTP, which will find it truncated.
    @_noLocks @_noAllocation
    package init(of datagram: borrowing Span<UInt8>) {
        guard datagram.count > 0 else {
            self = .empty
            return
        }
        switch datagram[0] {
        case 0...3: self = .stun
        case 16...19: self = .zrtp
        case 20...63: self = .dtls
        case 64...79: self = .turnChannel
        case 128...191:
            let second = datagram.count > 1 ? datagram[1] : 0
            self = second >= 192 && second <= 223 ? .rtcp : .rtp
        default: self = .unknown
        }
    }
}
