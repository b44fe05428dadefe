internal import CLinux
internal import Glibc
package import RTP

/// A UDP socket that never blocks, marks its datagrams for expedited forwarding (RFC 3246), and gets the kernel's times
/// of arrival.
package struct UDPSocket: ~Copyable, Sendable {
    package let descriptor: Int32
    package let localAddress: TransportAddress

    /// - Parameter address: What to bind to; port 0 takes a free one.
    /// - Throws: ``SystemError`` that names the address.
    package init(boundTo address: TransportAddress) throws(SystemError) {
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try valueOrError(socket(AF_INET, flags, 0), "socket")
        do throws(SystemError) {
            var name = sockaddr_in(address)
            try withSocketAddress(&name) { pointer, length throws(SystemError) in
                _ = try valueOrError(bind(descriptor, pointer, length), "bind \(address)")
            }
            set(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, 1)
            // Expedited forwarding; where the system doesn't allow it, the call goes on without.
            set(descriptor, Int32(IPPROTO_IP), IP_TOS, 0xB8)
            localAddress = try Self.localAddress(of: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func localAddress(of descriptor: Int32) throws(SystemError) -> TransportAddress {
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        _ = try valueOrError(result, "getsockname")
        return TransportAddress(name)
    }

    /// The local address from which datagrams to `host` would leave.
    ///
    /// Resolves names, so it may block for seconds; not for the media thread.
    ///
    /// - Throws: ``SystemError`` when the name isn't known or there's no way to it.
    package static func localAddress(facing host: String) throws(SystemError) -> TransportAddress {
        var hints = addrinfo()
        hints.ai_family = AF_INET
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "9", &hints, &found)
        guard code == 0, let found else {
            throw SystemError("look-up of \(host) (\(String(cString: gai_strerror(code))))", code: ENOENT)
        }
        defer { freeaddrinfo(found) }
        let descriptor = try valueOrError(
            socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0), "socket")
        defer { close(descriptor) }
        // Connecting UDP sends nothing; it only makes the system choose a way.
        _ = try valueOrError(
            connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen), "route to \(host)")
        return try localAddress(of: descriptor)
    }
}

/// Sockets for RTP and RTCP: on an even port, and on the one above it (RFC 3550 §11).
package struct UDPSocketPair: ~Copyable, Sendable {
    package let media: UDPSocket
    package let reports: UDPSocket

    /// - Parameter address: What to bind to; its port is not looked at.
    /// - Throws: ``SystemError`` that names the address, also when no two such ports are free.
    package init(boundTo address: TransportAddress) throws(SystemError) {
        var address = address
        // A free port is even as often as not, and its neighbour is free unless most are taken.
        for _ in 0..<64 {
            address.port = 0
            let media = try UDPSocket(boundTo: address)
            guard media.localAddress.port.isMultiple(of: 2) else { continue }
            address.port = media.localAddress.port + 1
            let reports: UDPSocket
            do throws(SystemError) { reports = try UDPSocket(boundTo: address) } catch {
                guard error.code == EADDRINUSE else { throw error }
                continue
            }
            self.media = media
            self.reports = reports
            return
        }
        throw SystemError("bind two ports in a row of \(address.dottedAddress)", code: EADDRINUSE)
    }
}

private func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
}

private func withSocketAddress(
    _ name: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
) throws(SystemError) {
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafePointer(to: &name) { pointer throws(SystemError) in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic throws(SystemError) in
            try body(generic, length)
        }
    }
}

extension sockaddr_in {
    init(_ address: TransportAddress) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = address.port.bigEndian
        sin_addr.s_addr = address.address.bigEndian
    }
}

extension TransportAddress {
    init(_ name: sockaddr_in) {
        self.init(address: UInt32(bigEndian: name.sin_addr.s_addr), port: UInt16(bigEndian: name.sin_port))
    }
}
