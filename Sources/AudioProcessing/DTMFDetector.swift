/// Hears the pairs of tones of a telephone's keys in 48 kHz sound, once a press (ITU-T Q.23, Q.24).
///
/// Every 10 ms it looks at the last 30, under a Hann window: both tones present, within 2.5 % of their frequency, not
/// too unlike in level, and with next to nothing beside them. Three such looks alike are a key: 40 ms of tone
/// always give them, 20 ms never. Four looks without it end it: so do 40 ms of pause, and an interruption of 10 ms
/// doesn't (Q.24 Annex A). Speech, which the keys' frequencies were chosen against, doesn't hold still so purely.
package struct DTMFDetector: BitwiseCopyable, Sendable {
    /// Samples that ``process(_:)`` takes at once: 10 ms at 48 kHz.
    package static var frameSamples: Int {
        @_noLocks @_noAllocation
        get { 480 }
    }

    private var decimator = DTMFDecimator()
    /// The last 30 ms at 8 kHz.
    private var samples = InlineArray<240, Float>(repeating: 0)
    /// A Hann window.
    private var window = InlineArray<240, Float>(repeating: 0)
    /// Those, under the window.
    private var windowed = InlineArray<240, Float>(repeating: 0)
    /// The four low tones and the four high ones, a sample at 8 kHz.
    private var tones = InlineArray<8, Rotation>(repeating: Rotation.none)
    private var decision = DTMFDecision()

    package init() {
        // The cosine and sine of 2π / 240.
        let step = Rotation(cosine: 0.999_657_324_975_557_3, sine: 0.026_176_948_307_873_15)
        var angle = Rotation.none
        for index in 0..<240 {
            window[index] = Float((1 - angle.cosine) / 2)
            angle = angle.followed(by: step)
        }
        for index in 0..<4 {
            tones[index] = Rotation.lowTone(row: index).repeated(6)
            tones[4 + index] = Rotation.highTone(column: index).repeated(6)
        }
    }

    /// Takes the next frame of ``frameSamples``.
    ///
    /// Real-time safe.
    ///
    /// - Returns: The key that this frame made sure of, about 45 ms after it was pressed; `nil` otherwise.
    @_noLocks @_noAllocation
    package mutating func process(_ frame: Span<Int16>) -> DTMFSignal? {
        let count = frame.count
        precondition(count == Self.frameSamples, "a frame has 10 ms")
        decimator.decimate(frame, into: &samples)
        var energy: Float = 0
        for index in 0..<240 {
            windowed[index] = samples[index] * window[index]
            energy += windowed[index] * windowed[index]
        }
        let seen = look(energy: energy)
        return decision.look(seen)
    }

    // What follows is `mutating` and changes nothing: in a function that only reads `self`, the compiler (6.3) copies a whole
    // `InlineArray` for each element that is read.

    /// What this window shows, if it is a key at all.
    @_noLocks @_noAllocation
    private mutating func look(energy: Float) -> DTMFLook? {
        // Two tones at the least level make twice 45/80 of this.
        guard energy > DTMFLook.leastTonePower / 80 else { return nil }
        let row = strongest(of: 0)
        let column = strongest(of: 4)
        guard let low = peak(near: tones[row]),
            let high = peak(near: tones[4 + column])
        else { return nil }
        // 2.5 % of each in Hz: less than the 3.5 % that Q.24 wants refused, more than its 1.5 % to be taken.
        guard low.offset.magnitude < lowFrequency(row) * 0.025,
            high.offset.magnitude < highFrequency(column) * 0.025
        else { return nil }
        return DTMFLook(
            signal: DTMFSignal(row: row, column: column), lowPower: low.power, highPower: high.power,
            energy: energy)
    }

    @_noLocks @_noAllocation
    private func lowFrequency(_ row: Int) -> Float {
        switch row {
        case 0: 697
        case 1: 770
        case 2: 852
        default: 941
        }
    }

    @_noLocks @_noAllocation
    private func highFrequency(_ column: Int) -> Float {
        switch column {
        case 0: 1_209
        case 1: 1_336
        case 2: 1_477
        default: 1_633
        }
    }

    /// The strongest of four tones, `0...3`.
    @_noLocks @_noAllocation
    private mutating func strongest(of first: Int) -> Int {
        var best = 0
        var bestPower: Float = -1
        for index in 0..<4 {
            let power = power(at: tones[first + index])
            if power > bestPower {
                best = index
                bestPower = power
            }
        }
        return best
    }

    /// The top of the parabola through three magnitudes 20 Hz apart, the middle one at `tone` or 20 Hz beside it.
    ///
    /// - Returns: `nil` if the top is further away. `offset` is in Hz.
    @_noLocks @_noAllocation
    private mutating func peak(near tone: Rotation) -> (offset: Float, power: Float)? {
        // The cosine and sine of 2π · 20 / 8000.
        let up = Rotation(cosine: 0.9998766324816606, sine: 0.015707317311820675)
        let down = up.reversed
        var below = magnitude(at: tone.followed(by: down))
        var middle = magnitude(at: tone)
        var above = magnitude(at: tone.followed(by: up))
        var center: Float = 0
        if above > middle {
            (below, middle, center) = (middle, above, 20)
            above = magnitude(at: tone.followed(by: up).followed(by: up))
        } else if below > middle {
            (above, middle, center) = (middle, below, -20)
            below = magnitude(at: tone.followed(by: down).followed(by: down))
        }
        guard middle > 0, middle >= above, middle >= below else { return nil }
        let bend = 2 * middle - above - below
        guard bend > 0 else { return nil }
        let shift = (above - below) / (2 * bend)
        let top = middle + (above - below) * shift / 4
        return (center + 20 * shift, top * top)
    }

    // Not analysed: the standard library has no mark on what is one instruction.
    @_semantics("no_performance_analysis")
    private mutating func magnitude(at tone: Rotation) -> Float {
        max(0, power(at: tone)).squareRoot()
    }

    /// The power at one frequency, by Goertzel's recurrence (American Mathematical Monthly 65, 1958).
    @_noLocks @_noAllocation
    private mutating func power(at tone: Rotation) -> Float {
        let coefficient = Float(2 * tone.cosine)
        var (last, beforeLast): (Float, Float) = (0, 0)
        for index in 0..<240 {
            let next = windowed[index] + coefficient * last - beforeLast
            beforeLast = last
            last = next
        }
        return last * last + beforeLast * beforeLast - coefficient * last * beforeLast
    }
}
