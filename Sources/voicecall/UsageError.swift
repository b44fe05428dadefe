/// What is wrong with a command line.
///
/// ``description`` names the argument and the fix.
package enum UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    case noCommand
    case unknownCommand(String)
    case unknownFlag(String)
    case unexpectedArgument(String)
    case missingValue(flag: String, example: String)
    case unwantedValue(flag: String)
    case repeatedFlag(String)
    case missingFlag(String, purpose: String)
    case invalidValue(flag: String, value: String, expected: String)
    case conflict(String, String)
    case noToken
    case recordingOverwritesInput(flag: String, path: String)

    package var description: String {
        switch self {
        case .noCommand:
            "no command given; to place a call: voicecall call --help"
        case .unknownCommand(let command):
            "there is no command \"\(command)\"; the one there is: voicecall call"
        case .unknownFlag(let flag):
            "there is no flag \(flag); see voicecall call --help"
        case .unexpectedArgument(let argument):
            "\"\(argument)\" belongs to no flag; quote values that hold spaces"
        case .missingValue(let flag, let example):
            "\(flag) needs a value: \(flag) \(example)"
        case .unwantedValue(let flag):
            "\(flag) takes no value; leave out what follows the ="
        case .repeatedFlag(let flag):
            "\(flag) is given twice; give it once"
        case .missingFlag(let flag, let purpose):
            "\(flag) is missing: \(purpose)"
        case .invalidValue(let flag, let value, let expected):
            "\(flag) \(value): give \(expected)"
        case .conflict(let first, let second):
            "\(first) and \(second) exclude each other; give one"
        case .noToken:
            "no way to sign in; give --jwt TOKEN (or --jwt - to read it from standard input), or --dev-secret SECRET for a"
                + " platform of your own; or set VOICECALL_JWT or VOICECALL_DEV_SECRET"
        case .recordingOverwritesInput(let flag, let path):
            "--record and \(flag) both name \(path), which the recording would overwrite; record into another file"
        }
    }
}
