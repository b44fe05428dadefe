/// How the caller signs in.
package enum SignIn: Hashable, Sendable {
    /// A JSON Web Token as it is.
    case token(String)
    /// A token to be read from standard input, so that it shows in no list of processes.
    case tokenFromStandardInput
    /// A secret shared with the platform, to sign a token with.
    case secret(String)
}

/// What `voicecall call` was asked to do.
package struct CallSettings: Hashable, Sendable {
    package var platform: String
    package var key: String
    package var menuID: Int
    package var signIn: SignIn
    /// What is said; `nil` is silence.
    package var microphonePath: String?
    /// Where the call is recorded; `nil` is a temporary file.
    package var recordingPath: String?
    /// The sound that has to come back.
    package var expectedPath: String?
    package var maximumDuration: Duration?
    package var certificateAuthorityPath: String?
    package var printsJSON: Bool
}

/// What the program was asked to do.
package enum Command: Hashable, Sendable {
    case call(CallSettings)
    case help
    case callHelp
    case version
}
