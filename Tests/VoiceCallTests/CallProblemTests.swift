import CCAIKit
import Testing
import voicecall

@Suite struct CallProblemTests {
    private static let meanings: [(CCAIError.Code, CallProblem)] = [
        (.network, .cannotReach("what to do")), (.unavailable, .cannotReach("what to do")),
        (.invalidAnswer, .cannotReach("what to do")), (.rateLimited, .cannotReach("what to do")),
        (.jwt, .refused("what to do")), (.authentication, .refused("what to do")),
        (.forbidden, .refused("what to do")), (.menuNotFound, .refused("what to do")),
        (.deflected, .refused("what to do")), (.channelUnavailable, .refused("what to do")),
        (.voipConnection, .refused("what to do")), (.callInProgress, .refused("what to do")),
        (.actionRequired, .refused("what to do")), (.invalidRequest, .refused("what to do")),
        (.invalidOptions, .unusable("what to do")), (.audioFile, .unusable("what to do")),
        (.cancelled, .cancelled), (CCAIError.Code(rawValue: 9_999), .failed("what to do")),
    ]

    @Test(arguments: meanings)
    func eachErrorBeforeTheCallHasItsMeaning(code: CCAIError.Code, problem: CallProblem) {
        #expect(CallProblem(CCAIError(code, "what to do")) == problem)
    }
}
