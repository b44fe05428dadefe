import Testing
import voiceplatform

@Suite("Calls in virtual time")
struct CallTests {
    @Test func aCallIsConnectingAndThenTheVirtualAgentHasIt() throws {
        var laboratory = try Laboratory.signedIn()
        let started = laboratory.send("POST", "/calls", Laboratory.callBody())
        #expect(started.status == 201)
        #expect(started.member("status")?.text == "connecting")
        #expect(started.member("version") == 1)
        #expect(started.member("virtual_agent") == .null)
        #expect(started.member("media")?["sdp"]?.text == "v=0 answer")
        let id = try #require(started.member("id")?.number)
        let call = laboratory.send("GET", "/calls/\(id)")
        #expect(call.member("status")?.text == "connected")
        #expect(call.member("version") == 2)
        #expect(call.member("virtual_agent")?["type"]?.text == "virtual_agent")
        #expect(call.member("connected_at")?.text == "2027-01-15T08:00:00.000Z")
    }

    @Test(
        arguments: [
            (Laboratory.callBody(menu: 9), 404, "menu_not_found"),
            (Laboratory.callBody(menu: 2), 409, "deflected"),
            (Laboratory.callBody(menu: 3), 422, "validation_failed"),
            (Laboratory.callBody().replacing("type", with: "voicemail"), 501, "not_implemented"),
            (Laboratory.callBody().replacing("type", with: "scheduled"), 422, "validation_failed"),
            (Laboratory.callBody().replacing("type", with: nil), 422, "validation_failed"),
            (Laboratory.callBody().replacing("menu_id", with: "1"), 422, "validation_failed"),
            (Laboratory.callBody().replacing("menu_id", with: 1.5), 422, "validation_failed"),
            (Laboratory.callBody().replacing("lang", with: 5), 422, "validation_failed"),
            (Laboratory.callBody().replacing("lang", with: "fr"), 422, "language_unavailable"),
            (Laboratory.callBody().replacing("media", with: nil), 422, "validation_failed"),
            (Laboratory.callBody().replacing("media", with: ["kind": "sdp"]), 422, "validation_failed"),
            (Laboratory.callBody().replacing("media", with: ["kind": "sip"]), 422, "media_rejected"),
        ] as [(JSONValue, Int, String)])
    func aCallThatCannotBeIsRefusedWithItsCode(body: JSONValue, status: Int, code: String) throws {
        var laboratory = try Laboratory.signedIn()
        let response = laboratory.send("POST", "/calls", body)
        #expect(response.status == status)
        #expect(response.code == code)
        #expect(laboratory.send("POST", "/calls", Laboratory.callBody()).status == 201)
    }

    @Test(arguments: [
        (MediaFailure.rejected(reason: "encryption_required", "no SRTP"), 422, "media_rejected"),
        (.invalidOffer("line 1"), 422, "validation_failed"), (.noPort("none"), 503, "no_media_port"),
        (.unavailable("closed"), 503, "unavailable"),
    ])
    func anOfferThatCannotBeAnsweredLeavesNoCall(failure: MediaFailure, status: Int, code: String) throws {
        var laboratory = try Laboratory.signedIn()
        let response = laboratory.send("POST", "/calls", Laboratory.callBody(), media: .failure(failure))
        #expect(response.status == status)
        #expect(response.code == code)
        if case .rejected(let reason, _) = failure { #expect(response.member("reason")?.text == reason) }
        let list = laboratory.send("GET", "/calls", query: ["state": "in_progress"])
        #expect(list.member("calls") == [])
        _ = try laboratory.startCall()
    }

    @Test func aSecondCallOfAPersonIsRefusedWhileTheFirstIsStartingOrRunning() throws {
        var laboratory = try Laboratory.signedIn()
        guard case .answer(let pending) = laboratory.outcome("POST", "/calls", Laboratory.callBody()) else {
            throw Laboratory.Refused()
        }
        #expect(laboratory.send("POST", "/calls", Laboratory.callBody()).code == "call_in_progress")
        _ = laboratory.state.finishStart(pending, with: .success("v=0"), at: laboratory.now)
        #expect(laboratory.send("POST", "/calls", Laboratory.callBody()).code == "call_in_progress")
        _ = laboratory.send("POST", "/calls/\(pending.id)/end")
        #expect(laboratory.send("POST", "/calls", Laboratory.callBody()).status == 201)
    }

    @Test func aCallIsNoOneElses() throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        laboratory.token = try laboratory.signIn(device: "d-2", identifier: "u-2")
        #expect(laboratory.send("GET", "/calls/\(id)").status == 404)
        #expect(laboratory.send("POST", "/calls/\(id)/end").status == 404)
        #expect(laboratory.send("GET", "/calls", query: ["state": "in_progress"]).member("calls") == [])
        laboratory.token = try laboratory.signIn(device: "d-3")
        #expect(laboratory.send("GET", "/calls/\(id)").status == 200)
    }

