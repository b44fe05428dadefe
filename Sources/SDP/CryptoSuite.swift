/// A crypto suite for SRTP, by the name that SDP gives it (RFC 4568 §6.2, RFC 6188 §4, RFC 7714 §14.2).
package enum CryptoSuite: String, Hashable, Sendable, CaseIterable {
    case aes128CounterMode80 = "AES_CM_128_HMAC_SHA1_80"
    case aes128CounterMode32 = "AES_CM_128_HMAC_SHA1_32"
    case aes256CounterMode80 = "AES_256_CM_HMAC_SHA1_80"
    case aes256CounterMode32 = "AES_256_CM_HMAC_SHA1_32"
    case aes128GCM = "AEAD_AES_128_GCM"
    case aes256GCM = "AEAD_AES_256_GCM"

    /// Octets of master key and master salt together.
    package var keyAndSaltLength: Int {
        switch self {
        case .aes128CounterMode80, .aes128CounterMode32: 30
        case .aes256CounterMode80, .aes256CounterMode32: 46
        case .aes128GCM: 28
        case .aes256GCM: 44
        }
    }
}

/// A master key with its master salt, for one suite and one direction.
///
/// It prints as nothing but its suite.
package struct MasterKey: Hashable, Sendable {
    package let suite: CryptoSuite
    /// The key, then the salt.
    package let keyAndSalt: [UInt8]

    /// Takes octets from the system's generator, never used before, for one direction of one call.
    ///
    /// `nil` if there aren't as many as `suite` needs.
    package init?(suite: CryptoSuite, keyAndSalt: [UInt8]) {
        guard keyAndSalt.count == suite.keyAndSaltLength else { return nil }
        self.suite = suite
        self.keyAndSalt = keyAndSalt
    }
}

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(suite.rawValue) …" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
