import JSONWebToken
import Testing
import voiceplatform

@Suite("Requests and their answers")
struct RequestTests {
    @Test(arguments: [
        ("GET", "/nothing", 404, "not_found"), ("GET", "", 404, "not_found"),
        ("GET", "/calls/", 404, "not_found"), ("GET", "/calls/x", 404, "not_found"),
        ("GET", "/calls/99999999999999999999", 404, "not_found"), ("GET", "/calls/7", 404, "not_found"),
        ("GET", "/calls/-7", 404, "not_found"), ("GET", "/company/x", 404, "not_found"),
        ("PUT", "/calls", 405, "method_not_allowed"), ("POST", "/company", 405, "method_not_allowed"),
        ("GET", "/calls/7/end", 405, "method_not_allowed"),
        ("GET", "/auth/end_user", 405, "method_not_allowed"),
        ("POST", "/calls/7/end", 404, "not_found"), ("POST", "/calls/7/resume", 501, "not_implemented"),
        ("GET", "/menus/1/time_slots", 501, "not_implemented"),
        ("POST", "/scheduled_calls", 501, "not_implemented"),
        ("PUT", "/devices/d/push/voip", 501, "not_implemented"),
        ("GET", "/menus/9/wait_times", 404, "menu_not_found"), ("GET", "/calls", 422, "validation_failed"),
        ("GET", "/menus/1/wait_times", 200, nil), ("GET", "/company", 200, nil), ("GET", "/menus", 200, nil),
    ])
    func eachResourceAnswersAsTheProtocolSays(
        method: String, path: String, status: Int, code: String?
    ) throws {
        var laboratory = try Laboratory.signedIn()
        let response = laboratory.send(method, path, headers: ["x-request-id": "r-1"])
        #expect(response.status == status)
        #expect(response.code == code)
        #expect(response.headers["X-Request-Id"] == "r-1")
        guard code != nil else { return }
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(response.member("request_id")?.text == "r-1")
        #expect(response.member("status")?.number == Int64(status))
    }

    @Test(arguments: ["/company", "/menus", "/calls", "/events", "/calls/1", "/menus/1/wait_times"])
    func nothingIsToldWithoutAToken(path: String) throws {
        var laboratory = try Laboratory()
        for header in ["", "Bearer", "Bearer x", "Basic x", "Bearer x y"] {
            let response = laboratory.send("GET", path, headers: ["authorization": header])
            #expect(response.status == 401)
            #expect(response.code == "token_expired")
        }
    }

    @Test func aTokenEndsAfterItsTime() throws {
        var laboratory = try Laboratory.signedIn()
        laboratory.advance(seconds: 3_599)
        #expect(laboratory.send("GET", "/company").status == 200)
        laboratory.advance(seconds: 1)
        #expect(laboratory.send("GET", "/company").code == "token_expired")
    }

    @Test func aRequestIdThatIsNotPlainIsReplaced() throws {
        var laboratory = try Laboratory()
        for id in ["", "a b", "a\r\nSet-Cookie: x", "é", String(repeating: "x", count: 129)] {
            let echoed = laboratory.send("GET", "/company", headers: ["x-request-id": id]).headers[
                "X-Request-Id"]
            #expect(echoed != id)
            #expect(echoed?.count == 16)
        }
    }

    @Test func aBodyThatIsTooLargeIsRefused() throws {
        var laboratory = try Laboratory()
        let request = HTTPRequest(method: "POST", path: "/ccai/v1/auth/end_user", isBodyTooLarge: true)
        guard case .response(let response) = laboratory.state.handle(request, at: laboratory.now) else {
            throw Laboratory.Refused()
        }
        #expect(response.status == 413)
        #expect(response.code == "body_too_large")
    }

    @Test(
        arguments: [
            (JSONValue.string("x"), "body"), (JSONValue.array([]), "body"),
            (JSONValue.object([:]), "company_key"),
            (["company_key": 1, "jwt": "x", "device": ["id": "d"]], "company_key"),
            (["company_key": "demo", "jwt": [:], "device": ["id": "d"]], "jwt"),
            (["company_key": "demo", "jwt": "x", "device": "d"], "device"),
            (["company_key": "demo", "jwt": "x", "device": [:]], "device.id"),
            (["company_key": "demo", "jwt": "x", "device": ["id": ""]], "device.id"),
        ] as [(JSONValue, String)])
    func aSignInOfTheWrongShapeNamesTheField(body: JSONValue, field: String) throws {
        var laboratory = try Laboratory()
        let response = laboratory.send("POST", "/auth/end_user", body)
        #expect(response.status == 422)
        #expect(response.code == "validation_failed")
        #expect(response.member("fields")?[field] != nil)
    }

    @Test func unknownMembersAreIgnored() throws {
        var laboratory = try Laboratory.signedIn()
        let body = Laboratory.callBody().replacing("surprise", with: ["x": [1, nil, 1.5]])
        #expect(laboratory.send("POST", "/calls", body).status == 201)
    }