    @Test func endingIsRepeatableAndClosesTheMediaOnce() throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        _ = laboratory.state.takeEffects()
        let first = laboratory.send("POST", "/calls/\(id)/end", ["reason": "done"])
        #expect(first.member("status")?.text == "ended")
        #expect(first.member("end_reason")?["by"]?.text == "end_user")
        #expect(first.member("media") == .null)
        #expect(laboratory.state.takeEffects().contains(.closeMedia(call: id)))
        let second = laboratory.send("POST", "/calls/\(id)/end")
        #expect(second.status == 200)
        #expect(second.body == first.body)
        #expect(laboratory.state.takeEffects() == [])
        #expect(laboratory.send("POST", "/calls/\(id)/hold").code == "call_ended")
        #expect(laboratory.send("POST", "/calls/\(id)/escalate").code == "escalation_not_allowed")
    }

    @Test func holdAndUnholdReachTheMediaAndKeepTheBeginning() throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        let connectedAt = laboratory.send("GET", "/calls/\(id)").member("connected_at")
        _ = laboratory.state.takeEffects()
        laboratory.now = laboratory.now + 5
        let held = laboratory.send("POST", "/calls/\(id)/hold")
        #expect(held.member("status")?.text == "on_hold")
        #expect(held.member("hold")?["by"] == ["end_user"])
        #expect(laboratory.state.takeEffects() == [.holdMedia(call: id, isOnHold: true)])
        #expect(laboratory.send("POST", "/calls/\(id)/hold").member("version") == held.member("version"))
        let resumed = laboratory.send("POST", "/calls/\(id)/unhold")
        #expect(resumed.member("status")?.text == "connected")
        #expect(resumed.member("connected_at") == connectedAt)
        #expect(resumed.member("hold") == .null)
    }

    @Test func aCallWhoseMediaNeverComesEnds() throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        laboratory.advance(seconds: 19)
        #expect(laboratory.send("GET", "/calls/\(id)").member("status")?.text == "connected")
        laboratory.advance(seconds: 1)
        let call = laboratory.send("GET", "/calls/\(id)")
        #expect(call.member("status")?.text == "ended")
        #expect(call.member("end_reason")?["number"] == 44_002)
    }

    @Test func theAgentHangsUpAfterTheLongestTime() throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        laboratory.state.mediaStarted(call: id)
        laboratory.advance(seconds: 99)
        #expect(laboratory.send("GET", "/calls/\(id)").member("status")?.text == "connected")
        laboratory.advance(seconds: 1)
        let call = laboratory.send("GET", "/calls/\(id)")
        #expect(call.member("end_reason")?["by"]?.text == "virtual_agent")
    }

    @Test(arguments: [CallEndReason.callerHungUp, .mediaStopped])
    func mediaThatEndsEndsTheCall(reason: CallEndReason) throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        laboratory.state.mediaEnded(call: id, reason, at: laboratory.now)
        laboratory.state.mediaEnded(call: id, .platformStopped, at: laboratory.now)
        let call = laboratory.send("GET", "/calls/\(id)")
        #expect(call.member("end_reason")?["code"]?.text == reason.code)
        #expect(call.member("version") == 3)
    }

    @Test func stoppingEndsCallsBeforeStreams() throws {
        var laboratory = try Laboratory.signedIn()
        let stream = try laboratory.openStream()
        let id = try laboratory.startCall()
        _ = laboratory.state.takeEffects()
        laboratory.state.stop(at: laboratory.now)
        let effects = laboratory.state.takeEffects()
        #expect(effects.contains(.closeMedia(call: id)))
        #expect(effects.sent.first?.contains("voip_conn_general") == true)
        #expect(effects.last == .close(stream: stream.id))
    }

    @Test func theSameKeyGivesTheSameAnswer() throws {
        var laboratory = try Laboratory.signedIn()
        let key = ["idempotency-key": "k-1"]
        let first = laboratory.send("POST", "/calls", Laboratory.callBody(), headers: key)
        let second = laboratory.send("POST", "/calls", Laboratory.callBody(), headers: key)
        #expect(second.status == 201)
        #expect(second.body == first.body)
        #expect(second.headers["Idempotent-Replayed"] == "true")
        #expect(first.headers["Idempotent-Replayed"] == nil)
        let other = laboratory.send("POST", "/calls", Laboratory.callBody(menu: 4), headers: key)
        #expect(other.code == "idempotency_mismatch")
        laboratory.advance(seconds: 3_000)
        #expect(laboratory.send("POST", "/calls", Laboratory.callBody(), headers: key).body == first.body)
    }

    @Test func aKeyWhoseFirstRequestStillRunsIsToldToWait() throws {
        var laboratory = try Laboratory.signedIn()
        let key = ["idempotency-key": "k-1"]
        guard case .answer = laboratory.outcome("POST", "/calls", Laboratory.callBody(), headers: key) else {
            throw Laboratory.Refused()
        }
        let response = laboratory.send("POST", "/calls", Laboratory.callBody(), headers: key)
        #expect(response.code == "in_progress")
        #expect(response.headers["Retry-After"] == "1")
        #expect(response.member("retryable") == true)
    }

    @Test func aFaultOfOursIsNotReplayed() throws {
        var laboratory = try Laboratory.signedIn()
        let key = ["idempotency-key": "k-1"]
        let failed = laboratory.send(
            "POST", "/calls", Laboratory.callBody(), headers: key, media: .failure(.noPort("none")))
        #expect(failed.status == 503)
        #expect(laboratory.send("POST", "/calls", Laboratory.callBody(), headers: key).status == 201)
    }

    @Test func noSecretGetsIntoTheLog() throws {
        var laboratory = try Laboratory.signedIn()
        let id = try laboratory.startCall()
        _ = laboratory.send("POST", "/calls/\(id)/end")
        let rejected = MediaFailure.invalidOffer("a=crypto:1 X inline:KEY")
        _ = laboratory.send("POST", "/calls", Laboratory.callBody(), media: .failure(rejected))
        for case .log(let line) in laboratory.state.takeEffects() {
            #expect(!line.contains("v=0") && !line.contains("KEY") && !line.contains(laboratory.token))
        }
    }
}
