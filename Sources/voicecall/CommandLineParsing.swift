internal import Glibc

extension Command {
    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - environment: Where a token or a secret may be.
    /// - Throws: ``UsageError``.
    package init(parsing arguments: [String], environment: [String: String]) throws(UsageError) {
        guard let first = arguments.first else { throw .noCommand }
        switch first {
        case "--help", "-h", "help":
            self = .help
        case "--version":
            self = .version
        case "call":
            let rest = arguments.dropFirst()
            guard !rest.contains("--help"), !rest.contains("-h") else {
                self = .callHelp
                return
            }
            self = .call(try CallSettings(FlagValues(parsing: rest), environment: environment))
        default:
            guard first.hasPrefix("-") else { throw .unknownCommand(first) }
            throw .unknownFlag(first)
        }
    }
}

/// The flags of `voicecall call`.
private enum Flag: String, CaseIterable {
    case platform = "--platform"
    case key = "--key"
    case menu = "--menu"
    case microphone = "--mic"
    case record = "--record"
    case expect = "--expect"
    case maximumDuration = "--max-duration"
    case token = "--jwt"
    case secret = "--dev-secret"
    case certificateAuthority = "--ca-file"
    case json = "--json"

    var takesValue: Bool { self != .json }

    /// A value to show in an error.
    var example: String {
        switch self {
        case .platform: "https://voice.example.com"
        case .key: "COMPANY-KEY"
        case .menu: "2"
        case .microphone: "sentence.flac"
        case .record: "call.wav"
        case .expect: "sentence.flac"
        case .maximumDuration: "30"
        case .token: "-"
        case .secret: "SECRET"
        case .certificateAuthority: "ca.pem"
        case .json: ""
        }
    }
}

/// Flags and their values as given, `--flag value` or `--flag=value`.
private struct FlagValues {
    private var values: [Flag: String] = [:]

    init(parsing arguments: ArraySlice<String>) throws(UsageError) {
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { throw .unexpectedArgument(argument) }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let flag = Flag(rawValue: String(parts[0])) else { throw .unknownFlag(String(parts[0])) }
            guard values[flag] == nil else { throw .repeatedFlag(flag.rawValue) }
            let attached = parts.count == 2 ? String(parts[1]) : nil
            values[flag] = try Self.value(of: flag, attached: attached, rest: &rest)
        }
    }

    subscript(flag: Flag) -> String? { values[flag] }

    private static func value(
        of flag: Flag, attached: String?, rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard flag.takesValue else {
            guard attached == nil else { throw .unwantedValue(flag: flag.rawValue) }
            return ""
        }
        let missing = UsageError.missingValue(flag: flag.rawValue, example: flag.example)
        if let attached {
            guard !attached.isEmpty else { throw missing }
            return attached
        }
        guard let next = rest.first, !next.isEmpty, !next.hasPrefix("--") else { throw missing }
        rest.removeFirst()
        return next
    }
}

extension CallSettings {
    fileprivate init(_ flags: FlagValues, environment: [String: String]) throws(UsageError) {
        platform = try Self.platform(flags)
        guard let key = flags[.key] else {
            throw .missingFlag("--key", purpose: "the company's key, as the platform's operator gave it out")
        }
        self.key = key
        menuID = try Self.menuID(flags)
        signIn = try Self.signIn(flags, environment: environment)
        maximumDuration = try Self.maximumDuration(flags)
        microphonePath = flags[.microphone]
        recordingPath = flags[.record]
        expectedPath = flags[.expect]
        certificateAuthorityPath = flags[.certificateAuthority]
        printsJSON = flags[.json] != nil
        try refuseOverwriting()
    }

    private static func platform(_ flags: FlagValues) throws(UsageError) -> String {
        guard let platform = flags[.platform] else {
            throw .missingFlag("--platform", purpose: "the platform's address, like \(Flag.platform.example)")
        }
        let parts = platform.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ["http:", "https:"].contains(parts[0].lowercased()), parts[1].isEmpty,
            !parts[2].isEmpty, !parts[2].hasPrefix("/"), !parts[2].contains(where: \.isWhitespace)
        else {
            throw .invalidValue(
                flag: "--platform", value: platform,
                expected: "a whole address, like \(Flag.platform.example) or http://127.0.0.1:8080")
        }
        // The API's own path, as a platform prints it, may be pasted with the rest.
        var address = Substring(platform)
        while address.hasSuffix("/") { address = address.dropLast() }
        if address.hasSuffix("/ccai/v1") { address = address.dropLast("/ccai/v1".count) }
        return String(address)
    }

    private static func menuID(_ flags: FlagValues) throws(UsageError) -> Int {
        guard let text = flags[.menu] else {
            throw .missingFlag("--menu", purpose: "the number of the menu to call")
        }
        guard let menuID = Int(text), menuID >= 0 else {
            throw .invalidValue(
                flag: "--menu", value: text, expected: "the menu's number, like \(Flag.menu.example)")
        }
        return menuID
    }

    private static func maximumDuration(_ flags: FlagValues) throws(UsageError) -> Duration? {
        guard let text = flags[.maximumDuration] else { return nil }
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        guard isDecimal, let seconds = Double(text), (1...3_600).contains(seconds) else {
            throw .invalidValue(flag: "--max-duration", value: text, expected: "seconds, from 1 to 3600")
        }
        return .milliseconds(Int((seconds * 1_000).rounded()))
    }

    /// Flags win over the environment.
    private static func signIn(_ flags: FlagValues, environment: [String: String]) throws(UsageError)
        -> SignIn
    {
        switch (flags[.token], flags[.secret]) {
        case (_?, _?): throw .conflict("--jwt", "--dev-secret")
        case ("-", nil): return .tokenFromStandardInput
        case (let token?, nil): return .token(token)
        case (nil, let secret?): return .secret(secret)
        case (nil, nil): break
        }
        let token = environment["VOICECALL_JWT"].flatMap { $0.isEmpty ? nil : $0 }
        let secret = environment["VOICECALL_DEV_SECRET"].flatMap { $0.isEmpty ? nil : $0 }
        switch (token, secret) {
        case (_?, _?): throw .conflict("VOICECALL_JWT", "VOICECALL_DEV_SECRET")
        case (let token?, nil): return .token(token)
        case (nil, let secret?): return .secret(secret)
        case (nil, nil): throw .noToken
        }
    }

    private func refuseOverwriting() throws(UsageError) {
        guard let recordingPath else { return }
        var file = stat()
        if stat(recordingPath, &file) == 0, file.st_mode & S_IFMT != S_IFREG {
            throw .invalidValue(
                flag: "--record", value: recordingPath, expected: "a file, which no folder, pipe or device is"
            )
        }
        if let microphonePath, isSameFile(recordingPath, microphonePath) {
            throw .recordingOverwritesInput(flag: "--mic", path: recordingPath)
        }
        if let expectedPath, isSameFile(recordingPath, expectedPath) {
            throw .recordingOverwritesInput(flag: "--expect", path: recordingPath)
        }
    }
}

/// Whether two paths lead to one file, by whatever names and links.
private func isSameFile(_ left: String, _ right: String) -> Bool {
    guard left != right else { return true }
    var first = stat()
    var second = stat()
    guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}
