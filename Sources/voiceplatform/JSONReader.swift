/// A JSON value of the wrong shape: where, what was expected, what was found.
package struct JSONShapeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From the top: `menus[2].id`; empty for the top itself.
    package let path: String
    /// What is wrong there, for people.
    package let message: String

    package var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

/// Reads a JSON value by its shape, and knows the path to it for errors.
package struct JSONReader {
    package let value: JSONValue
    package let path: String

    package init(_ value: JSONValue, path: String = "") {
        self.value = value
        self.path = path
    }

    /// An error at this value.
    package func wrong(_ message: String) -> JSONShapeError {
        JSONShapeError(path: path, message: message)
    }

    private func expected(_ shape: String) -> JSONShapeError {
        wrong("expected \(shape), found \(value.summary)")
    }

    private func object() throws(JSONShapeError) -> [String: JSONValue] {
        guard case .object(let members) = value else { throw expected("an object") }
        return members
    }

    /// The member called `name`; `nil` also for `null`.
    package func optional(_ name: String) throws(JSONShapeError) -> JSONReader? {
        guard let member = try object()[name], member != .null else { return nil }
        return JSONReader(member, path: path.isEmpty ? name : "\(path).\(name)")
    }

    /// The member called `name`, which must be there.
    package func required(_ name: String) throws(JSONShapeError) -> JSONReader {
        guard let member = try optional(name) else {
            throw JSONShapeError(path: path.isEmpty ? name : "\(path).\(name)", message: "missing")
        }
        return member
    }

    /// Refuses members other than `names`: in a file that people write, they are typing errors.
    package func allowOnly(_ names: [String]) throws(JSONShapeError) {
        for name in try object().keys.sorted() where !names.contains(name) {
            throw JSONShapeError(
                path: path.isEmpty ? name : "\(path).\(name)",
                message: "unknown key; known here: \(names.sorted().joined(separator: ", "))")
        }
    }

    /// The elements of an array.
    package func elements() throws(JSONShapeError) -> [JSONReader] {
        guard case .array(let values) = value else { throw expected("an array") }
        return values.enumerated().map { JSONReader($0.element, path: "\(path)[\($0.offset)]") }
    }

    package func bool() throws(JSONShapeError) -> Bool {
        guard case .bool(let value) = value else { throw expected("true or false") }
        return value
    }

    package func integer(in range: ClosedRange<Int64> = .min ... .max) throws(JSONShapeError) -> Int64 {
        guard case .integer(let integer) = value else { throw expected("an integer") }
        guard range.contains(integer) else {
            throw expected("an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A text of at least one character.
    package func text() throws(JSONShapeError) -> String {
        guard case .string(let text) = value else { throw expected("a string") }
        guard !text.isEmpty else { throw wrong("expected a string that isn't empty") }
        return text
    }

    /// One of `choices`.
    package func choice(_ choices: [String]) throws(JSONShapeError) -> String {
        let text = try text()
        guard choices.contains(text) else { throw expected("one of \(choices.joined(separator: ", "))") }
        return text
    }
}
