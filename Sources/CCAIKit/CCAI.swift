internal import Foundation
package import PlatformSignalling
internal import Synchronization

/// The entry to the SDK.
///
/// Safe from any thread.
public final class CCAI: Sendable {
    /// The one instance of the program.
    public static let shared = CCAI()

    private struct State: Sendable {
        var delegate = DelegateReference()
        var options: Fingerprint?
        var services: Services?
        var callService: (any AnyObject & Sendable)?
    }

    /// What ``initialize(options:)`` compares.
    private struct Fingerprint: Hashable, Sendable {
        let key: String
        let address: PlatformAddress
        let languageCode: String
        let cacheAuthToken: Bool
        let caFile: String?
    }

    private struct Services: Sendable {
        let client: PlatformClient
        let authentication: AuthService
        let company: CompanyService
        let menus: QueueMenuService
    }

    private let state = Mutex(State())
    private let environment: [String: String]
    private let delegateTimeLimit: Duration

    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        delegateTimeLimit: Duration = .seconds(15)
    ) {
        self.environment = environment
        self.delegateTimeLimit = delegateTimeLimit
    }

    /// Who gives tokens.
    ///
    /// Weak: keep a strong reference.
    public weak var delegate: (any CCAIDelegate)? {
        get { state.withLock { $0.delegate }.value }
        set {
            let reference = DelegateReference(value: newValue)
            state.withLock { $0.delegate = reference }
        }
    }

    /// Sets the SDK up; nothing is sent yet.
    ///
    /// Again with equal options only the delegate is taken over.
    ///
    /// - Parameter options: The company and its platform.
    /// - Throws: ``CCAIError`` with ``CCAIError/Code/invalidOptions``, which names the option; or with
    ///   ``CCAIError/Code/callInProgress`` when the call module is in use with other options.
    public func initialize(options: InitOptions) throws {
        let fingerprint = try Self.checked(options)
        let reference = DelegateReference(value: options.delegate)
        let services = makeServices(fingerprint)
        try state.withLock { state in
            guard state.options != fingerprint else {
                if reference.value != nil { state.delegate = reference }
                return
            }
            guard state.callService == nil else {
                throw CCAIError(
                    .callInProgress,
                    "The SDK is in use with other options. Choose the options before initializeCall.")
            }
            if reference.value != nil { state.delegate = reference }
            state.options = fingerprint
            state.services = services
        }
    }

    /// Signs the end user in and out; `nil` before ``initialize(options:)``.
    public var authService: (any AuthServiceProtocol)? { state.withLock { $0.services?.authentication } }

    /// The company's settings; `nil` before ``initialize(options:)``.
    public var companyService: (any CompanyServiceProtocol)? { state.withLock { $0.services?.company } }

    /// The company's menus; `nil` before ``initialize(options:)``.
    public var queueMenuService: (any QueueMenuServiceProtocol)? { state.withLock { $0.services?.menus } }

    /// The way to the platform; `nil` before ``initialize(options:)``.
    package var client: PlatformClient? { state.withLock { $0.services?.client } }

    /// The call module's service, held here since the module can't add storage.
    package var attachedCallService: (any AnyObject & Sendable)? { state.withLock { $0.callService } }

    /// Attaches a call service unless there is one.
    package func attachCallService(_ service: any AnyObject & Sendable) {
        state.withLock { $0.callService = $0.callService ?? service }
    }

    /// The menu as it was last read, or `nil`.
    package func knownMenu(_ id: Int) -> QueueMenu? {
        state.withLock { $0.services?.menus }?.menu(id)
    }

    private static func checked(_ options: InitOptions) throws(CCAIError) -> Fingerprint {
        let isPlain = options.key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard !options.key.isEmpty, isPlain else {
            throw CCAIError(
                .invalidOptions, "key is empty or holds a blank. Use the company key of the platform.")
        }
        let letters = options.languageCode.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard !options.languageCode.isEmpty, letters else {
            throw CCAIError(.invalidOptions, "languageCode isn't a language's code. Use one like \"en\".")
        }
        if let caFile = options.caFile, !FileManager.default.isReadableFile(atPath: caFile) {
            throw CCAIError(.invalidOptions, "caFile can't be read. Check the path \(caFile).")
        }
        do throws(PlatformAddress.ParseError) {
            return Fingerprint(
                key: options.key, address: try PlatformAddress(parsing: options.urlHost),
                languageCode: options.languageCode, cacheAuthToken: options.cacheAuthToken,
                caFile: options.caFile)
        } catch {
            throw CCAIError(.invalidOptions, message(for: error))
        }
    }

    private static func message(for error: PlatformAddress.ParseError) -> String {
        switch error {
        case .malformed: "urlHost isn't a host. Use one like \"company.example.com\" or \"host:8443\"."
        case .notOnlyAHost: "urlHost has more than a host. Leave out path, query and credentials."
        case .insecure(let host):
            "urlHost is http to \(host), where others could listen. Use https; http is for loopback only."
        }
    }

    private func makeServices(_ options: Fingerprint) -> Services {
        let directory = StateDirectory(environment: environment)
        let authenticator = Authenticator(
            store: options.cacheAuthToken ? directory : nil,
            fileName: StateDirectory.tokenFile(host: options.address.base, key: options.key),
            timeLimit: delegateTimeLimit
        ) { [weak self] in
            self?.state.withLock { $0.delegate } ?? DelegateReference()
        }
        let configuration = PlatformConfiguration(
            address: options.address, companyKey: options.key, language: options.languageCode,
            deviceID: directory?.deviceID() ?? UUID().uuidString,
            applicationID: ProcessInfo.processInfo.processName, version: "0.1.0")
        let tokens = TokenSource {
            authenticator.token
        } current: { () throws(PlatformError) in
            try await authenticator.current()
        } renew: { (rejected) throws(PlatformError) in
            try await authenticator.renew(rejected: rejected)
        }
        let client = PlatformClient(
            configuration: configuration, http: HTTPClient(caFile: options.caFile), tokens: tokens)
        return Services(
            client: client, authentication: AuthService(client: client, authenticator: authenticator),
            company: CompanyService(client: client), menus: QueueMenuService(client: client))
    }
}
