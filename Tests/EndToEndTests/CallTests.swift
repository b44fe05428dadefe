import AudioFiles
import Foundation
import SoundJudge
import Testing

/// The report of `voicecall --json`.
private func report(_ output: String) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
    return try #require(object as? [String: Any])
}

@Suite struct CallTests {
    @Test func theSentenceComesBackInTheRightChannelAndTheVerdictIsGood() async throws {
        let platform = try await TestPlatform()
        let recording = platform.file("call.wav")
        let sentence = try readAudio(at: Programs.sentence)
        let call = try platform.call([
            "--mic", Programs.sentence, "--expect", Programs.sentence, "--record", recording, "--json",
        ])
        let end = try await call.end()
        #expect(end.code == 0)
        let report = try report(end.output)
        #expect(report["verdict"] as? String == "good")
        #expect(report["expected_found"] as? Bool == true)
        #expect(report["codec"] as? String == "opus/48000/2")
        #expect(report["crypto_suite"] as? String == "AEAD_AES_256_GCM")
        #expect((report["duration_s"] as? Double ?? 0) >= 8)
        #expect((report["mos"] as? Double ?? 0) >= 1)

        // Not by voicecall's word: the recording itself is looked at.
        let channels = try readChannels(at: recording)
        #expect(channels.count == 2)
        let (left, right) = (channels[0], channels[1])
        #expect(left.count == right.count && left.count >= 8 * 48_000)
        let ours = findSound(sentence.span, in: left.span, rate: 48_000)
        #expect(ours?.isFound == true)
        let echo = try #require(findSound(sentence.span, in: right.span, rate: 48_000).map { $0 })
        #expect(echo.isFound && echo.similarity > 0.6)
        #expect(echo.lag > .seconds(4) && echo.lag < .milliseconds(4_500))
        let greeting = try readAudio(at: Programs.greeting)
        let heard = findSound(greeting.span, in: right.span, rate: 48_000)
        #expect(heard?.isFound == true && (heard?.lag ?? .seconds(9)) < .seconds(1))
        #expect(try await platform.stop() == 0)
    }

    @Test func aMutedAgentIsSilenceWithItsOwnExitCode() async throws {
        let platform = try await TestPlatform(isMuted: true)
        let end = try await platform.call(["--mic", Programs.sentence, "--json"]).end()
        #expect(end.code == 6)
        let report = try report(end.output)
        #expect(report["verdict"] as? String == "silent")
        // Packets came all the while.
        #expect((report["packets_received"] as? Int ?? 0) > 300)
        try await platform.stop()
    }

    @Test func anotherSoundThanTheExpectedOneHasItsOwnExitCode() async throws {
        let platform = try await TestPlatform()
        // What is expected is never said: the agent greets, and repeats silence.
        let end = try await platform.call(["--expect", Programs.sentence, "--json"]).end()
        #expect(end.code == 7)
        try await platform.stop()
    }

    @Test func aKilledCallerLeavesARecordingThatCanBeRead() async throws {
        let platform = try await TestPlatform()
        let recording = platform.file("killed.wav")
        let call = try platform.call(["--mic", Programs.sentence, "--record", recording])
        _ = try await call.line { $0.hasPrefix("0:04") ? true : nil }
        call.send(SIGKILL)
        _ = try await call.end()
        let channels = try readChannels(at: recording)
        #expect(channels.count == 2)
        #expect((channels.first?.count ?? 0) >= 2 * 48_000)
        let left = try #require(channels.first)
        #expect(soundActivity(of: left.span).activeDuration > .seconds(1))
        try await platform.stop()
    }

    @Test func aPlatformThatDiesInMidCallEndsTheCallWithItsErrorWithinTenSeconds() async throws {
        let platform = try await TestPlatform()
        let call = try platform.call(["--mic", Programs.sentence, "--max-duration", "40", "--json"])
        _ = try await call.line { $0.hasPrefix("0:02") ? true : nil }
        let killed = Date()
        platform.program.send(SIGKILL)
        let end = try await call.end()
        #expect(end.code == 5)
        let reported = try #require(call.lastOutput)
        #expect(reported.timeIntervalSince(killed) < 10)
        #expect(try report(end.output)["problem"] as? String != nil)
    }

