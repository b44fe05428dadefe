import SDP

/// Lines joined as SDP joins them.
func sdp(_ lines: String...) -> String {
    lines.map { $0 + "\r\n" }.joined()
}

/// A description of one audio section with these lines.
func description(_ media: String, _ attributes: String..., connection: String = "IN IP4 192.0.2.7") throws
    -> SessionDescription
{
    let head = ["v=0", "o=- 7 1 IN IP4 192.0.2.7", "s=-", "c=\(connection)", "t=0 0", "m=\(media)"]
    return try SessionDescription(parsing: (head + attributes.map { "a=" + $0 }).joined(separator: "\r\n"))
}

/// A key whose octets all are `octet`.
func masterKey(_ octet: UInt8, _ suite: CryptoSuite = .aes128CounterMode80) -> MasterKey {
    guard
        let key = MasterKey(
            suite: suite, keyAndSalt: Array(repeating: octet, count: suite.keyAndSaltLength))
    else { preconditionFailure("a key has its suite's length") }
    return key
}

func capabilities(
    port: UInt16 = 4000, encodings: [AudioEncoding] = [.opus, .pcmu, .pcma],
    direction: MediaDirection = .sendrecv, security: MediaCapabilities.Security = .none,
    opus: OpusParameters = OpusParameters()
) -> MediaCapabilities {
    let address = ConnectionAddress(family: .ip4, host: "198.51.100.1")
    return MediaCapabilities(
        origin: SessionOrigin(sessionID: 42, sessionVersion: 1, address: address), address: address,
        port: port,
        encodings: encodings, opus: opus, direction: direction, security: security)
}
