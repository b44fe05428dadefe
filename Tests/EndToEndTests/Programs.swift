import Foundation
import Synchronization
import Testing

/// The project's programs, run as a user runs them.
enum Programs {
    /// Where the build put them: beside the test bundle.
    static let directory: URL = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
    }()

    static let project: URL = {
        let file = URL(fileURLWithPath: #filePath)
        return file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }()

    static var sentence: String { project.appendingPathComponent("samples/sounds/sentence.flac").path }
    static var greeting: String { project.appendingPathComponent("samples/platform/greeting.flac").path }
}

/// A program that is running: one of the project's by its name, another by its path.
final class RunningProgram: Sendable {
    private let process: Mutex<Process>
    private let output = Output()
    private let errors = Output()
    let identifier: Int32

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: name, relativeTo: Programs.directory)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try output.handleForWriting()
        process.standardError = try errors.handleForWriting()
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
    }

    deinit {
        if process.withLock(\.isRunning) { kill(identifier, SIGKILL) }
        output.remove()
        errors.remove()
    }

    /// Waits for a line of either stream that `find` makes something of.
    func line<Found>(_ find: (Substring) -> Found?) async throws -> Found {
        while true {
            for line in (output.text + errors.text).split(whereSeparator: \.isNewline) {
                if let found = find(line) { return found }
            }
            try requireRunning()
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func requireRunning() throws {
        guard process.withLock(\.isRunning) else {
            throw Failure(description: "the program ended: \(output.text)\(errors.text)")
        }
    }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// When the program last wrote to its output: not when the test, which may have to wait for a thread, sees it.
    var lastOutput: Date? { output.lastWrite }

    /// Waits for the end.
    func end() async throws -> (code: Int32, output: String, errors: String) {
        while process.withLock(\.isRunning) { try await Task.sleep(for: .milliseconds(20)) }
        return (process.withLock(\.terminationStatus), output.text, errors.text)
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}

/// What a program prints: a file, since a pipe would stay open in whatever else is started meanwhile.
private struct Output: Sendable {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "voice-\(UUID().uuidString).log")

    func handleForWriting() throws -> FileHandle {
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }

    var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    var lastWrite: Date? {
        (try? FileManager.default.attributesOfItem(atPath: file.path))?[.modificationDate] as? Date
    }

    func remove() { try? FileManager.default.removeItem(at: file) }
}

/// A reference platform of the test's own, on a free port.
struct TestPlatform: Sendable {
    static let secret = "a secret of the tests: as long as the longest hash, 64 octets, wants it to be"

    let program: RunningProgram
    let url: String
    private let directory: URL

    init(isMuted: Bool = false, usesTLS: Bool = false, isVerbose: Bool = false) async throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "voice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let folder = Programs.project.appendingPathComponent("Tests/EndToEndTests/tls").path
        let tls = """
            "tls": { "certificate": "\(folder)/server.pem", "key": "\(folder)/server-key.pem" },
            """
        let configuration = """
            {
              \(usesTLS ? tls : "")
              "port": 0,
              "company": { "key": "test", "secret": "\(Self.secret)", "display_name": "Test Company" },
              "menus": [
                { "id": 1, "name": "Echo", "channels": { "voice_call": { "instant_enabled": true } } },
                { "id": 2, "name": "Closed",
                  "channels": { "voice_call": { "deflected": true, "deflected_reason": "after_hours" } } }
              ],
              "virtual_agent": { "greeting": "\(Programs.greeting)", "echo_delay_ms": 4000, "muted": \(isMuted) }
            }
            """
        let file = directory.appendingPathComponent("platform.json")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        program = try RunningProgram(
            "voiceplatform", ["--config", file.path] + (isVerbose ? ["--verbose"] : []))
        url = try await program.line { line in
            line.hasPrefix("voiceplatform ready at ") ? String(line.dropFirst(23)) : nil
        }
    }

    func file(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// Starts a call to menu 1, with `arguments` besides.
    func call(_ arguments: [String], menu: Int = 1, secret: String = secret) throws -> RunningProgram {
        try RunningProgram(
            "voicecall", ["call", "--platform", url, "--key", "test", "--menu", "\(menu)"] + arguments,
            environment: ["VOICECALL_DEV_SECRET": secret])
    }

    /// Ends the platform, and says how that went.
    @discardableResult
    func stop() async throws -> Int32 {
        program.send(SIGTERM)
        let code = try await program.end().code
        try? FileManager.default.removeItem(at: directory)
        return code
    }
}
