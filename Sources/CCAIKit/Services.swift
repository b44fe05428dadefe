internal import Foundation
internal import PlatformSignalling
internal import Synchronization

/// Signs the end user in and out.
///
/// Safe from any thread.
public protocol AuthServiceProtocol: AnyObject, Sendable {
    /// Exchanges a JWT, signed by the program's server with the company's secret, for a token, which the SDK then uses.
    ///
    /// - Parameter jwt: A fresh JWT; the platform takes one for at most 600 s.
    /// - Returns: The token.
    /// - Throws: ``CCAIError``: ``CCAIError/Code/jwt`` when the platform refuses it, ``CCAIError/Code/network`` when it can't be asked.
    func authenticate(_ jwt: String) async throws -> String?

    /// Sets the token, in memory and in its file; `nil` logs out.
    func updateAuthToken(_ token: String?)
}

/// The company's settings.
public protocol CompanyServiceProtocol: AnyObject, Sendable {
    /// Reads them from the platform. Throws ``CCAIError``.
    func get() async throws -> CompanyResponse
}

/// The company's menus: what a call can be about.
public protocol QueueMenuServiceProtocol: AnyObject, Sendable {
    /// Reads the menus.
    ///
    /// - Parameters:
    ///   - key: A direct access key, or `nil` for the whole tree.
    ///   - language: An ISO 639 code, or `nil` for the one of ``InitOptions``.
    /// - Returns: The menus, and whether `key` led to them directly.
    /// - Throws: ``CCAIError``.
    func get(key: String?, language: String?) async throws -> ([QueueMenu], Bool)

    /// Estimates how long a new session would wait in the queue of `menuId`.
    ///
    /// - Throws: ``CCAIError``; ``CCAIError/Code/menuNotFound`` when there is no such menu.
    func getWaitTimes(menuId: Int, language: String?) async throws -> QueueMenuWaitTimeResponse
}

extension QueueMenuServiceProtocol {
    /// Reads the whole tree of menus, in the language of ``InitOptions``.
    ///
    /// Throws ``CCAIError``.
    public func get() async throws -> ([QueueMenu], Bool) { try await get(key: nil, language: nil) }
}

final class AuthService: AuthServiceProtocol {
    private let client: PlatformClient
    private let authenticator: Authenticator

    init(client: PlatformClient, authenticator: Authenticator) {
        self.client = client
        self.authenticator = authenticator
    }

    func authenticate(_ jwt: String) async throws -> String? {
        do throws(PlatformError) {
            let token = try await client.authenticate(jwt: jwt).token
            authenticator.update(token)
            return token
        } catch {
            authenticator.signInFailed(error)
            throw CCAIError(error)
        }
    }

    func updateAuthToken(_ token: String?) {
        authenticator.update(token)
    }
}

final class CompanyService: CompanyServiceProtocol {
    private let client: PlatformClient

    init(client: PlatformClient) { self.client = client }

    func get() async throws -> CompanyResponse {
        try await withCCAIErrors { () throws(PlatformError) in try await client.get("/company") }
    }
}

/// Reads menus, and remembers them for the checks before a call.
final class QueueMenuService: QueueMenuServiceProtocol {
    private let client: PlatformClient
    private let known = Mutex<[Int: QueueMenu]>([:])

    init(client: PlatformClient) { self.client = client }

    func get(key: String?, language: String?) async throws -> ([QueueMenu], Bool) {
        var query = ["lang": language ?? client.language]
        query["key"] = key
        let answer: MenuList = try await withCCAIErrors { () throws(PlatformError) in
            try await client.get("/menus", query: query)
        }
        known.withLock { known in
            if key == nil { known.removeAll() }
            remember(answer.menus, in: &known)
        }
        return (answer.menus, answer.isDirectAccess)
    }

    func getWaitTimes(menuId: Int, language: String?) async throws -> QueueMenuWaitTimeResponse {
        let query = ["lang": language ?? client.language]
        return try await withCCAIErrors { () throws(PlatformError) in
            try await client.get("/menus/\(menuId)/wait_times", query: query)
        }
    }

    /// The menu as it was last read, or `nil`.
    func menu(_ id: Int) -> QueueMenu? {
        known.withLock { $0[id] }
    }

    private func remember(_ menus: [QueueMenu], in known: inout [Int: QueueMenu]) {
        for menu in menus {
            known[menu.id] = menu
            remember(menu.children ?? [], in: &known)
        }
    }
}
