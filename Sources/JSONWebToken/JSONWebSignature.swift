import FoundationEssentials

/// The compact serialisation of a JSON Web Signature (RFC 7515 §3.1), with a shared secret.
package enum JSONWebSignature {
    private struct Header: Codable {
        var alg: String
        var typ: String?
        var crit: [String]?
    }

    /// Signs `payload`.
    ///
    /// - Throws: ``JSONWebTokenError/secretTooShort(needed:got:)``.
    package static func compact(
        payload: [UInt8], secret: SigningSecret, algorithm: SigningAlgorithm
    ) throws(JSONWebTokenError) -> String {
        let header = Array(#"{"alg":"\#(algorithm.rawValue)","typ":"JWT"}"#.utf8)
        let signed = Base64URL.text(header) + "." + Base64URL.text(payload)
        let signature = try secret.signature(of: Array(signed.utf8), algorithm: algorithm)
        return signed + "." + Base64URL.text(signature)
    }

    /// The payload of `text`, once its signature is known to be right.
    ///
    /// `alg` is compared with `allowed` before the secret is used: the sender must not choose how it is checked.
    ///
    /// - Throws: ``JSONWebTokenError``; never one of the claims' or the time's.
    package static func payload(
        of text: String, secret: SigningSecret, allowed: Set<SigningAlgorithm>
    ) throws(JSONWebTokenError) -> [UInt8] {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed(part: min(parts.count, 3)) }
        guard let header = Base64URL.octets(parts[0]) else { throw .malformed(part: 0) }
        let algorithm = try algorithm(header: header, allowed: allowed)
        guard let payload = Base64URL.octets(parts[1]) else { throw .malformed(part: 1) }
        guard let signature = Base64URL.octets(parts[2]) else { throw .malformed(part: 2) }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard try secret.isSignature(signature, of: signed, algorithm: algorithm) else {
            throw .signatureMismatch
        }
        return payload
    }

    private static func algorithm(
        header: [UInt8], allowed: Set<SigningAlgorithm>
    ) throws(JSONWebTokenError) -> SigningAlgorithm {
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(header)) else {
            throw .unreadable(.header)
        }
        guard let algorithm = SigningAlgorithm(rawValue: header.alg), allowed.contains(algorithm) else {
            throw .algorithmRefused
        }
        guard header.crit == nil else { throw .criticalParameter }
        return algorithm
    }
}
