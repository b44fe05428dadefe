import COpenSSL

/// SHA-256 of octets, to tell texts apart.
enum ContentDigest {
    static func hexadecimal(of octets: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let isMade = EVP_Digest(octets, octets.count, &digest, nil, EVP_sha256(), nil)
        precondition(isMade == 1, "libcrypto has no SHA-256")
        return hexadecimalText(digest)
    }

    static func hexadecimalText(_ octets: [UInt8]) -> String {
        octets.map { octet in
            let digits = String(octet, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}
