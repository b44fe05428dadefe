internal import CSRTP

/// Why a packet was not let through, or not made.
package enum SRTPError: Error, BitwiseCopyable, Hashable, Sendable {
    /// Too short, or no RTP or RTCP at all (RFC 3711 §3.1); of a key: not of its suite's length.
    case malformed
    /// The authentication tag is wrong: another key, another rollover counter, a damaged or a forged packet.
    case authentication
    /// The packet names another master key than ours, or none (RFC 3711 §3.1).
    case masterKeyIdentifier
    /// Seen before, or older than the replay window reaches (RFC 3711 §3.3.2).
    case replay
    /// The key has protected as many packets as it may; agree on a new one (RFC 3711 §9.2).
    case keyExpired
    /// A key that this sender has used before, and left.
    case keyReused
    /// An index not above the last one of its source: two packets under one key stream would show each other.
    case indexReused
    /// More sources than are kept; the packet was not looked at.
    case tooManySources
    /// There's no room behind the packet for the tag.
    case noRoom
    /// libsrtp2 refused for a reason of its own; the number is its `srtp_err_status_t`.
    case library(UInt32)

    /// `nil` if libsrtp2 did what it was asked.
    init?(_ status: srtp_err_status_t) {
        switch status {
        case srtp_err_status_ok: return nil
        case srtp_err_status_auth_fail, srtp_err_status_pkt_idx_old: self = .authentication
        case srtp_err_status_bad_mki: self = .masterKeyIdentifier
        case srtp_err_status_replay_fail, srtp_err_status_replay_old: self = .replay
        case srtp_err_status_key_expired: self = .keyExpired
        case srtp_err_status_bad_param, srtp_err_status_parse_err, srtp_err_status_cant_check:
            self = .malformed
        default: self = .library(status.rawValue)
        }
    }
}
