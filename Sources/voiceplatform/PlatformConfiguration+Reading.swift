import FoundationEssentials
import JSONWebToken

extension PlatformConfiguration {
    /// Reads the text of a configuration file.
    ///
    /// - Parameters:
    ///   - json: The file's text as JSON.
    ///   - folder: Where relative paths in it begin.
    ///   - readFile: Gives a file's octets, or `nil` when it can't be read.
    /// - Throws: ``JSONShapeError`` with the path of the key that is wrong.
    package init(
        json: JSONValue, folder: String, readFile: (String) -> [UInt8]?
    ) throws(JSONShapeError) {
        let top = JSONReader(json)
        try top.allowOnly([
            "address", "port", "media_address", "company", "menus", "virtual_agent", "limits", "tls",
        ])
        address = try Self.address(top.optional("address")) ?? "127.0.0.1"
        port = UInt16(try top.optional("port")?.integer(in: 0...65_535) ?? 8480)
        tls = try top.optional("tls").map { reader throws(JSONShapeError) in
            try TLS(reader, folder: folder, readFile: readFile)
        }
        guard address.hasPrefix("127.") || tls != nil else {
            throw JSONShapeError(
                path: "tls",
                message:
                    "missing; without TLS the address must be a loopback one (127.0.0.1), found \(address)")
        }
        mediaAddress = try Self.address(top.optional("media_address")) ?? address
        guard mediaAddress != "0.0.0.0" else {
            throw JSONShapeError(
                path: "media_address",
                message: "expected the IPv4 address to which callers send media, since address is 0.0.0.0")
        }
        company = try Company(top.required("company"))
        menus = try top.required("menus").elements().map { reader throws(JSONShapeError) in try Menu(reader) }
        try Self.checkMenus(menus)
        virtualAgent = try VirtualAgent(
            top.optional("virtual_agent") ?? JSONReader([:], path: "virtual_agent"), folder: folder,
            readFile: readFile)
        limits = try Limits(top.optional("limits") ?? JSONReader([:], path: "limits"))
    }

    private static func address(_ reader: JSONReader?) throws(JSONShapeError) -> String? {
        guard let reader else { return nil }
        let text = try reader.text()
        if text == "localhost" { return "127.0.0.1" }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.allSatisfy({ UInt8($0) != nil && $0.allSatisfy(\.isNumber) }) else {
            throw reader.wrong("expected a numeric IPv4 address or localhost, found \"\(text)\"")
        }
        return text
    }

    private static func checkMenus(_ menus: [Menu]) throws(JSONShapeError) {
        guard !menus.isEmpty else {
            throw JSONShapeError(path: "menus", message: "expected at least one menu")
        }
        var seen: Set<Int64> = []
        var open = menus
        while let menu = open.popLast() {
            guard seen.insert(menu.id).inserted else {
                throw JSONShapeError(path: "menus", message: "two menus have the id \(menu.id)")
            }
            open += menu.children
        }
    }

    /// `path` from `folder`, unless it is absolute.
    fileprivate static func resolved(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }

    /// The text of the file that `reader` names.
    fileprivate static func contents(
        _ reader: JSONReader, folder: String, readFile: (String) -> [UInt8]?
    ) throws(JSONShapeError) -> String {
        let path = resolved(try reader.text(), in: folder)
        guard let octets = readFile(path) else { throw reader.wrong("cannot read the file \(path)") }
        let text = String(decoding: octets, as: UTF8.self)
        guard text.contains("-----BEGIN ") else { throw reader.wrong("\(path) is not a PEM file") }
        return text
    }
}

extension PlatformConfiguration.TLS {
    fileprivate init(
        _ reader: JSONReader, folder: String, readFile: (String) -> [UInt8]?
    ) throws(JSONShapeError) {
        try reader.allowOnly(["certificate", "key"])
        certificate = try PlatformConfiguration.contents(
            reader.required("certificate"), folder: folder, readFile: readFile)
        privateKey = try PlatformConfiguration.contents(
            reader.required("key"), folder: folder, readFile: readFile)
    }
}

