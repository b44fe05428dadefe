package import SoundJudge

/// What a call was worth, and what the program exits with.
package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case good
    case usage
    case unreachable
    case refused
    case failed
    case silent
    case unexpectedSound = "unexpected_sound"
    case interrupted

    package var exitCode: Int32 {
        switch self {
        case .good: 0
        case .usage: 2
        case .unreachable: 3
        case .refused: 4
        case .failed: 5
        case .silent: 6
        case .unexpectedSound: 7
        case .interrupted: 130
        }
    }

    /// For the list in `--help`.
    package var meaning: String {
        switch self {
        case .good: "the call was held, and what had to be heard was heard"
        case .usage: "the command line, or a file or token that it names, can't be used"
        case .unreachable: "the platform can't be reached"
        case .refused: "the sign-in, the menu or the media was refused, or the call deflected"
        case .failed: "the call failed after it had begun"
        case .silent: "no sound came from the other side"
        case .unexpectedSound: "sound came, but not the one of --expect"
        case .interrupted: "stopped by Ctrl-C; the report is written all the same"
        }
    }
}

/// How a call ended.
package enum CallEnding: Hashable, Sendable {
    /// We hung up when it was time.
    case hungUp
    /// The other side hung up.
    case remoteHungUp
    /// No media came at all, for as long as it may take.
    case mediaMissing
    case cannotReach(String)
    case refused(String)
    case failed(String)
    /// What the user gave can't be used: a file, a token, a secret.
    case unusable(String)
    /// By a signal.
    case interrupted

    /// What went wrong, if something did.
    package var problem: String? {
        switch self {
        case .cannotReach(let text), .refused(let text), .failed(let text), .unusable(let text): text
        case .mediaMissing:
            "no media came from the platform; does it send to this machine's address, and does a firewall let UDP in?"
        case .hungUp, .remoteHungUp, .interrupted: nil
        }
    }
}

/// Judges a call by how it ended and by the sound that came; packets alone count for nothing.
///
/// - Parameters:
///   - ending: How the call ended.
///   - heard: The sound of the other side, as recorded; `nil` when nothing was recorded.
///   - expectation: The expected sound in that recording; `nil` when none was expected.
/// - Returns: The verdict.
package func judge(ending: CallEnding, heard: SoundActivity?, expectation: ExpectedSound?) -> Verdict {
    switch ending {
    case .cannotReach: return .unreachable
    case .refused: return .refused
    case .failed: return .failed
    case .unusable: return .usage
    case .interrupted: return .interrupted
    case .mediaMissing: return .silent
    case .hungUp, .remoteHungUp: break
    }
    guard let heard, heard.activeDuration >= leastSound else { return .silent }
    guard let expectation else { return .good }
    return expectation.isFound ? .good : .unexpectedSound
}

/// Less than this is a click, not a sound.
private var leastSound: Duration { .milliseconds(200) }
