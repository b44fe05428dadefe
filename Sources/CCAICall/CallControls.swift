internal import Synchronization
internal import VoiceEngine

/// What the program can set at any time, and the media it applies to while there is a call.
///
/// Setting and applying are one step under the lock, so that both always agree.
final class CallControls: Sendable {
    private struct State {
        var isMuted = false
        var isOnHold = false
        var input: AudioInput
        var media: (any CallMedia)?
        var finalStatistics: SessionStatistics?
    }
    private let state: Mutex<State>

    init(input: AudioInput) {
        state = Mutex(State(input: input))
    }

    var isMuted: Bool { state.withLock { $0.isMuted } }

    var isOnHold: Bool { state.withLock { $0.isOnHold } }

    var input: AudioInput { state.withLock { $0.input } }

    var isInCall: Bool { state.withLock { $0.media != nil } }

    var statistics: SessionStatistics? {
        state.withLock { $0.media?.statistics ?? $0.finalStatistics }
    }

    func setMuted(_ isMuted: Bool) {
        state.withLock { state in
            state.isMuted = isMuted
            state.media?.setMuted(isMuted)
        }
    }

    /// Returns whether there is a call to hold.
    func setOnHold(_ isOnHold: Bool) -> Bool {
        state.withLock { state in
            guard let media = state.media else { return false }
            state.isOnHold = isOnHold
            media.setOnHold(isOnHold)
            return true
        }
    }

    /// Returns whether there is a call to send them in.
    func sendDigits(_ digits: String) throws(VoiceEngineError) -> Bool {
        try state.withLock { state throws(VoiceEngineError) in
            guard let media = state.media else { return false }
            try media.sendDigits(digits)
            return true
        }
    }

    func setInput(_ input: AudioInput) {
        state.withLock { state in
            state.input = input
            state.media?.setInput(input)
        }
    }

    /// Applies everything to `media`, which was made with `input`.
    func attach(_ media: any CallMedia, madeWith input: AudioInput) {
        state.withLock { state in
            state.media = media
            if state.isMuted { media.setMuted(true) }
            if state.input != input { media.setInput(state.input) }
        }
    }

    /// The call is over; muting and holding go with it.
    func detach(_ finalStatistics: SessionStatistics) {
        state.withLock { state in
            state.media = nil
            state.finalStatistics = finalStatistics
            state.isMuted = false
            state.isOnHold = false
        }
    }
}
