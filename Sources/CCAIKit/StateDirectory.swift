internal import Foundation

/// The files that outlive the program: `$XDG_STATE_HOME/ccai`, or `~/.local/state/ccai`; readable by this user only.
struct StateDirectory: Sendable {
    let path: String

    /// The user's directory, or `nil` when the environment names no home.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        // The specification says that a relative path must be ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            path = state + "/ccai"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.local/state/ccai"
        } else {
            return nil
        }
    }

    /// The content of `name`, or `nil` when there is none.
    func read(_ name: String) -> String? {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(name)"), data.count < 65_536 else {
            return nil
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// Replaces `name` at once and whole.
    ///
    /// A failure is left alone: the next start then asks again.
    func write(_ text: String, to name: String) {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let temporary = "\(path)/.\(name).\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        } catch {
            unlink(temporary)
            return
        }
        if rename(temporary, "\(path)/\(name)") != 0 { unlink(temporary) }
    }

    /// Removes `name` if it is there.
    func remove(_ name: String) {
        unlink("\(path)/\(name)")
    }

    /// This installation's id, made once.
    func deviceID() -> String {
        if let known = read("device-id").flatMap(UUID.init(uuidString:)) { return known.uuidString }
        let fresh = UUID().uuidString
        write(fresh, to: "device-id")
        return fresh
    }

    /// The name of the token's file, one for each host and key; FNV-1a, since a key needn't be a file name.
    static func tokenFile(host: String, key: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(host)\n\(key)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return "token-" + String(hash, radix: 16)
    }
}
