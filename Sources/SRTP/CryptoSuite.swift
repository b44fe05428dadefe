internal import CSRTP

/// An SRTP crypto suite that SDES can agree on (RFC 4568 §6.2, RFC 6188, RFC 7714 §14.2).
package enum CryptoSuite: String, CaseIterable, Hashable, Sendable {
    case aeadAES256GCM = "AEAD_AES_256_GCM"
    case aeadAES128GCM = "AEAD_AES_128_GCM"
    case aes256HMACSHA1_80 = "AES_256_CM_HMAC_SHA1_80"
    case aes256HMACSHA1_32 = "AES_256_CM_HMAC_SHA1_32"
    case aes128HMACSHA1_80 = "AES_CM_128_HMAC_SHA1_80"
    case aes128HMACSHA1_32 = "AES_CM_128_HMAC_SHA1_32"

    /// Octets of a master key and its master salt, in that order, as SDES carries them.
    package var keyAndSaltLength: Int {
        switch self {
        case .aeadAES256GCM: 32 + 12
        case .aeadAES128GCM: 16 + 12
        case .aes256HMACSHA1_80, .aes256HMACSHA1_32: 32 + 14
        case .aes128HMACSHA1_80, .aes128HMACSHA1_32: 16 + 14
        }
    }
}

extension CryptoSuite {
    /// Whether the tag is part of what is encrypted (RFC 7714 §8.2).
    var isGCM: Bool { self == .aeadAES128GCM || self == .aeadAES256GCM }

    /// Sets libsrtp2's policies for the two kinds of packet.
    ///
    /// The 32-bit tag is for RTP only: RTCP keeps its 80 bits (RFC 4568 §6.2.2, RFC 3711 §5.2).
    func fill(_ rtp: inout srtp_crypto_policy_t, _ rtcp: inout srtp_crypto_policy_t) {
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