    @Test func aPlatformThatIsStoppedInMidCallMakesNoGoodCall() async throws {
        let platform = try await TestPlatform()
        let call = try platform.call(["--max-duration", "30", "--json"])
        _ = try await call.line { $0.hasPrefix("0:02") ? true : nil }
        try await platform.stop()
        let end = try await call.end()
        #expect(end.code == 5)
    }

    @Test func aPlatformThatWasRestartedInMidCallMakesNoGoodCall() async throws {
        let platform = try await TestPlatform()
        let call = try platform.call(["--max-duration", "30", "--json"])
        _ = try await call.line { $0.hasPrefix("0:02") ? true : nil }
        platform.program.send(SIGKILL)
        _ = try await platform.program.end()
        let port = try #require(URL(string: platform.url)?.port)
        let successor = try RunningProgram(
            "voiceplatform", ["--config", platform.file("platform.json"), "--port", "\(port)"])
        _ = try await successor.line { $0.hasPrefix("voiceplatform ready at ") ? true : nil }
        let end = try await call.end()
        #expect(end.code == 5)
        successor.send(SIGTERM)
        _ = try await successor.end()
    }

    @Test func callersOfOneMachineDoNotStandInEachOthersWay() async throws {
        let platform = try await TestPlatform()
        let calls = try (0..<3).map { _ in try platform.call(["--max-duration", "3", "--json"]) }
        for call in calls { #expect(try await call.end().code == 0) }
        try await platform.stop()
    }

    @Test func aPrivateAuthorityIsTrustedWhenItIsNamedAndOnlyThen() async throws {
        let platform = try await TestPlatform(usesTLS: true)
        #expect(platform.url.hasPrefix("https://"))
        let stranger = try await platform.call([]).end()
        #expect(stranger.code == 3)
        #expect(stranger.output.contains("--ca-file"))
        let authority = Programs.project.appendingPathComponent("Tests/EndToEndTests/tls/authority.pem").path
        let end = try await platform.call(["--ca-file", authority, "--max-duration", "2", "--json"]).end()
        #expect(end.code == 0)
        try await platform.stop()
    }

    // SEC-08
    @Test func nothingThatTheProgramsSayHoldsASecret() async throws {
        let platform = try await TestPlatform(isVerbose: true)
        let call = try await platform.call(["--max-duration", "2"]).end()
        #expect(call.code == 0)
        // A wrong secret makes them say more.
        let refused = try await platform.call(
            [], secret: "another secret of the tests, just as long as the first, 64 octets"
        )
        .end()
        #expect(refused.code != 0)
        platform.program.send(SIGTERM)
        let served = try await platform.program.end()
        let said = [call.output, call.errors, refused.output, refused.errors, served.output, served.errors]
            .joined()
        #expect(said.contains("/calls"))
        // The secrets themselves, SRTP keys in SDP, tokens (a JWT begins with "eyJ"), and headers that carry them.
        for secret in ["secret of the tests", "inline:", "a=crypto", "eyJ", "Bearer", "Authorization"] {
            #expect(!said.contains(secret), "\(secret)")
        }
        try await platform.stop()
    }

    @Test func anInterruptedCallStillGivesItsReport() async throws {
        let platform = try await TestPlatform()
        let call = try platform.call(["--mic", Programs.sentence, "--json"])
        _ = try await call.line { $0.hasPrefix("0:02") ? true : nil }
        call.send(SIGINT)
        let end = try await call.end()
        #expect(end.code == 130)
        #expect((try report(end.output)["packets_sent"] as? Int ?? 0) > 50)
        try await platform.stop()
    }
}
