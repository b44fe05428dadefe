package import MediaTime

/// The master key of one direction, with its salt and what SDES says about it (RFC 4568 §6.1).
///
/// A value, made off the media thread. It prints as nothing but its suite.
package struct SRTPKey: Sendable {
    package let suite: CryptoSuite
    /// Master key, then master salt: ``CryptoSuite/keyAndSaltLength`` octets, or no context can be made of it.
    package let keyAndSalt: SecretOctets
    /// What each packet carries to name the key (RFC 3711 §3.1): `0...128` octets.
    ///
    /// None: packets carry no MKI.
    package let masterKeyIdentifier: [UInt8]
    /// Packets that may be protected with it, or `nil` for as many as RFC 3711 §9.2 allows.
    package let lifetime: UInt64?

    package init(
        suite: CryptoSuite, keyAndSalt: SecretOctets, masterKeyIdentifier: [UInt8] = [],
        lifetime: UInt64? = nil
    ) {
        self.suite = suite
        self.keyAndSalt = keyAndSalt
        self.masterKeyIdentifier = masterKeyIdentifier
        self.lifetime = lifetime
    }

    /// Copies the key out of an array, which its owner can't wipe.
    package init(
        suite: CryptoSuite, keyAndSalt: [UInt8], masterKeyIdentifier: [UInt8] = [], lifetime: UInt64? = nil
    ) {
        self.init(
            suite: suite, keyAndSalt: SecretOctets(keyAndSalt.span), masterKeyIdentifier: masterKeyIdentifier,
            lifetime: lifetime)
    }

    /// Whether both are the same key of the same suite, whatever their identifiers and lifetimes.
    ///
    /// In constant time for keys of one length.
    package func isSameKey(as other: SRTPKey) -> Bool {
        suite == other.suite && keyAndSalt == other.keyAndSalt
    }
}

extension SRTPKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(suite.rawValue) …" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
