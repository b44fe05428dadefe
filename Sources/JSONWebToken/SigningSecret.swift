import COpenSSL

/// A signature algorithm of JSON Web Algorithms with a shared secret (RFC 7518 §3.2).
package enum SigningAlgorithm: String, Hashable, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// Octets of the hash: also of a signature, and the least length of a secret.
    package var hashSize: Int {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        }
    }

    fileprivate var digest: OpaquePointer? {
        switch self {
        case .hs256: EVP_sha256()
        case .hs384: EVP_sha384()
        case .hs512: EVP_sha512()
        }
    }
}

/// A secret shared with whoever signs; it never shows itself in a description.
package struct SigningSecret: Sendable, CustomStringConvertible, CustomReflectable {
    private let octets: [UInt8]

    /// Takes the octets as they are: a secret isn't a text in base64.
    package init(_ octets: [UInt8]) {
        self.octets = octets
    }

    /// The secret's length in octets.
    package var count: Int { octets.count }
    package var description: String { "SigningSecret(\(octets.count) octets)" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The signature of `message` (HMAC, RFC 2104).
    ///
    /// - Throws: ``JSONWebTokenError/secretTooShort(needed:got:)``.
    package func signature(
        of message: [UInt8], algorithm: SigningAlgorithm
    ) throws(JSONWebTokenError) -> [UInt8] {
        guard octets.count >= algorithm.hashSize else {
            throw .secretTooShort(needed: algorithm.hashSize, got: octets.count)
        }
        var code = [UInt8](repeating: 0, count: algorithm.hashSize)
        let made = HMAC(
            algorithm.digest, octets, Int32(octets.count), message, message.count, &code, nil)
        precondition(made != nil, "libcrypto has no HMAC with SHA-2")
        return code
    }

    /// Whether `signature` is that of `message`, in a time that doesn't tell how much of it is right.
    ///
    /// - Throws: ``JSONWebTokenError/secretTooShort(needed:got:)``.
    package func isSignature(
        _ signature: [UInt8], of message: [UInt8], algorithm: SigningAlgorithm
    ) throws(JSONWebTokenError) -> Bool {
        let wanted = try self.signature(of: message, algorithm: algorithm)
        guard signature.count == wanted.count else { return false }
        return CRYPTO_memcmp(signature, wanted, wanted.count) == 0
    }
}
