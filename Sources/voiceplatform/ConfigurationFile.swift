import Glibc

/// Why a configuration file can't be used, for people.
package enum ConfigurationFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's reason.
    case unreadable(String)
    case syntax(JSONSyntaxError)
    case shape(JSONShapeError)

    package var description: String {
        switch self {
        case .unreadable(let reason): "cannot read the file: \(reason)"
        case .syntax(let error): "not JSON: \(error)"
        case .shape(let error): error.description
        }
    }
}

extension PlatformConfiguration {
    /// Reads and checks the file at `path`; file names in it are relative to its folder.
    package init(contentsOf path: String) throws(ConfigurationFileError) {
        guard let octets = Self.contents(of: path) else {
            throw .unreadable(String(cString: strerror(errno)))
        }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONValue(parsing: octets)
        } catch { throw .syntax(error) }
        do throws(JSONShapeError) {
            try self.init(json: json, folder: folder, readFile: Self.contents)
        } catch { throw .shape(error) }
    }

    /// The octets of a file, or `nil` with `errno`.
    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return octets }
            octets += block[..<count]
        }
    }
}
