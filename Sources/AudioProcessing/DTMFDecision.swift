/// One look at 30 ms of sound that may be a key.
struct DTMFLook: BitwiseCopyable, Sendable {
    let signal: DTMFSignal
    /// Squared magnitudes of the two tones under the window, `3600 · amplitude²`.
    let lowPower, highPower: Float
    /// The windowed samples' energy: a tone alone gives `45 · amplitude²`, that is 1/80 of its power.
    let energy: Float

    @_noLocks @_noAllocation
    init(signal: DTMFSignal, lowPower: Float, highPower: Float, energy: Float) {
        self.signal = signal
        self.lowPower = lowPower
        self.highPower = highPower
        self.energy = energy
    }

    /// The power of -45 dBov, `7200 · 32768² · 10^(-4.5)`.
    ///
    /// Exchanges take -25 dBm0 (Q.24 Annex A), which is -31 dBov.
    static var leastTonePower: Float {
        @_noLocks @_noAllocation
        get { 2.444_7e8 }
    }

    var power: Float {
        @_noLocks @_noAllocation
        get { lowPower + highPower }
    }

    /// Whether the window is full of the key: noise 15 dB down leaves 0.97 of the energy in the tones.
    var isClear: Bool {
        @_noLocks @_noAllocation
        get { power >= 0.88 * 80 * energy }
    }

    /// Whether level, twist and purity are a key's.
    ///
    /// Q.24 Annex A has a high tone up to 4 dB above the low one and 8 dB below to be taken; this leaves 2 dB more
    /// for what measuring adds. A window that has only 20 ms of the tone shows 0.74 of its energy as tones.
    var isKey: Bool {
        @_noLocks @_noAllocation
        get {
            lowPower >= Self.leastTonePower && highPower >= Self.leastTonePower
                && highPower <= lowPower * 3.98 && lowPower <= highPower * 10
                && power >= 0.68 * 80 * energy
        }
    }
}

/// Makes presses of looks: three alike, one of them clear, begin one, and four without it end it.
struct DTMFDecision: BitwiseCopyable, Sendable {
    private struct Candidate: BitwiseCopyable {
        var signal: DTMFSignal
        /// Of the last look that showed it.
        var power: Float
        var looks: Int
        /// Whether one of them was clear.
        var isClear: Bool

        @_noLocks @_noAllocation
        init(_ look: DTMFLook) {
            signal = look.signal
            power = look.power
            looks = 1
            isClear = look.isClear
        }

        /// Whether `look` shows the same, as loud within 4 dB.
        @_noLocks @_noAllocation
        func matches(_ look: DTMFLook) -> Bool {
            look.signal == signal && look.power <= power * 2.51 && look.power >= power * 0.398
        }
    }

    private static var looksToBegin: Int {
        @_noLocks @_noAllocation
        get { 3 }
    }
    private static var missesToEnd: Int {
        @_noLocks @_noAllocation
        get { 4 }
    }

    /// What may become a press; its looks count those that showed it.
    private var candidate: Candidate?
    /// The press going on; its looks count those that missed it.
    private var pressed: Candidate?

    init() {}

    /// - Parameter look: `nil` for what showed no pair of tones.
    /// - Returns: A key, once a press.
    @_noLocks @_noAllocation
    mutating func look(_ look: DTMFLook?) -> DTMFSignal? {
        guard let look, look.isKey else {
            miss()
            candidate = nil
            return nil
        }
        if var held = pressed, held.matches(look) {
            held.power = look.power
            held.looks = 0
            pressed = held
            candidate = nil
            return nil
        }
        if let began = consider(look) { return began }
        if case .some = candidate { miss() }
        return nil
    }

    /// Counts `look`; with the third alike, a press begins, or the one going on has changed its level.
    @_noLocks @_noAllocation
    private mutating func consider(_ look: DTMFLook) -> DTMFSignal? {
        var next = Candidate(look)
        if let candidate, candidate.matches(look) {
            next.looks = candidate.looks + 1
            next.isClear = candidate.isClear || look.isClear
        }
        guard next.looks >= Self.looksToBegin, next.isClear else {
            candidate = next
            return nil
        }
        candidate = nil
        next.looks = 0
        let before = pressed
        pressed = next
        if let before, before.signal == next.signal { return nil }
        return next.signal
    }

    @_noLocks @_noAllocation
    private mutating func miss() {
        guard var held = pressed else { return }
        held.looks += 1
        pressed = held.looks < Self.missesToEnd ? held : nil
    }
}
