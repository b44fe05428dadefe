internal import Glibc

/// A call that the system refused.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name and what it was for: `bind 127.0.0.1:5004`.
    package let operation: String
    /// The `errno` value.
    package let code: Int32

    package init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    package var description: String { "\(operation): \(Self.reason(code))" }

    /// The system's words for an `errno` value.
    package static func reason(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}

/// Makes a result of -1 an error with the present `errno`.
func valueOrError(_ result: Int32, _ operation: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(operation(), code: errno) }
    return result
}

/// Makes a result of -errno an error.
func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(SystemError) {
    guard result >= 0 else { throw SystemError(operation(), code: -result) }
}
