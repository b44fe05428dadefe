internal import LinuxIO
internal import RTP
internal import Synchronization

/// Carries voice calls: one media thread, and the sessions on it.
///
/// Safe from any thread. Make one and keep it for the life of the program; when it goes, its sessions are closed.
public final class VoiceEngine: Sendable {
    private let core: EngineCore

    /// Starts the media thread.
    ///
    /// The thread asks for real-time priority. Refused, it goes on without, and
    /// ``SessionStatistics/hasRealTimePriority`` says so.
    ///
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/thread`` when the system has no thread or
    ///   descriptor left.
    public init() throws(VoiceEngineError) {
        do throws(SystemError) { core = try EngineCore.start() } catch {
            throw VoiceEngineError(.thread, "the media thread can't start: \(error)")
        }
    }

    deinit { core.stop() }

    /// Opens two sockets for a new call, on an even port and the one above it (RFC 3550 §11); the call then gives or takes an offer.
    ///
    /// - Parameter configuration: What to offer.
    /// - Returns: The session, not yet sending.
    /// - Throws: ``VoiceEngineError`` with code ``VoiceEngineError/Code/network`` when no socket could be bound.
    public func makeSession(_ configuration: SessionConfiguration) async throws(VoiceEngineError)
        -> VoiceSession
    {
        guard !configuration.codecs.isEmpty else {
            throw VoiceEngineError(.mediaRejected, "the configuration offers no codec: add one to `codecs`")
        }
        guard [10, 20, 40, 60].contains(configuration.packetMilliseconds) else {
            throw VoiceEngineError(.mediaRejected, "`packetDuration` must be 10, 20, 40 or 60 ms")
        }
        let address = try resolve(configuration.localAddress)
        let core = core
        return try core.register { identifier throws(VoiceEngineError) in
            let sockets: UDPSocketPair
            do throws(SystemError) { sockets = try UDPSocketPair(boundTo: address) } catch {
                throw VoiceEngineError(.network, "no socket for media: \(error)")
            }
            let negotiator = Negotiator(configuration, address: sockets.media.localAddress)
            let session = VoiceSession(identifier: identifier, core: core, negotiator: negotiator)
            let state = SessionState(
                identifier: identifier, sockets: sockets, input: configuration.input.source,
                framesInPeriod: min(configuration.packetMilliseconds / 10, 2))
            return (session, SessionReference(state))
        }
    }

    /// Closes all sessions and ends the media thread.
    ///
    /// Later calls fail with ``VoiceEngineError/Code/closed``.
    public func shutDown() async {
        core.stop()
        await core.waitUntilStopped()
    }

    private func resolve(_ address: LocalAddress) throws(VoiceEngineError) -> TransportAddress {
        switch address {
        case .numeric(let text):
            guard let address = TransportAddress(dotted: text, port: 0) else {
                throw VoiceEngineError(.network, "\"\(text)\" is no numeric IPv4 address")
            }
            return address
        case .facing(let host):
            do throws(SystemError) {
                return TransportAddress(address: try UDPSocket.localAddress(facing: host).address, port: 0)
            } catch { throw VoiceEngineError(.network, "no way to \(host): \(error)") }
        }
    }
}
