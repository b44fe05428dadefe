package import JSONWebToken

/// All that one configuration file says, checked.
package struct PlatformConfiguration: Sendable {
    /// The company whose callers sign in.
    package struct Company: Sendable {
        package var key: String
        package var secret: SigningSecret
        package var algorithms: Set<SigningAlgorithm>
        package var isDisabled: Bool
        package var displayName: String
        package var supportEmail: String?
        package var phoneNumber: String?
        /// BCP 47 tags, the default first.
        package var languages: [String]
    }

    /// One place in the tree of menus.
    package struct Menu: Sendable {
        package var id: Int64
        package var name: String
        /// Opens this menu directly, when the client asks for it by `key`.
        package var key: String?
        package var isHidden: Bool
        package var children: [Menu]
        package var voiceCall: VoiceCall?
    }

    /// A menu's voice channel.
    package struct VoiceCall: Sendable {
        package var isInstantEnabled: Bool
        /// Why calls are turned away; `nil` takes them.
        package var deflectedReason: String?
    }

    /// Who answers.
    package struct VirtualAgent: Sendable {
        package var name: String
        /// A sound file, said once the caller's media has come; `nil` says nothing.
        package var greeting: String?
        /// At least as long as the greeting keeps greeting and echo apart.
        package var echoDelayMilliseconds: Int64
        /// Whether only silence is sent.
        package var isMuted: Bool
    }

    /// What ends a call by itself, and how much a client may send.
    package struct Limits: Sendable {
        package var maximumCallSeconds: Int64
        package var mediaStartSeconds: Int64
        package var mediaTimeoutSeconds: Int64
        package var tokenSeconds: Int64
        package var bodyOctets: Int
    }

    /// PEM texts of the server's identity.
    package struct TLS: Sendable {
        package var certificate: String
        package var privateKey: String
    }

    /// IPv4, numeric.
    package var address: String
    /// 0 takes any free one.
    package var port: UInt16
    /// IPv4, numeric: where callers send their media.
    package var mediaAddress: String
    package var company: Company
    package var menus: [Menu]
    package var virtualAgent: VirtualAgent
    package var limits: Limits
    package var tls: TLS?

    /// The menu called `id`, wherever in the tree.
    package func menu(id: Int64) -> Menu? {
        Self.first(in: menus) { $0.id == id }
    }

    /// The menu that `key` opens.
    package func menu(key: String) -> Menu? {
        Self.first(in: menus) { $0.key == key }
    }

    private static func first(in menus: [Menu], where isWanted: (Menu) -> Bool) -> Menu? {
        for menu in menus {
            if isWanted(menu) { return menu }
            if let found = first(in: menu.children, where: isWanted) { return found }
        }
        return nil
    }
}
