internal import Foundation
internal import JSONWebToken

extension SignIn {
    /// The token to sign in with.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: A JSON Web Token.
    /// - Throws: ``CallProblem/unusable(_:)``.
    package func token(at now: Int64) throws(CallProblem) -> String {
        switch self {
        case .token(let token): return token
        case .tokenFromStandardInput: return try Self.standardInput()
        case .secret(let secret): return try Self.signed(with: secret, at: now)
        }
    }

    private static func standardInput() throws(CallProblem) -> String {
        // In steps, since a pipe may stay open for long and Ctrl-C must end that too.
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 200) == 0 {
            guard !Task.isCancelled else { throw .cancelled }
        }
        let data = FileHandle.standardInput.availableData
        let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else {
            throw .unusable(
                "there is no token on standard input; pipe it in: get-token | voicecall call … --jwt -")
        }
        return token
    }

    /// A token of a caller of its own, so that several may call from one machine, with the strongest algorithm that the
    /// secret is long enough for.
    private static func signed(with secret: String, at now: Int64) throws(CallProblem) -> String {
        let octets = Array(secret.utf8)
        let algorithm: SigningAlgorithm = octets.count >= SigningAlgorithm.hs384.hashSize ? .hs384 : .hs256
        do throws(JSONWebTokenError) {
            return try JSONWebToken.sign(
                JSONWebTokenClaims(
                    issuedAt: now, expiresAt: now + 300, identifier: UUID().uuidString.lowercased()),
                secret: SigningSecret(octets), algorithm: algorithm)
        } catch {
            guard case .secretTooShort(let needed, let got) = error else {
                throw .unusable("no token can be signed (\(error.code)); check this machine's clock")
            }
            throw .unusable(
                "the secret of --dev-secret has \(got) octets, and the platform's has at least \(needed); copy it whole"
            )
        }
    }
}
