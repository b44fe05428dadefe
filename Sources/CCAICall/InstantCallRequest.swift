/// What the user answered to the question for consent to recording.
public enum RecordingPermission: String, Hashable, Sendable {
    /// The menu doesn't ask.
    case notAsked
    /// The call may be recorded.
    case granted
    /// The call must not be recorded.
    case denied

    var wireValue: String { self == .notAsked ? "not_asked" : rawValue }
}

/// A call to be placed at once.
public struct InstantCallRequest: Hashable, Sendable {
    /// The menu's id.
    public let menuId: Int
    /// The answer to the question for consent to recording.
    public let recordingPermission: RecordingPermission
    /// A ticket in the company's own system that the call belongs to.
    public let ticketId: String?

    /// Creates a request.
    public init(menuId: Int, recordingPermission: RecordingPermission = .notAsked, ticketId: String? = nil) {
        self.menuId = menuId
        self.recordingPermission = recordingPermission
        self.ticketId = ticketId
    }
}
