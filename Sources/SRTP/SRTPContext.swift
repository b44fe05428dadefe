internal import CSRTP
internal import CSRTPCiphers

/// Why a packet was not let through, or not made.
package enum SRTPError: Error, BitwiseCopyable, Hashable, Sendable {
    /// Too short, or no RTP or RTCP at all (RFC 3711 §3.1).
    case malformed
    /// The authentication tag is wrong: another key, a damaged or a forged packet.
    case authentication
    /// Seen before, or older than the replay window reaches (RFC 3711 §3.3.2).
    case replay
    /// The key has protected as many packets as it may; agree on a new one (RFC 3711 §9.2).
    case keyExpired
    /// There's no room behind the packet for the tag.
    case noRoom
    /// libsrtp2 refused for a reason of its own; the number is its `srtp_err_status_t`.
    case library(UInt32)
}

/// One direction of SRTP and SRTCP under one master key (RFC 3711), on libsrtp2.
///
/// Packets are transformed in place. Real-time safe after `init`. The key is wiped from libsrtp2's memory at the end.
@safe package struct SRTPContext: ~Copyable, @unchecked Sendable {  // the only holder of its libsrtp2 session
    /// What protection may add to a packet, in octets: the tag, and for RTCP the index (RFC 3711 §3.4).
    package static var maximumExpansion: Int { Int(SRTP_MAX_TRAILER_LEN) + 4 }

    package enum Direction: Sendable {
        /// For packets that we send: ``SRTPContext/protectRTP(_:length:)``.
        case outbound
        /// For packets that we receive.
        case inbound
    }

    private let session: srtp_t

    /// - Parameters:
    ///   - suite: What SDES agreed on.
    ///   - keyAndSalt: Master key, then master salt: ``CryptoSuite/keyAndSaltLength`` octets.
    ///   - direction: Each direction has its own key, never the same one (RFC 4568 §6.1).
    /// - Throws: ``SRTPError/library(_:)`` when libsrtp2 can't make a session; `.malformed` for a key of the wrong length.
    package init(suite: CryptoSuite, keyAndSalt: Span<UInt8>, direction: Direction) throws(SRTPError) {
        guard keyAndSalt.count == suite.keyAndSaltLength else { throw .malformed }
        let installed = csrtp_ciphers_install()
        guard installed == srtp_err_status_ok else { throw .library(installed.rawValue) }

        var policy = unsafe srtp_policy_t()
        unsafe suite.fill(&policy.rtp, &policy.rtcp)
        unsafe policy.ssrc.type = direction == .outbound ? ssrc_any_outbound : ssrc_any_inbound
        unsafe policy.window_size = 1024
        // A retransmission must not be protected twice with other content, so repeats stay refused.
        unsafe policy.allow_repeat_tx = 0

        var key = InlineArray<64, UInt8>(repeating: 0)
        for index in keyAndSalt.indices { key[index] = keyAndSalt[index] }
        var made: srtp_t?
        var keySpan = key.mutableSpan
        let status = unsafe keySpan.withUnsafeMutableBufferPointer { octets in
            unsafe policy.key = octets.baseAddress
            defer { unsafe octets.update(repeating: 0) }
            return unsafe srtp_create(&made, &policy)
        }
        guard status == srtp_err_status_ok, let made = unsafe made else { throw .library(status.rawValue) }
        unsafe session = made
    }

    deinit { unsafe _ = srtp_dealloc(session) }

    /// Encrypts and authenticates an RTP packet where it stands.
    ///
    /// - Parameters:
    ///   - packet: The packet, and behind it ``maximumExpansion`` octets of room.
    ///   - length: Octets of the packet; on return, of the SRTP packet.
    /// - Throws: ``SRTPError``; send nothing then.
    package mutating func protectRTP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length + Self.maximumExpansion <= packet.count else { throw .noRoom }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        let status = unsafe csrtp_protect(session, base, &count)
        try check(status)
        length = Int(count)
    }

    /// Encrypts and authenticates a compound RTCP packet where it stands; as ``protectRTP(_:length:)``.
    package mutating func protectRTCP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length + Self.maximumExpansion <= packet.count else { throw .noRoom }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        let status = unsafe csrtp_protect_rtcp(session, base, &count)
        try check(status)
        length = Int(count)
    }

    /// Checks and decrypts an SRTP packet where it stands.
    ///
    /// Nothing of the packet may be believed, and no state changed for it, before this returns.
    ///
    /// - Parameters:
    ///   - packet: The datagram.
    ///   - length: Its octets; on return, those of the RTP packet.
    /// - Throws: ``SRTPError``; drop the datagram, and count it by that reason.
    package mutating func unprotectRTP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length >= 12, length <= packet.count else { throw .malformed }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        let status = unsafe csrtp_unprotect(session, base, &count)
        try check(status)
        length = Int(count)
    }

    /// Checks and decrypts an SRTCP packet where it stands; as ``unprotectRTP(_:length:)``.
    package mutating func unprotectRTCP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length >= 8, length <= packet.count else { throw .malformed }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        let status = unsafe csrtp_unprotect_rtcp(session, base, &count)
        try check(status)
        length = Int(count)
    }

    private func check(_ status: srtp_err_status_t) throws(SRTPError) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_auth_fail: throw .authentication
        case srtp_err_status_replay_fail, srtp_err_status_replay_old: throw .replay
        case srtp_err_status_key_expired: throw .keyExpired
        case srtp_err_status_bad_param, srtp_err_status_parse_err, srtp_err_status_cant_check:
            throw .malformed
        default: throw .library(status.rawValue)
        }
    }
}

extension CryptoSuite {
    /// Sets libsrtp2's policies for the two kinds of packet.
    ///
    /// The 32-bit tag is for RTP only: RTCP keeps its 80 bits (RFC 4568 §6.2.2, RFC 3711 §5.2).
    fileprivate func fill(_ rtp: inout srtp_crypto_policy_t, _ rtcp: inout srtp_crypto_policy_t) {
        switch self {
        case .aeadAES256GCM:
            unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&rtp)
            unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&rtcp)
        case .aeadAES128GCM:
            unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&rtp)
            unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&rtcp)
        case .aes256HMACSHA1_80:
            unsafe srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&rtp)
            unsafe srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&rtcp)
        case .aes256HMACSHA1_32:
            unsafe srtp_crypto_policy_set_aes_cm_256_hmac_sha1_32(&rtp)
            unsafe srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&rtcp)
        case .aes128HMACSHA1_80:
            unsafe srtp_crypto_policy_set_rtp_default(&rtp)
            unsafe srtp_crypto_policy_set_rtcp_default(&rtcp)
        case .aes128HMACSHA1_32:
            unsafe srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&rtp)
            unsafe srtp_crypto_policy_set_rtcp_default(&rtcp)
        }
    }
}
