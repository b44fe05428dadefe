import Foundation
import Testing
import voicecall

private let whole = [
    "call", "--platform", "https://voice.example.com", "--key", "K", "--menu", "2", "--jwt", "T",
]

private func command(_ arguments: [String], environment: [String: String] = [:]) throws(UsageError) -> Command
{
    try Command(parsing: arguments, environment: environment)
}

private func settings(_ arguments: [String], environment: [String: String] = [:]) throws -> CallSettings {
    guard case .call(let settings) = try command(arguments, environment: environment) else {
        throw UsageError.noCommand
    }
    return settings
}

@Suite struct CommandLineTests {
    @Test func theLeastCommandLineCallsWithSilence() throws {
        let settings = try settings(whole)
        #expect(settings.platform == "https://voice.example.com")
        #expect(settings.key == "K")
        #expect(settings.menuID == 2)
        #expect(settings.signIn == .token("T"))
        #expect(settings.microphonePath == nil)
        #expect(settings.recordingPath == nil)
        #expect(settings.expectedPath == nil)
        #expect(settings.maximumDuration == nil)
        #expect(settings.certificateAuthorityPath == nil)
        #expect(!settings.printsJSON)
    }

    @Test func everyFlagReachesItsSetting() throws {
        let more = [
            "--mic", "a.wav", "--record=b.wav", "--expect", "c.flac", "--max-duration=12.5", "--ca-file",
            "ca.pem",
            "--json",
        ]
        let settings = try settings(whole + more)
        #expect(settings.microphonePath == "a.wav")
        #expect(settings.recordingPath == "b.wav")
        #expect(settings.expectedPath == "c.flac")
        #expect(settings.maximumDuration == .milliseconds(12_500))
        #expect(settings.certificateAuthorityPath == "ca.pem")
        #expect(settings.printsJSON)
    }

    @Test(arguments: [
        (["--help"], Command.help), (["-h"], .help), (["help"], .help), (["--version"], .version),
        (["call", "--help"], .callHelp), (["call", "--menu", "x", "-h"], .callHelp),
    ])
    func helpNeedsNothingElse(arguments: [String], expected: Command) throws {
        #expect(try command(arguments) == expected)
    }

    @Test(arguments: [
        ([], UsageError.noCommand), (["dial"], .unknownCommand("dial")), (["--menu"], .unknownFlag("--menu")),
        (
            ["call"],
            .missingFlag("--platform", purpose: "the platform's address, like https://voice.example.com")
        ),
        (["call", "--phone", "1"], .unknownFlag("--phone")), (["call", "1"], .unexpectedArgument("1")),
        (["call", "-x"], .unexpectedArgument("-x")), (["call", "--json=1"], .unwantedValue(flag: "--json")),
        (["call", "--menu"], .missingValue(flag: "--menu", example: "2")),
        (["call", "--menu="], .missingValue(flag: "--menu", example: "2")),
        (["call", "--menu", "--json"], .missingValue(flag: "--menu", example: "2")),
        (["call", "--menu", "1", "--menu", "1"], .repeatedFlag("--menu")),
        (
            whole + ["--max-duration", "0"],
            .invalidValue(flag: "--max-duration", value: "0", expected: "seconds, from 1 to 3600")
        ),
        (
            whole + ["--max-duration", "nan"],
            .invalidValue(flag: "--max-duration", value: "nan", expected: "seconds, from 1 to 3600")
        ),
        (
            whole + ["--max-duration", "0x10"],
            .invalidValue(flag: "--max-duration", value: "0x10", expected: "seconds, from 1 to 3600")
        ),
        (
            whole + ["--max-duration", "1e9"],
            .invalidValue(flag: "--max-duration", value: "1e9", expected: "seconds, from 1 to 3600")
        ),
        (whole + ["--dev-secret", "S"], .conflict("--jwt", "--dev-secret")),
        (whole + ["--mic", "a", "--record", "a"], .recordingOverwritesInput(flag: "--mic", path: "a")),
        (whole + ["--expect", "a", "--record", "a"], .recordingOverwritesInput(flag: "--expect", path: "a")),
    ])
    func aWrongCommandLineIsNamed(arguments: [String], expected: UsageError) {
        #expect(throws: expected) { try command(arguments) }
    }

