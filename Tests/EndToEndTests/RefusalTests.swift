import Foundation
import Testing

/// What users get wrong, and what platforms refuse: an exit code and a sentence each.
@Suite struct RefusalTests {
    private func end(
        _ arguments: [String], menu: Int = 1, secret: String = TestPlatform.secret
    ) async throws -> (code: Int32, output: String, errors: String) {
        let platform = try await TestPlatform()
        let end = try await platform.call(arguments, menu: menu, secret: secret).end()
        try await platform.stop()
        return end
    }

    @Test func theWrongSecretIsRefused() async throws {
        let end = try await end([], secret: String(repeating: "wrong ", count: 12))
        #expect(end.code == 4)
        #expect(end.output.contains("refused"))
    }

    @Test func anExpiredTokenIsRefusedAsExpired() async throws {
        // Signed with another secret, but read first: nothing of a token is believed before its signature.
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3MDAwMDAwMDAsImV4cCI6MTcwMDAwMDYwMH0.AAAA"
        let platform = try await TestPlatform()
        let end = try await RunningProgram(
            "voicecall",
            ["call", "--platform", platform.url, "--key", "test", "--menu", "1", "--jwt", token]
        ).end()
        try await platform.stop()
        #expect(end.code == 4)
    }

    @Test func aMenuThatDoesNotExistIsRefusedWithTheListOfThoseThatDo() async throws {
        let end = try await end([], menu: 99)
        #expect(end.code == 4)
        #expect(end.output.contains("1 (Echo)"))
    }

    @Test func aClosedMenuIsRefused() async throws {
        let end = try await end([], menu: 2)
        #expect(end.code == 4)
    }

    @Test func aPlatformThatIsNotThereCanNotBeReached() async throws {
        let end = try await RunningProgram(
            "voicecall",
            ["call", "--platform", "http://127.0.0.1:1", "--key", "k", "--menu", "1"],
            environment: ["VOICECALL_DEV_SECRET": TestPlatform.secret]
        ).end()
        #expect(end.code == 3)
    }

    @Test(arguments: ["missing.wav", "empty.wav", "text.wav", "."])
    func aMicrophoneFileThatIsNoAudioIsNamedAndNothingIsCalled(name: String) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data().write(to: directory.appendingPathComponent("empty.wav"))
        try Data("this is no audio".utf8).write(to: directory.appendingPathComponent("text.wav"))
        let path = directory.appendingPathComponent(name).path
        let end = try await RunningProgram(
            "voicecall",
            ["call", "--platform", "http://127.0.0.1:1", "--key", "k", "--menu", "1", "--mic", path],
            environment: ["VOICECALL_DEV_SECRET": TestPlatform.secret]
        ).end()
        #expect(end.code == 2)
        #expect(end.output.contains(directory.lastPathComponent))
    }

    @Test(arguments: [
        ["call"], ["call", "--platform"], ["call", "--nonsense"], ["nonsense"],
        ["call", "--platform", "ftp://x", "--key", "k", "--menu", "1", "--jwt", "x"],
        ["call", "--platform", "http://127.0.0.1:1", "--key", "k", "--menu", "one", "--jwt", "x"],
    ])
    func aWrongCommandLineIsAUsageErrorThatNamesTheFix(arguments: [String]) async throws {
        let end = try await RunningProgram("voicecall", arguments).end()
        #expect(end.code == 2)
        #expect(end.errors.hasPrefix("voicecall: "))
        #expect(!end.errors.contains("Fatal error"))
    }

    @Test(arguments: ["/dev/null", "/tmp"])
    func aRecordingThatIsNoFileIsRefused(path: String) async throws {
        let end = try await RunningProgram(
            "voicecall",
            [
                "call", "--platform", "http://127.0.0.1:1", "--key", "k", "--menu", "1", "--jwt", "t",
                "--record", path,
            ]
        ).end()
        #expect(end.code == 2)
        #expect(end.errors.contains("--record"))
    }

    @Test func aSecondPlatformOnTheSamePortSaysThatItIsBusy() async throws {
        let platform = try await TestPlatform()
        let port = try #require(URL(string: platform.url)?.port)
        let configuration = Programs.project.appendingPathComponent("samples/platform/demo.json").path
        let end = try await RunningProgram(
            "voiceplatform", ["--config", configuration, "--port", "\(port)"]
        ).end()
        try await platform.stop()
        #expect(end.code == 4)
        #expect(end.errors.contains("\(port)"))
    }

    @Test func aBrokenConfigurationIsNamedWithItsPlace() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        try "{ \"company\": { \"key\": 7 } }".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let end = try await RunningProgram("voiceplatform", ["--config", file.path]).end()
        #expect(end.code == 3)
        #expect(end.errors.contains("company.key"))
    }
}
