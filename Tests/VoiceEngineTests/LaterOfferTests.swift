import Foundation
import Testing
import VoiceEngine

/// What `session` says until `last` comes, itself included, but for what a busy machine does to the flow of media.
private func events(of session: VoiceSession, until last: SessionEvent) async -> [SessionEvent] {
    var seen: [SessionEvent] = []
    for await event in session.events {
        if event == last || (event != .mediaTimedOut && event != .mediaResumed) { seen.append(event) }
        if event == last { break }
    }
    return seen
}

private func direction(of description: String) -> String? {
    description.split(whereSeparator: \.isNewline).map(String.init).last {
        ["a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"].contains($0)
    }
}

private func cryptoLines(of description: String) -> [String] {
    description.split(whereSeparator: \.isNewline).map(String.init).filter { $0.hasPrefix("a=crypto") }
}

@Suite("Later offers and answers between two sessions")
struct LaterOfferTests {
    private static func call(
        _ body: (_ caller: VoiceSession, _ callee: VoiceSession) async throws -> Void,
        codecs: [AudioCodec] = [.opus, .pcmu]
    ) async throws {
        let engine = try VoiceEngine()
        let clip = AudioClip(samples: (0..<(48_000 * 60)).map { Int16(($0 % 100) * 100 - 5_000) })
        let caller = try await engine.makeSession(
            .init(localAddress: .numeric("127.0.0.1"), codecs: codecs, input: .clip(clip)))
        let callee = try await engine.makeSession(
            .init(localAddress: .numeric("127.0.0.1"), codecs: codecs, input: .clip(clip)))
        try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
        try await body(caller, callee)
        await caller.close()
        await callee.close()
        await engine.shutDown()
    }

    @Test func holdAndResumeAreToldToTheOtherSideAndTheCallGoesOn() async throws {
        try await Self.call { caller, callee in
            #expect(await events(of: callee, until: .mediaStarted) == [.mediaStarted])
            caller.setOnHold(true)
            let hold = caller.makeOffer()
            #expect(direction(of: hold) == "a=sendonly")
            let answer = try await callee.answer(offer: hold)
            #expect(direction(of: answer) == "a=recvonly")
            #expect(callee.isHeldByRemote && !caller.isHeldByRemote)
            try await caller.accept(answer: answer)
            #expect(await events(of: callee, until: .remoteHold(true)) == [.remoteHold(true)])

            caller.setOnHold(false)
            let resume = caller.makeOffer()
            #expect(cryptoLines(of: resume) == cryptoLines(of: hold))
            try await caller.accept(answer: try await callee.answer(offer: resume))
            #expect(await events(of: callee, until: .remoteHold(false)) == [.remoteHold(false)])
            #expect(!callee.isHeldByRemote)
        }
    }

    @Test func aRefusedOfferChangesNothing() async throws {
        try await Self.call { caller, callee in
            let plain = caller.makeOffer().replacing("RTP/SAVP", with: "RTP/AVP").split(separator: "\r\n")
                .filter { !$0.hasPrefix("a=crypto") }.joined(separator: "\r\n")
            await #expect(throws: VoiceEngineError.self) { try await callee.answer(offer: plain) }
            await #expect(throws: VoiceEngineError.self) { try await callee.answer(offer: "no SDP") }
            await #expect(throws: VoiceEngineError.self) { try await caller.accept(answer: plain) }
            // Both offer: one must give way.
            let crossing = callee.makeOffer()
            let error = await #expect(throws: VoiceEngineError.self) {
                try await caller.answer(offer: crossing)
            }
            #expect(error?.code == .offerPending)
            caller.withdrawOffer()
            try await callee.accept(answer: try await caller.answer(offer: crossing))
            #expect(await events(of: caller, until: .mediaStarted).last == .mediaStarted)
        }
    }

    @Test(arguments: ["", "a=rtcp:%", "a=rtcp:% IN IP4 127.0.0.1"])
    func withoutMultiplexingTheGoodbyeComesOverThePortOfReports(attribute: String) async throws {
        let engine = try VoiceEngine()
        let caller = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        let callee = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        func withoutMultiplexing(_ description: String) throws -> String {
            let words = try #require(description.firstMatch(of: /m=audio (\d+)/))
            let port = try #require(UInt16(words.1))
            let line = attribute.isEmpty ? "" : attribute.replacing("%", with: "\(port + 1)") + "\r\n"
            return description.replacing("a=rtcp-mux\r\n", with: line)
        }
        let answer = try await callee.answer(offer: withoutMultiplexing(caller.makeOffer()))
        #expect(!answer.contains("rtcp-mux"))
        try await caller.accept(answer: withoutMultiplexing(answer))
        #expect(await events(of: callee, until: .mediaStarted) == [.mediaStarted])
        await caller.close()
        #expect(await events(of: callee, until: .remoteLeft) == [.remoteLeft])
        let dropped = await callee.close().droppedDatagrams
        #expect(dropped.isEmpty)
        await engine.shutDown()
    }

    @Test(arguments: [[AudioCodec.opus], [.pcmu]])
    func digitsArriveAndBothSidesAreTold(codecs: [AudioCodec]) async throws {
        try await Self.call(
            { caller, callee in
                try caller.sendDigits("4w2#")
                #expect(await events(of: caller, until: .digitsSent).last == .digitsSent)
                let seen = await events(of: callee, until: .digitEnded("#", duration: .milliseconds(160)))
                let digits = seen.compactMap { event -> Character? in
                    guard case .digitEnded(let digit, .milliseconds(160)) = event else { return nil }
                    return digit
                }
                #expect(digits == ["4", "2", "#"])
                #expect(seen.contains(.digitBegan("4")))
            }, codecs: codecs)
    }

    @Test func whatIsNoDigitIsRefusedAndNothingIsSent() async throws {
        try await Self.call { caller, callee in
            for text in ["12x", "é", "1 2", String(repeating: "1", count: 65)] {
                let error = #expect(throws: VoiceEngineError.self) { try caller.sendDigits(text) }
                #expect(error?.code == .digits)
            }
            await caller.close()
            let error = #expect(throws: VoiceEngineError.self) { try caller.sendDigits("1") }
            #expect(error?.code == .closed)
        }
    }

    // RTP-15
    @Test func whatTheOtherSideSentBeforeItsAnswerCameIsNotLost() async throws {
        let engine = try VoiceEngine()
        let clip = AudioClip(samples: (0..<(48_000 / 2)).map { Int16(($0 % 100) * 100 - 5_000) })
        let caller = try await engine.makeSession(.init(localAddress: .numeric("127.0.0.1")))
        let callee = try await engine.makeSession(
            .init(localAddress: .numeric("127.0.0.1"), input: .clip(clip)))
        let answer = try await callee.answer(offer: caller.makeOffer())
        // The whole clip has been sent before we learn its key.
        _ = await events(of: callee, until: .inputFinished)
        try await caller.accept(answer: answer)
        _ = await events(of: caller, until: .mediaStarted)
        let heard = await caller.close()
        await callee.close()
        await engine.shutDown()
        // The system keeps the oldest datagrams of a socket that nobody reads, so the clip is there however late the
        // answer came; what a slow machine makes us lose behind it is none of this test's business.
        #expect(heard.packetsReceived >= 25)
        #expect(heard.droppedDatagrams.keys.filter { $0 != "stray" }.isEmpty)
    }
}
