/// What the command line asks for.
package struct CommandLineOptions: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case run
        case check
        case printConfiguration
        case help
    }

    /// What is wrong with a command line, for people.
    package struct Misuse: Error, Hashable, Sendable {
        package let message: String

        package init(message: String) {
            self.message = message
        }
    }

    package var action = Action.run
    package var configurationPath: String?
    package var port: UInt16?
    package var isQuiet = false
    package var isVerbose = false

    /// - Parameter arguments: Without the program's name.
    /// - Throws: ``Misuse`` at the first thing that is wrong.
    package init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let (name, inline) = Self.split(argument)
            switch name {
            case "--help", "-h": action = .help
            case "--check": action = .check
            case "--print-config": action = .printConfiguration
            case "--quiet": isQuiet = true
            case "--verbose": isVerbose = true
            case "--config": configurationPath = try Self.value(of: name, inline, &rest)
            case "--port":
                let text = try Self.value(of: name, inline, &rest)
                guard let number = UInt16(text) else {
                    throw Misuse(message: "--port: expected a number from 0 to 65535, found \"\(text)\"")
                }
                port = number
            default: throw Misuse(message: "unknown argument \"\(argument)\"")
            }
            if inline != nil, name != "--config", name != "--port" {
                throw Misuse(message: "\(name) takes no value")
            }
        }
        guard !(isQuiet && isVerbose) else {
            throw Misuse(message: "--quiet and --verbose exclude each other")
        }
        guard action == .help || action == .printConfiguration || configurationPath != nil else {
            throw Misuse(message: "--config FILE is missing")
        }
    }

    /// `--name=value` in its parts.
    private static func split(_ argument: String) -> (name: String, inline: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }

    private static func value(
        of name: String, _ inline: String?, _ rest: inout ArraySlice<String>
    ) throws(Misuse) -> String {
        guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
            throw Misuse(message: "\(name) needs a value")
        }
        return value
    }
}
