import JSONWebToken
import Testing
import voicecall

@Suite struct SignInTests {
    private func verified(_ token: String, _ secret: String, _ algorithm: SigningAlgorithm, at time: Int64)
        throws
    {
        _ = try JSONWebToken.verify(
            token, secret: SigningSecret(Array(secret.utf8)), allowed: [algorithm], now: time)
    }

    @Test func aTokenPassesAsItIs() throws {
        #expect(try SignIn.token("abc").token(at: 0) == "abc")
    }

    @Test(arguments: [(32, SigningAlgorithm.hs256), (47, .hs256), (48, .hs384), (100, .hs384)])
    func aSecretSignsWithTheAlgorithmThatItIsLongEnoughFor(length: Int, algorithm: SigningAlgorithm) throws {
        let secret = String(repeating: "s", count: length)
        let token = try SignIn.secret(secret).token(at: 1_800_000_000)
        try verified(token, secret, algorithm, at: 1_800_000_000)
    }

    @Test func aShortSecretIsRefusedWithoutBeingShown() throws {
        #expect(
            throws: CallProblem.unusable(
                "the secret of --dev-secret has 7 octets, and the platform's has at least 32; copy it whole")
        ) { try SignIn.secret("hunter2").token(at: 1_800_000_000) }
    }

    @Test func aClockOutOfAllReasonIsNamed() throws {
        #expect(
            throws: CallProblem.unusable("no token can be signed (jwt_invalid); check this machine's clock")
        ) {
            try SignIn.secret(String(repeating: "s", count: 48)).token(at: -5)
        }
    }
}
