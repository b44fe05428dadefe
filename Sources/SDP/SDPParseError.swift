/// Why a text is not a session description that one could work with.
///
/// Lines count from 1. No case repeats the text, which may hold keys.
package enum SDPParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than ``SessionDescription/maximumLength`` octets.
    case tooLong(octets: Int)
    /// More than ``SessionDescription/maximumMediaCount`` media sections.
    case tooManyMediaSections(line: Int)
    /// Nothing but line ends.
    case empty
    /// The first line is not `v=0`.
    case noVersion(line: Int)
    /// An `m=` line without media, port and protocol, or with a port that is none.
    case malformedMedia(line: Int)
    /// A `c=` line that is not `IN IP4` or `IN IP6` and an address.
    case malformedConnection(line: Int)

    package var description: String {
        switch self {
        case .tooLong(let octets): "it has \(octets) octets, more than any description"
        case .tooManyMediaSections(let line): "line \(line) begins one media section too many"
        case .empty: "it is empty"
        case .noVersion(let line): "line \(line) is not v=0"
        case .malformedMedia(let line): "line \(line) is no media line (m=)"
        case .malformedConnection(let line): "line \(line) is no connection line (c=IN IP4 address)"
        }
    }
}

/// What was wrong with a description, and overlooked.
package struct SDPWarning: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Not a letter, an equals sign and a value: ignored.
        case malformedLine
        /// A second one of a line that there is only one of: ignored.
        case repeatedLine
        /// Against the order of RFC 8866 §9.
        case outOfOrder
        /// `a=` without a name: ignored.
        case namelessAttribute
        /// An `o=` line that says less than it has to: ignored.
        case malformedOrigin
    }

    package var kind: Kind
    /// From 1.
    package var line: Int

    package init(kind: Kind, line: Int) {
        self.kind = kind
        self.line = line
    }
}
