/// Asks the program for a token when the SDK needs one.
public protocol CCAIDelegate: AnyObject {
    /// Gets a signed JWT from the program's own server, passes it to ``AuthServiceProtocol/authenticate(_:)``, and returns the
    /// token that this gives. Called on no particular thread, once at a time, and given up after 15 s.
    ///
    /// - Returns: The token, or `nil` when the user can't be signed in.
    func ccaiShouldAuthenticate() async -> String?
}

/// How to reach a company on a platform.
public struct InitOptions {
    /// The company's key.
    ///
    /// Public, unlike the company's secret, which belongs on a server.
    public let key: String
    /// `host` or `host:port`, reached by HTTPS.
    ///
    /// A URL is taken too; with `http` only for this machine's loopback addresses.
    public let urlHost: String
    /// An ISO 639 code: the language of menus and announcements.
    public var languageCode: String
    /// Who gives tokens.
    ///
    /// Weak: keep a strong reference.
    public weak var delegate: (any CCAIDelegate)?
    /// Whether the token is kept in a file, readable by this user only, for the next start of the program.
    public let cacheAuthToken: Bool
    /// A PEM file of the authorities to trust instead of the system's, for a platform with a private one.
    public var caFile: String? = nil

    /// Creates options.
    public init(
        key: String, urlHost: String, delegate: (any CCAIDelegate)? = nil, languageCode: String = "en",
        cacheAuthToken: Bool = true
    ) {
        self.key = key
        self.urlHost = urlHost
        self.delegate = delegate
        self.languageCode = languageCode
        self.cacheAuthToken = cacheAuthToken
    }
}
