internal import FoundationEssentials

/// Where a platform's API is: a scheme, a host, and perhaps a port.
package struct PlatformAddress: Hashable, Sendable {
    /// What is wrong with an address.
    package enum ParseError: Error, Hashable, Sendable {
        /// It isn't `host`, `host:port` or `https://host:port`.
        case malformed
        /// It has a path, a query, or credentials.
        case notOnlyAHost
        /// It is `http` to a machine that isn't this one: the token and the call's keys would travel in clear.
        case insecure(host: String)
    }

    /// The host's name or numeric address, without brackets.
    package let host: String
    /// The API's base, without a slash at its end.
    package let base: String

    /// Reads an address; without a scheme it is `https`.
    ///
    /// `http` is accepted to loopback addresses.
    package init(parsing text: String) throws(ParseError) {
        let url = text.contains("://") ? text : "https://" + text
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isPlain, let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let authority = parts.host, !authority.isEmpty
        else { throw .malformed }
        if let port = parts.port, !(1...65535).contains(port) { throw .malformed }
        guard ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user == nil,
            parts.password == nil
        else { throw .notOnlyAHost }
        host = authority.filter { $0 != "[" && $0 != "]" }
        if scheme == "http", !Self.isLoopback(host) { throw .insecure(host: host) }
        let bracketed = host.contains(":") ? "[\(host)]" : host
        base = "\(scheme)://\(bracketed)" + (parts.port.map { ":\($0)" } ?? "") + "/ccai/v1"
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }
}
