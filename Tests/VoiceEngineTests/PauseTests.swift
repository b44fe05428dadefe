import Testing
import VoiceEngine

@Suite("Pauses between two sessions")
struct PauseTests {
    /// Half a second of a buzz, then two of a pause.
    private static let clip: AudioClip = {
        let buzz = (0..<24_000).map { Int16($0 % 100) * 100 - 5_000 }
        return AudioClip(samples: buzz + [Int16](repeating: 0, count: 96_000))
    }()

    private struct Call {
        let offer: String
        let answer: String
        let sent: SessionStatistics
        let heard: SessionStatistics
    }

    private static func call(codec: AudioCodec, callerTells: Bool, calleeTells: Bool) async throws -> Call {
        let engine = try VoiceEngine()
        let caller = try await engine.makeSession(
            .init(
                localAddress: .numeric("127.0.0.1"), codecs: [codec], usesComfortNoise: callerTells,
                input: .clip(clip)))
        let callee = try await engine.makeSession(
            .init(
                localAddress: .numeric("127.0.0.1"), codecs: [codec], usesComfortNoise: calleeTells))
        let offer = caller.makeOffer()
        let answer = try await callee.answer(offer: offer)
        try await caller.accept(answer: answer)
        for await event in caller.events where event == .inputFinished { break }
        let sent = await caller.close()
        let heard = await callee.close()
        await engine.shutDown()
        return Call(offer: offer, answer: answer, sent: sent, heard: heard)
    }

    @Test(arguments: [AudioCodec.pcmu, .pcma, .g722])
    func aPauseIsToldInFewPacketsWhereBothSidesWantIt(codec: AudioCodec) async throws {
        let call = try await Self.call(codec: codec, callerTells: true, calleeTells: true)
        #expect(call.offer.contains("a=rtpmap:13 CN/8000"))
        #expect(call.answer.contains("a=rtpmap:13 CN/8000"))
        // Without pauses the share is 1, for however long the call goes on after the clip. Speech goes on for a while before
        // it counts as ended.
        let share = Double(call.sent.packetsSent) / (call.sent.duration / .milliseconds(20))
        #expect(
            call.sent.packetsSent > 25 && share < 0.6, "\(call.sent.packetsSent) in \(call.sent.duration)")
        #expect(call.heard.packetsLost == 0)
    }

    @Test(arguments: [(false, true), (true, false), (false, false)])
    func aPauseIsSentAsItIsUnlessBothSidesWantItTold(callerTells: Bool, calleeTells: Bool) async throws {
        let call = try await Self.call(codec: .pcmu, callerTells: callerTells, calleeTells: calleeTells)
        #expect(call.offer.contains("CN/8000") == callerTells)
        #expect(!call.answer.contains("CN/8000"))
        #expect(call.sent.packetsSent > 115)
    }
}
