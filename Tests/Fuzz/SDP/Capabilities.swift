import SDP

/// The two sides that answer: without encryption, and with every suite.
enum Capabilities {
    static let plain = make(.none)
    static let encrypted = make(
        .required(
            CryptoSuite.allCases.compactMap {
                MasterKey(suite: $0, keyAndSalt: [UInt8](repeating: 0x5A, count: $0.keyAndSaltLength))
            }))

    private static func make(_ security: MediaCapabilities.Security) -> MediaCapabilities {
        let address = ConnectionAddress(family: .ip4, host: "198.51.100.1")
        return MediaCapabilities(
            origin: SessionOrigin(sessionID: 42, sessionVersion: 1, address: address), address: address,
            port: 4000, security: security, source: LocalSource(ssrc: 7, canonicalName: "c@example"))
    }
}
