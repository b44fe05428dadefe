import Dispatch
import FoundationEssentials
import Glibc
import VoiceEngine

/// The program from its arguments to its exit code.
package enum PlatformProgram {
    package enum ExitCode: CInt, Sendable {
        case stopped = 0
        case usage = 2
        case configuration = 3
        case cannotListen = 4
        case noEngine = 5
    }

    /// Runs until a signal, or until something is wrong and has been said on standard error.
    package static func run(_ arguments: [String]) async -> ExitCode {
        Terminal.secureStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)
        let options: CommandLineOptions
        do throws(CommandLineOptions.Misuse) {
            options = try CommandLineOptions(arguments)
        } catch {
            complain("\(error.message); see voiceplatform --help")
            return .usage
        }
        switch options.action {
        case .help:
            Terminal.write(HelpText.usage, to: STDOUT_FILENO)
            return .stopped
        case .printConfiguration:
            Terminal.write(HelpText.sampleConfiguration, to: STDOUT_FILENO)
            return .stopped
        case .run, .check:
            return await run(options)
        }
    }

    private static func run(_ options: CommandLineOptions) async -> ExitCode {
        let path = options.configurationPath ?? ""
        var configuration: PlatformConfiguration
        do throws(ConfigurationFileError) {
            configuration = try PlatformConfiguration(contentsOf: path)
        } catch {
            complain("\(path): \(error.description)")
            return .configuration
        }
        if let port = options.port { configuration.port = port }
        do throws(VoiceEngineError) {
            if options.action == .check {
                _ = try VirtualAgent.greeting(of: configuration)
                return .stopped
            }
            let level: LogLevel = options.isQuiet ? .quiet : options.isVerbose ? .verbose : .normal
            return await serve(
                configuration, media: try VirtualAgent(configuration), logLevel: level)
        } catch {
            guard error.code == .audioFile else {
                complain("cannot start the media engine: \(error.description)")
                return .noEngine
            }
            complain("\(path): virtual_agent.greeting: \(error.description)")
            return .configuration
        }
    }

    private static func serve(
        _ configuration: PlatformConfiguration, media: any AgentMedia, logLevel: LogLevel
    ) async -> ExitCode {
        let signals = stopSignals()
        let server = PlatformServer(configuration, media: media, logLevel: logLevel, now: currentTime)
        let port: UInt16
        do throws(HTTPServerError) {
            port = try server.start()
        } catch {
            complain(error.advice(for: configuration))
            await media.shutDown()
            return .cannotListen
        }
        let scheme = configuration.tls == nil ? "http" : "https"
        Terminal.write(
            "voiceplatform ready at \(scheme)://\(configuration.address):\(port)/ccai/v1\n", to: STDOUT_FILENO
        )
        var iterator = signals.makeAsyncIterator()
        _ = await iterator.next()
        await server.stop()
        return .stopped
    }

    private static let currentTime: @Sendable () -> WallTime = {
        WallTime(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    private static func complain(_ message: String) {
        Terminal.write("voiceplatform: \(message)\n", to: STDERR_FILENO)
    }

    /// One element for the first SIGINT, SIGTERM or SIGHUP; the second one ends the program on the spot.
    private static func stopSignals() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let queue = DispatchQueue(label: "signals")
            let numbers = [SIGINT, SIGTERM, SIGHUP]
            let sources = numbers.map { number in
                signal(number, SIG_IGN)
                return DispatchSource.makeSignalSource(signal: number, queue: queue)
            }
            nonisolated(unsafe) var isStopping = false  // Used on `queue` alone.
            for (source, number) in zip(sources, numbers) {
                source.setEventHandler {
                    if isStopping { _exit(128 + number) }
                    isStopping = true
                    continuation.yield()
                }
                source.resume()
            }
            nonisolated(unsafe) let kept = sources  // Only kept alive.
            continuation.onTermination = { _ in _ = kept }
        }
    }
}

extension HTTPServerError {
    fileprivate func advice(for configuration: PlatformConfiguration) -> String {
        let place = "\(configuration.address):\(configuration.port)"
        switch self {
        case .portInUse:
            return "the port \(configuration.port) of \(configuration.address) is in use; "
                + "`ss -ltnp 'sport = :\(configuration.port)'` shows by what; --port 0 takes any free port"
        case .invalidAddress:
            return "cannot listen on \(place): not an IPv4 address"
        case .cannotListen(0):
            return "cannot listen on \(place): the TLS key or certificate is unusable"
        case .cannotListen(let number):
            return "cannot listen on \(place): \(String(cString: strerror(number)))"
        }
    }
}