extension PlatformConfiguration.Company {
    fileprivate init(_ reader: JSONReader) throws(JSONShapeError) {
        try reader.allowOnly([
            "key", "secret", "algorithms", "disabled", "display_name", "support_email", "phone_number",
            "languages",
        ])
        key = try reader.required("key").text()
        algorithms = Set(SigningAlgorithm.allCases)
        if let list = try reader.optional("algorithms") {
            algorithms = []
            for name in try list.elements() {
                let known = SigningAlgorithm.allCases.map(\.rawValue)
                if let algorithm = SigningAlgorithm(rawValue: try name.choice(known)) {
                    algorithms.insert(algorithm)
                }
            }
            guard !algorithms.isEmpty else { throw list.wrong("expected at least one algorithm") }
        }
        let secretReader = try reader.required("secret")
        let octets = Array(try Self.secretText(secretReader).utf8)
        // The longest hash that is still allowed decides what the secret must have; shorter ones need less.
        algorithms = algorithms.filter { $0.hashSize <= octets.count }
        guard !algorithms.isEmpty else {
            throw secretReader.wrong(
                "expected at least 32 octets for HS256, 48 for HS384, 64 for HS512, found \(octets.count)")
        }
        secret = SigningSecret(octets)
        isDisabled = try reader.optional("disabled")?.bool() ?? false
        displayName = try reader.required("display_name").text()
        supportEmail = try reader.optional("support_email")?.text()
        phoneNumber = try reader.optional("phone_number")?.text()
        languages = ["en"]
        if let list = try reader.optional("languages") {
            languages = try list.elements().map { element throws(JSONShapeError) in try element.text() }
            guard !languages.isEmpty else { throw list.wrong("expected at least one language") }
        }
    }

    /// The secret; a wrong kind of value is not shown, since it may be the secret nevertheless.
    private static func secretText(_ reader: JSONReader) throws(JSONShapeError) -> String {
        guard case .string(let text) = reader.value else { throw reader.wrong("expected a string") }
        return text
    }
}

extension PlatformConfiguration.Menu {
    fileprivate init(_ reader: JSONReader) throws(JSONShapeError) {
        try reader.allowOnly(["id", "name", "key", "hidden", "children", "channels"])
        id = try reader.required("id").integer(in: 1 ... .max)
        name = try reader.required("name").text()
        key = try reader.optional("key")?.text()
        isHidden = try reader.optional("hidden")?.bool() ?? false
        children = []
        for child in try reader.optional("children")?.elements() ?? [] {
            children.append(try PlatformConfiguration.Menu(child))
        }
        guard let channels = try reader.optional("channels") else { return }
        try channels.allowOnly(["voice_call"])
        guard let voice = try channels.optional("voice_call") else { return }
        try voice.allowOnly(["instant_enabled", "deflected", "deflected_reason"])
        let isDeflected = try voice.optional("deflected")?.bool() ?? false
        let reason = try voice.optional("deflected_reason")?.text() ?? "over_capacity"
        voiceCall = .init(
            isInstantEnabled: try voice.optional("instant_enabled")?.bool() ?? true,
            deflectedReason: isDeflected ? reason : nil)
    }
}

extension PlatformConfiguration.VirtualAgent {
    fileprivate init(
        _ reader: JSONReader, folder: String, readFile: (String) -> [UInt8]?
    ) throws(JSONShapeError) {
        try reader.allowOnly(["name", "greeting", "echo_delay_ms", "muted"])
        name = try reader.optional("name")?.text() ?? "Echo"
        isMuted = try reader.optional("muted")?.bool() ?? false
        echoDelayMilliseconds = try reader.optional("echo_delay_ms")?.integer(in: 0...10_000) ?? 4_000
        guard let greetingReader = try reader.optional("greeting") else { return }
        let path = PlatformConfiguration.resolved(try greetingReader.text(), in: folder)
        guard readFile(path) != nil else {
            throw greetingReader.wrong("cannot read the sound file \(path)")
        }
        greeting = path
    }
}

extension PlatformConfiguration.Limits {
    fileprivate init(_ reader: JSONReader) throws(JSONShapeError) {
        try reader.allowOnly([
            "max_call_seconds", "media_start_seconds", "media_timeout_seconds", "token_seconds",
            "body_octets",
        ])
        maximumCallSeconds =
            try reader.optional("max_call_seconds")?.integer(in: 1...86_400) ?? 600
        mediaStartSeconds = try reader.optional("media_start_seconds")?.integer(in: 1...600) ?? 20
        mediaTimeoutSeconds = try reader.optional("media_timeout_seconds")?.integer(in: 1...600) ?? 10
        tokenSeconds = try reader.optional("token_seconds")?.integer(in: 1...86_400) ?? 3_600
        bodyOctets = Int(try reader.optional("body_octets")?.integer(in: 1_024...16_777_216) ?? 262_144)
    }
}
