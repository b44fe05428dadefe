import Testing
import voiceplatform

@Suite("Event streams in virtual time")
struct EventTests {
    private func eventID(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    @Test func aCallIsToldChangeByChangeInOneLineEach() throws {
        var laboratory = try Laboratory.signedIn()
        let stream = try laboratory.openStream()
        #expect(stream.text == "retry: 1000\n\n")
        let id = try laboratory.startCall()
        _ = laboratory.send("POST", "/calls/\(id)/end")
        let sent = laboratory.state.takeEffects().sent
        #expect(sent.count == 3)
        for (text, status) in zip(sent, ["connecting", "connected", "ended"]) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 5)
            #expect(lines[1] == "event: call.updated")
            #expect(lines[2].hasPrefix("data: {") && lines[2].contains("\"status\":\"\(status)\""))
        }
    }

    @Test func aStreamThatComesBackGetsWhatItMissed() throws {
        var laboratory = try Laboratory.signedIn()
        let stream = try laboratory.openStream()
        let id = try laboratory.startCall()
        let sent = laboratory.state.takeEffects().sent
        laboratory.state.streamEnded(stream.id)
        _ = laboratory.send("POST", "/calls/\(id)/end")
        #expect(laboratory.state.takeEffects().sent == [])
        let back = try laboratory.openStream(lastEventID: eventID(sent[0]))
        #expect(back.text.hasPrefix("retry: 1000\n\n" + sent[1]))
        #expect(back.text.contains("\"status\":\"ended\""))
        let again = try laboratory.openStream(lastEventID: eventID(String(back.text.suffix(3_000))))
        #expect(!again.text.contains("resync"))
    }

    @Test(arguments: ["x", "", "-", "x-1", "zzz-5-5", "-1"])
    func anUnknownPlaceMeansResync(lastEventID: String) throws {
        var laboratory = try Laboratory.signedIn()
        _ = try laboratory.startCall()
        let stream = try laboratory.openStream(lastEventID: lastEventID)
        #expect(stream.text.contains("event: resync\ndata: {}\n\n"))
        #expect(!stream.text.contains("call.updated"))
    }

    @Test func aPlaceThatIsAheadOfUsMeansResync() throws {
        var laboratory = try Laboratory.signedIn()
        _ = try laboratory.openStream()
        _ = try laboratory.startCall()
        let last = try #require(laboratory.state.takeEffects().sent.last.flatMap(eventID))
        let epoch = try #require(last.split(separator: "-").first)
        #expect(try laboratory.openStream(lastEventID: "\(epoch)-2").text == "retry: 1000\n\n")
        for sequence in ["3", "-1", "9223372036854775807"] {
            let stream = try laboratory.openStream(lastEventID: "\(epoch)-\(sequence)")
            #expect(stream.text.contains("event: resync"))
        }
    }

    @Test func aPlaceThatTheRingHasForgottenMeansResync() throws {
        var laboratory = try Laboratory.signedIn()
        _ = try laboratory.openStream()
        let id = try laboratory.startCall()
        laboratory.state.mediaStarted(call: id)
        let first = try #require(laboratory.state.takeEffects().sent.first.flatMap(eventID))
        for _ in 0..<5_100 {
            _ = laboratory.send("POST", "/calls/\(id)/hold")
            _ = laboratory.send("POST", "/calls/\(id)/unhold")
        }
        _ = laboratory.state.takeEffects()
        #expect(try laboratory.openStream(lastEventID: first).text.contains("event: resync"))
    }

    @Test func aSecondStreamReplacesTheFirst() throws {
        var laboratory = try Laboratory.signedIn()
        let first = try laboratory.openStream()
        let second = try laboratory.openStream()
        #expect(
            laboratory.state.takeEffects() == [
                .send(stream: first.id, text: "event: session.replaced\ndata: {}\n\n"),
                .close(stream: first.id),
            ])
        laboratory.state.streamEnded(first.id)
        _ = try laboratory.startCall()
        let isToSecond = laboratory.state.takeEffects().contains { effect in
            if case .send(second.id, _) = effect { true } else { false }
        }
        #expect(isToSecond)
    }

    @Test func aQuietStreamHasAHeartbeatEachFifteenSeconds() throws {
        var laboratory = try Laboratory.signedIn()
        _ = try laboratory.openStream()
        var beats = 0
        for _ in 0..<600 {
            laboratory.now.millisecondsSince1970 += 100
            laboratory.state.advance(to: laboratory.now)
            beats += laboratory.state.takeEffects().sent.count { $0 == ": hb\n\n" }
        }
        #expect(beats == 4)
    }

    @Test func aStreamOutlivesItsTokenByAMinute() throws {
        var laboratory = try Laboratory.signedIn()
        let stream = try laboratory.openStream()
        laboratory.advance(seconds: 3_540)
        let expiring = laboratory.state.takeEffects().sent.count { $0.contains("token.expiring") }
        #expect(expiring == 1)
        laboratory.advance(seconds: 119)
        let effects = laboratory.state.takeEffects()
        #expect(!effects.contains(.close(stream: stream.id)))
        #expect(effects.sent.allSatisfy { !$0.contains("token.expiring") })
        laboratory.advance(seconds: 1)
        #expect(laboratory.state.takeEffects().contains(.close(stream: stream.id)))
    }
}
