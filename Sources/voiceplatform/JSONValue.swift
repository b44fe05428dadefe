import FoundationEssentials

/// Any JSON (RFC 8259), for texts whose shape is checked member by member with a path to what is wrong.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a whole text in UTF-8.
    ///
    /// - Throws: ``JSONSyntaxError``; also for nesting deeper than 512.
    package init(parsing octets: [UInt8]) throws(JSONSyntaxError) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(octets)) else {
            throw JSONSyntaxError(locating: octets)
        }
        self = value
    }

    /// The text on one line, members in the order of their names.
    package var octets: [UInt8] { encoded([.sortedKeys, .withoutEscapingSlashes]) }

    /// The text for people, indented.
    package var indentedOctets: [UInt8] { encoded([.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]) }

    private func encoded(_ formatting: JSONEncoder.OutputFormatting) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        // Only a number that isn't finite can fail, and none is ever read or made.
        guard let data = try? encoder.encode(self) else { return Array("null".utf8) }
        return [UInt8](data)
    }

    /// The value in a few words for an error: long or nested ones only by their kind.
    package var summary: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value.count <= 40 ? "\"\(value)\"" : "a string of \(value.count) characters"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: AnyKey.self) {
            var object: [String: JSONValue] = [:]
            for key in members.allKeys {
                object[key.stringValue] = try members.decode(JSONValue.self, forKey: key)
            }
            self = .object(object)
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
            return
        }
        let scalar = try decoder.singleValueContainer()
        if scalar.decodeNil() {
            self = .null
        } else if let value = try? scalar.decode(String.self) {
            self = .string(value)
        } else if let value = try? scalar.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? scalar.decode(Bool.self) {
            self = .bool(value)
        } else {
            self = .number(try scalar.decode(Double.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var scalar = encoder.singleValueContainer()
        switch self {
        case .null: try scalar.encodeNil()
        case .bool(let value): try scalar.encode(value)
        case .integer(let value): try scalar.encode(value)
        case .number(let value): try scalar.encode(value)
        case .string(let value): try scalar.encode(value)
        case .array(let value): try scalar.encode(value)
        case .object(let value): try scalar.encode(value)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    package init(floatLiteral value: Double) {
        self = .number(value)
    }

    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    package init(nilLiteral: ()) {
        self = .null
    }

    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }

    /// The text, or `null` for none.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}
