/// The gain of a mute switch: 5 ms from one side to the other at 48 kHz, so that nothing clicks.
///
/// The curve is `3t² - 2t³`, level at both ends. A switch thrown back in mid-fade turns round from where the
/// gain is. What is muted is digital silence: exact zeros.
package struct MuteFade: BitwiseCopyable, Sendable {
    /// Samples that a whole fade takes: 5 ms at 48 kHz.
    package static var fadeSamples: Int { 240 }

    /// Where the switch stands; the gain follows within ``fadeSamples``.
    package private(set) var isMuted: Bool
    /// `0` is silence, `fadeSamples` is unchanged.
    private var position: Int

    package init(isMuted: Bool = false) {
        self.isMuted = isMuted
        position = isMuted ? 0 : Self.fadeSamples
    }

    /// Whether the fade to silence is over: all that follows is zeros.
    package var isSilent: Bool { isMuted && position == 0 }

    @_noLocks @_noAllocation
    package mutating func setMuted(_ isMuted: Bool) {
        self.isMuted = isMuted
    }

    /// Applies the gain to the next samples of the stream.
    ///
    /// Real-time safe.
    @_noLocks @_noAllocation
    package mutating func apply(to samples: inout MutableSpan<Int16>) {
        let end = isMuted ? 0 : Self.fadeSamples
        var index = 0
        while position != end && index < samples.count {
            position += isMuted ? -1 : 1
            samples[index] = faded(samples[index])
            index += 1
        }
        guard position == 0 else { return }
        while index < samples.count {
            samples[index] = 0
            index += 1
        }
    }

    @_noLocks @_noAllocation
    private func faded(_ sample: Int16) -> Int16 {
        let length = Int64(Self.fadeSamples)
        let step = Int64(position)
        let weight = step * step * (3 * length - 2 * step)
        return Int16(truncatingIfNeeded: Int64(sample) * weight / (length * length * length))
    }
}
