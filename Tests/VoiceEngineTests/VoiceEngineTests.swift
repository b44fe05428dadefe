import AudioFiles
import Foundation
import SoundJudge
import Testing
import VoiceEngine

/// Speech-like sound that is unlike itself at any other time: bursts of noise, then `padding` of silence.
private func makeBursts(seconds: Double, padding: Double) -> AudioClip {
    var state: UInt64 = 7
    var samples: [Int16] = []
    var smooth = 0.0
    for index in 0..<Int(seconds * 48_000) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        smooth = smooth * 0.9 + Double(Int16(truncatingIfNeeded: state >> 40)) * 0.1
        let isLoud = index % 14_400 < 9_600
        samples.append(isLoud ? Int16(max(-12_000, min(12_000, smooth * 1.5))) : 0)
    }
    return AudioClip(samples: samples + [Int16](repeating: 0, count: Int(padding * 48_000)))
}

private func temporaryFile(_ name: String) -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)").path
}

private func next(_ wanted: SessionEvent, of session: VoiceSession) async -> Bool {
    for await event in session.events where event == wanted { return true }
    return false
}

@Suite struct VoiceEngineTests {
    @Test func aCallerHearsItsOwnVoiceComeBackFromAnEchoAndTheRecordingHoldsBoth() async throws {
        let engine = try VoiceEngine()
        let clip = makeBursts(seconds: 1.5, padding: 0.8)
        let caller = try await engine.makeSession(
            .init(localAddress: .facing(host: "127.0.0.1"), input: .clip(clip)))
        let callee = try await engine.makeSession(
            .init(localAddress: .numeric("127.0.0.1"), input: .echo(delay: .milliseconds(300))))
        let path = temporaryFile("echo.wav")
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await caller.record(to: path)
        try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
        #expect(await next(.inputFinished, of: caller))
        let heard = await caller.close()
        let echoed = await callee.close()
        await engine.shutDown()

        #expect(heard.cryptoSuite == "AEAD_AES_256_GCM")
        #expect(heard.codec == "opus/48000/2")
        #expect(heard.packetsLost == 0)
        #expect(heard.packetsReceived > 100 && echoed.packetsReceived > 100)
        #expect((heard.meanOpinionScore ?? 0) > 3.5)
        let channels = try readChannels(at: path)
        #expect(channels.count == 2)
        let said = Array(clip.samples.prefix(72_000))
        let (left, right) = (channels[0], channels[1])
        let found = findSound(said.span, in: left.span, rate: 48_000)
        let ours = try #require(found)
        #expect(ours.isFound && ours.lag < .milliseconds(30))
        let foundTheirs = findSound(said.span, in: right.span, rate: 48_000)
        let theirs = try #require(foundTheirs)
        #expect(theirs.isFound)
        #expect(theirs.lag > .milliseconds(300) && theirs.lag < .milliseconds(700))
    }

    @Test(arguments: [AudioCodec.pcmu, .pcma])
    func aNarrowCodecCarriesTheCallWhenItIsAllThatIsOffered(codec: AudioCodec) async throws {
        let engine = try VoiceEngine()
        let clip = makeBursts(seconds: 0.5, padding: 0.1)
        let caller = try await engine.makeSession(
            .init(localAddress: .numeric("127.0.0.1"), codecs: [codec], input: .clip(clip)))
        let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
        #expect(await next(.inputFinished, of: caller))
        let sent = await caller.close()
        let heard = await callee.close()
        await engine.shutDown()
        #expect(heard.codec?.hasPrefix(codec.rawValue.uppercased()) == true)
        #expect((heard.receivedLevel ?? -100) > -40)
        #expect(abs((heard.receivedLevel ?? 0) - (sent.sentLevel ?? -100)) < 3)
    }

    @Test func aMutedAndAHeldSessionSendSilenceThatCarriesOn() async throws {
        let engine = try VoiceEngine()
        let clip = makeBursts(seconds: 0.6, padding: 0)
        for isHold in [false, true] {
            let caller = try await engine.makeSession(
                .init(localAddress: .numeric("127.0.0.1"), input: .clip(clip)))
            let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
            if isHold { caller.setOnHold(true) } else { caller.setMuted(true) }
            #expect(caller.isMuted == !isHold && caller.isOnHold == isHold)
            try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
            #expect(await next(.inputFinished, of: caller))
            await caller.close()
            let heard = await callee.close()
            #expect(heard.packetsReceived > 20)
            #expect(heard.receivedLevel == nil)
        }
        await engine.shutDown()
    }