    @Test func theRefusalsOfATokenHaveTheirCodes() throws {
        var laboratory = try Laboratory()
        let now = laboratory.now
        let foreign = try Fixture.jwt(at: now, secret: String(repeating: "other", count: 20))
        let header = Base64URL.text(Array(#"{"alg":"none"}"#.utf8))
        for (jwt, code) in [
            (try Fixture.jwt(at: now - 361), "jwt_expired"),
            (try Fixture.jwt(at: now + 61), "jwt_not_yet_valid"),
            (foreign, "jwt_invalid"), ("\(header).e30.", "jwt_alg_refused"), ("x", "jwt_invalid"),
        ] {
            let body: JSONValue = ["company_key": "demo", "jwt": .string(jwt), "device": ["id": "d"]]
            let response = laboratory.send("POST", "/auth/end_user", body)
            #expect(response.status == 401)
            #expect(response.code == code)
        }
    }

    @Test func aForeignCompanyKeyIsRefusedLikeAForeignSecret() throws {
        var laboratory = try Laboratory()
        let body: JSONValue = [
            "company_key": "other", "jwt": .string(try Fixture.jwt(at: laboratory.now)),
            "device": ["id": "d"],
        ]
        #expect(laboratory.send("POST", "/auth/end_user", body).code == "jwt_invalid")
    }

    @Test func aDisabledCompanyIsForbidden() throws {
        let company = Fixture.json["company"]?.replacing("disabled", with: true)
        var laboratory = try Laboratory(json: Fixture.json.replacing("company", with: company))
        let body: JSONValue = [
            "company_key": "demo", "jwt": .string(try Fixture.jwt(at: laboratory.now)), "device": ["id": "d"],
        ]
        let response = laboratory.send("POST", "/auth/end_user", body)
        #expect(response.status == 403)
        #expect(response.code == "company_disabled")
    }

    @Test func signingOutEndsTokenAndStream() throws {
        var laboratory = try Laboratory.signedIn()
        let stream = try laboratory.openStream()
        _ = laboratory.state.takeEffects()
        #expect(laboratory.send("DELETE", "/auth/session").status == 204)
        #expect(laboratory.state.takeEffects() == [.close(stream: stream.id)])
        #expect(laboratory.send("GET", "/company").status == 401)
        #expect(laboratory.send("GET", "/events").status == 204)
        #expect(laboratory.send("DELETE", "/auth/session").status == 204)
    }

    @Test(arguments: ["/company", "/menus"])
    func anEntityTagSavesTheBody(path: String) throws {
        var laboratory = try Laboratory.signedIn()
        let tag = try #require(laboratory.send("GET", path).headers["ETag"])
        for known in [tag, "\"x\", W/\(tag)", "*"] {
            let response = laboratory.send("GET", path, headers: ["if-none-match": known])
            #expect(response.status == 304)
            #expect(response.body.isEmpty)
        }
        #expect(laboratory.send("GET", path, headers: ["if-none-match": "\"x\""]).status == 200)
    }

    @Test func aKeyOpensOneMenuDirectly() throws {
        var laboratory = try Laboratory.signedIn()
        let response = laboratory.send("GET", "/menus", query: ["key": "inner", "lang": "de-AT"])
        #expect(response.member("direct_access") == true)
        guard case .array(let menus)? = response.member("menus") else { throw Laboratory.Refused() }
        #expect(menus.map { $0["id"] } == [4])
        #expect(laboratory.send("GET", "/menus", query: ["key": "x"]).code == "menu_not_found")
        #expect(laboratory.send("GET", "/menus", query: ["lang": "fr"]).code == "language_unavailable")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomBytesAsABodyAreAClientError(seed: UInt64) throws {
        var laboratory = try Laboratory.signedIn()
        var state = seed | 1
        let octets = (0..<Int(seed)).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        let request = HTTPRequest(
            method: "POST", path: "/ccai/v1/calls", headers: ["authorization": "Bearer \(laboratory.token)"],
            body: octets)
        guard case .response(let response) = laboratory.state.handle(request, at: laboratory.now) else {
            throw Laboratory.Refused()
        }
        #expect(response.status == 422)
    }

    @Test func everyTruncationOfABodyIsAClientError() throws {
        var laboratory = try Laboratory.signedIn()
        let whole = Laboratory.callBody().octets
        for length in 0..<whole.count {
            let request = HTTPRequest(
                method: "POST", path: "/ccai/v1/calls",
                headers: ["authorization": "Bearer \(laboratory.token)"], body: Array(whole[..<length]))
            guard case .response(let response) = laboratory.state.handle(request, at: laboratory.now) else {
                throw Laboratory.Refused()
            }
            #expect(response.status == 422)
        }
    }
}