    @Test(arguments: ["--platform", "--key", "--menu"])
    func eachNeededFlagIsAskedFor(flag: String) throws {
        let index = try #require(whole.firstIndex(of: flag))
        let without = Array(whole[..<index] + whole[(index + 2)...])
        var caught: UsageError?
        do throws(UsageError) { _ = try command(without) } catch { caught = error }
        guard case .missingFlag(flag, _)? = caught else {
            Issue.record("\(String(describing: caught))")
            return
        }
    }

    @Test(arguments: [
        "voice.example.com", "ftp://x", "https://", "https:/x", "http:///x", "https://a b", "://x",
    ])
    func aPlatformThatIsNoAddressIsRefused(platform: String) throws {
        var arguments = whole
        arguments[2] = platform
        #expect(throws: UsageError.self) { try command(arguments) }
    }

    @Test(arguments: ["", "two", "-1", "99999999999999999999"])
    func aMenuThatIsNoNumberIsRefused(menu: String) {
        var arguments = whole
        arguments[6] = menu
        #expect(throws: UsageError.self) { try command(arguments) }
    }

    @Test(arguments: [
        (["--jwt", "-"], [:], SignIn.tokenFromStandardInput), (["--dev-secret", "S"], [:], .secret("S")),
        ([], ["VOICECALL_JWT": "E"], .token("E")), ([], ["VOICECALL_DEV_SECRET": "E"], .secret("E")),
        (["--dev-secret", "S"], ["VOICECALL_JWT": "E"], .secret("S")),
        ([], ["VOICECALL_JWT": "", "VOICECALL_DEV_SECRET": "E"], .secret("E")),
    ])
    func flagsWinOverTheEnvironment(flags: [String], environment: [String: String], expected: SignIn) throws {
        #expect(try settings(Array(whole.dropLast(2)) + flags, environment: environment).signIn == expected)
    }

    @Test func withoutATokenItSaysHowToGiveOne() {
        let without = Array(whole.dropLast(2))
        #expect(throws: UsageError.noToken) { try command(without) }
        #expect(throws: UsageError.conflict("VOICECALL_JWT", "VOICECALL_DEV_SECRET")) {
            try command(without, environment: ["VOICECALL_JWT": "a", "VOICECALL_DEV_SECRET": "b"])
        }
    }

    @Test func noErrorRepeatsASecret() {
        let arguments = Array(whole.dropLast(2)) + ["--dev-secret", "hunter2", "--jwt", "eyJhbGci"]
        var message = ""
        do throws(UsageError) { _ = try command(arguments) } catch { message = error.description }
        #expect(message == "--jwt and --dev-secret exclude each other; give one")
    }

    @Test func theHelpNamesEveryFlagAndEveryExitCode() {
        let flags = [
            "--platform", "--key", "--menu", "--mic", "--record", "--expect", "--max-duration", "--jwt",
            "--dev-secret",
            "--ca-file", "--json",
        ]
        for flag in flags { #expect(HelpText.call.contains("  " + flag)) }
        for verdict in Verdict.allCases {
            #expect(HelpText.call.contains("\(verdict.exitCode)  \(verdict.rawValue) "))
            #expect(HelpText.call.contains("  \(verdict.meaning)\n"))
        }
    }

    @Test func aRecordingThatIsAnInputByAnotherNameIsRefused() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("a.wav").path
        let link = directory.appendingPathComponent("b.wav").path
        try Data([1]).write(to: URL(fileURLWithPath: file))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        for other in [link, directory.path + "/./a.wav"] {
            #expect(throws: UsageError.recordingOverwritesInput(flag: "--mic", path: other)) {
                try Command(parsing: whole + ["--mic", file, "--record", other], environment: [:])
            }
        }
    }
}
