/// An IPv4 address and a port: where RTP and RTCP come from and go to (RFC 3550 §3).
package struct TransportAddress: BitwiseCopyable, Hashable, Sendable, CustomStringConvertible {
    /// In host byte order: `0x7F000001` for 127.0.0.1.
    package var address: UInt32
    package var port: UInt16

    package init(address: UInt32, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Reads four decimal numbers with dots between, as in SDP; anything else gives `nil`.
    package init?(dotted: String, port: UInt16) {
        let parts = dotted.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let part else { return nil }
            address = address << 8 | UInt32(part)
        }
        self.init(address: address, port: port)
    }

    /// The address alone, in the dotted form.
    package var dottedAddress: String {
        "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
    }

    package var description: String { "\(dottedAddress):\(port)" }
}
