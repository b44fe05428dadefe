import Synchronization

/// A platform that listens: sockets, clock and state together.
package final class PlatformServer: Sendable {
    private let configuration: PlatformConfiguration
    private let platform: Platform
    private let server: HTTPServer
    private let clock = Mutex<Task<Void, Never>?>(nil)

    package init(
        _ configuration: PlatformConfiguration, media: any AgentMedia, logLevel: LogLevel,
        now: @escaping @Sendable () -> WallTime
    ) {
        let platform = Platform(
            PlatformState(configuration: configuration, generator: SystemRandomNumberGenerator()),
            media: media, log: Log(level: logLevel), now: now)
        self.configuration = configuration
        self.platform = platform
        server = HTTPServer(bodyLimit: configuration.limits.bodyOctets) { request, exchange in
            platform.receive(request, exchange)
        }
    }

    /// Begins to listen.
    ///
    /// - Returns: The port, also if the configuration's 0 asked for any.
    /// - Throws: ``HTTPServerError``; nothing runs then.
    package func start() throws(HTTPServerError) -> UInt16 {
        let port = try server.start(
            address: configuration.address, port: configuration.port, tls: configuration.tls)
        clock.withLock { clock in
            clock = Task { [platform] in await platform.keepTime() }
        }
        return port
    }

    /// Ends calls, streams, and then the server, within about a second.
    package func stop() async {
        clock.withLock { $0 }?.cancel()
        await platform.stop()
        server.stop()
    }
}
