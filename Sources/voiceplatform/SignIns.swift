/// Who is signed in, by the opaque tokens that were given out.
struct SignIns {
    struct SignIn {
        let user: String
        let device: String
        let expiresAt: WallTime
        fileprivate(set) var isRevoked = false
    }

    enum Lookup {
        case valid(SignIn)
        /// Signed out on purpose: an event stream isn't to come back.
        case revoked
        case unknown
    }

    private var signIns: [String: SignIn] = [:]

    mutating func add(_ token: String, user: String, device: String, expiresAt: WallTime) {
        signIns[token] = SignIn(user: user, device: device, expiresAt: expiresAt)
    }

    func lookup(_ token: String, at now: WallTime) -> Lookup {
        guard let signIn = signIns[token], now < signIn.expiresAt else { return .unknown }
        return signIn.isRevoked ? .revoked : .valid(signIn)
    }

    mutating func revoke(_ token: String) {
        signIns[token]?.isRevoked = true
    }

    mutating func forgetExpired(at now: WallTime) {
        signIns = signIns.filter { now < $0.value.expiresAt }
    }
}
