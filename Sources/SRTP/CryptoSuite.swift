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
