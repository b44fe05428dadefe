import CCAIKit
import PlatformSignalling
import Testing

struct CCAIErrorTests {
    @Test(arguments: [
        ("menu_not_found", 404, CCAIError.Code.menuNotFound), ("jwt_invalid", 401, .jwt),
        ("call_in_progress", 409, .callInProgress), ("deflected", 409, .deflected),
        ("unheard_of", 409, .invalidRequest),
        ("rate_limited", 429, .rateLimited), ("no_media_port", 503, .unavailable),
        ("forbidden", 403, .forbidden),
        ("call_gone", 410, .callEnded), ("media_rejected", 422, .voipConnection),
    ])
    func saysWhatThePlatformMeans(word: String, status: Int, code: CCAIError.Code) {
        let error = CCAIError(.problem(Problem(status: status, code: word, detail: "the reason")))
        #expect(error.code == code)
        #expect(error.message.contains("the reason"))
    }

    @Test func theNumbersAreTheSDKs() {
        #expect(CCAIError.Code.network.rawValue == 1)
        #expect(CCAIError.Code.authentication.rawValue == 100)
        #expect(CCAIError.Code.jwt.rawValue == 101)
        #expect(CCAIError.Code.voipConnection.rawValue == 1000)
    }
}