    @Test func theOtherSideLearnsOfTheEndAndEventsEndWithClosed() async throws {
        let engine = try VoiceEngine()
        let caller = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
        var seen: [SessionEvent] = []
        for await event in callee.events {
            seen.append(event)
            if event == .mediaStarted { await caller.close() }
            if event == .remoteLeft { await callee.close() }
        }
        #expect(seen == [.mediaStarted, .remoteLeft, .closed])
        await caller.close()
        await engine.shutDown()
    }

    @Test(arguments: ["", "nonsense", "v=0\r\n", "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"])
    func anAnswerThatIsNoneIsRefusedAndABetterOneIsStillTaken(answer: String) async throws {
        let engine = try VoiceEngine()
        let caller = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        await #expect(throws: VoiceEngineError.self) { try await caller.accept(answer: answer) }
        try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
        await engine.shutDown()
    }

    @Test func mediaWithoutEncryptionIsNeverAgreedToWhenItIsRequired() async throws {
        let engine = try VoiceEngine()
        let caller = try await engine.makeSession(
            .init(localAddress: .numeric("127.0.0.1"), encryption: .none))
        let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        await #expect {
            try await callee.answer(offer: caller.makeOffer())
        } throws: {
            ($0 as? VoiceEngineError)?.code == .encryptionRequired
        }
        await engine.shutDown()
    }

    @Test(arguments: ["224.0.0.1", "255.255.255.255", "nosuch.invalid"])
    func mediaIsAgreedWithOneHostOnly(host: String) async throws {
        let engine = try VoiceEngine()
        let caller = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        let answer = try await callee.answer(offer: caller.makeOffer())
        await #expect {
            try await caller.accept(answer: answer.replacing("c=IN IP4 127.0.0.1", with: "c=IN IP4 \(host)"))
        } throws: {
            ($0 as? VoiceEngineError)?.code == .mediaRejected
        }
        await engine.shutDown()
    }

    @Test func noKeyIsUsedForTwoDirectionsSuitesOrCalls() async throws {
        func keys(_ description: String) -> [Substring] {
            description.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("a=crypto:") }
                .compactMap { $0.split(separator: "inline:").last }
        }
        let engine = try VoiceEngine()
        var all: [Substring] = []
        for _ in 0..<3 {
            let caller = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
            let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
            let answer = keys(try await callee.answer(offer: caller.makeOffer()))
            #expect(answer.count == 1)
            all += keys(caller.makeOffer()) + answer
        }
        await engine.shutDown()
        #expect(all.count == 3 * 6)
        #expect(Set(all).count == all.count)
    }

    @Test func closingTwiceAndUsingAClosedEngineAreHarmless() async throws {
        let engine = try VoiceEngine()
        let session = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        await session.close()
        await session.close()
        session.setMuted(true)
        session.play(AudioClip(samples: [1, 2, 3]))
        await engine.shutDown()
        await engine.shutDown()
        session.setInput(.silence)
        await #expect {
            try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        } throws: {
            ($0 as? VoiceEngineError)?.code == .closed
        }
    }

    @Test func shuttingDownClosesTheSessionsThatAreOpen() async throws {
        let engine = try VoiceEngine()
        let session = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        async let events = session.events.reduce(into: []) { $0.append($1) }
        await engine.shutDown()
        #expect(await events == [.closed])
        await session.close()
    }

    @Test(arguments: [
        LocalAddress.numeric("300.1.1.1"), .numeric("::1"), .facing(host: "no.such.host.invalid"),
    ])
    func anAddressThatCanNotBeBoundToIsSaidSo(address: LocalAddress) async throws {
        let engine = try VoiceEngine()
        await #expect {
            try await engine.makeSession(.init(localAddress: address))
        } throws: {
            ($0 as? VoiceEngineError)?.code == .network
        }
        await engine.shutDown()
    }

    @Test func aMissingAudioFileIsNamedWithItsPath() {
        #expect {
            try AudioClip(contentsOf: "/nowhere/at-all.wav")
        } throws: {
            let error = $0 as? VoiceEngineError
            return error?.code == .audioFile && error?.description.contains("/nowhere/at-all.wav") == true
        }
    }
}
