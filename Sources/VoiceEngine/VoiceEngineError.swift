/// What a ``VoiceEngine`` operation can fail with: a code to act on, and a message to show or log.
public struct VoiceEngineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of failure; more may be added, so always handle `default`.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case network, invalidDescription, mediaRejected, encryptionRequired, audioFile, closed, thread,
                digits, offerPending
        }
        private let value: Value

        /// A socket could not be opened or bound; the message names the address and the system's reason.
        public static let network = Self(value: .network)
        /// A session description (SDP, RFC 8866) could not be read; the message names the line.
        public static let invalidDescription = Self(value: .invalidDescription)
        /// The other side refused the audio, or has no codec in common with us (RFC 3264 §6).
        public static let mediaRejected = Self(value: .mediaRejected)
        /// The other side offers or answers without SRTP, and the session requires it.
        public static let encryptionRequired = Self(value: .encryptionRequired)
        /// Both sides offer at the same time (RFC 3264 §4); one must withdraw.
        public static let offerPending = Self(value: .offerPending)
        /// An audio file is missing, empty, or holds no audio; or a recording can't be written.
        public static let audioFile = Self(value: .audioFile)
        /// The session or the engine has been closed.
        public static let closed = Self(value: .closed)
        /// Digits can't be sent: a character that is none, too many at once, or no way that the other side understands.
        public static let digits = Self(value: .digits)
        /// The system refused a thread or a file descriptor.
        public static let thread = Self(value: .thread)
    }

    /// What to act on.
    public let code: Code
    /// What went wrong and what to do about it, for people; not for parsing.
    public let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
