/// Sounds the pair of tones of one key (ITU-T Q.23) at 48 kHz, for lines without telephone events.
///
/// The high tone stands at -11 dBov and the low one 2 dB below, as ETSI ES 201 235-2 wants a sender to make up
/// for the line; that is -5 and -7 dBm0 of G.711 (0 dBov being 6.15 dBm0, ITU-T G.100.1), well inside the 0 to
/// -25 dBm0 that exchanges take (ITU-T Q.24 Annex A). Tones begin and end in 5 ms, so that nothing clicks.
package struct DTMFGenerator: BitwiseCopyable, Sendable {
    /// Samples in which a tone rises, and in which it falls: 5 ms.
    package static var edgeSamples: Int {
        @_noLocks @_noAllocation
        get { 240 }
    }
    /// 32768 · √2 · 10^(-11 / 20), and 2 dB less.
    private static var highAmplitude: Double {
        @_noLocks @_noAllocation
        get { 13_060.654 }
    }
    private static var lowAmplitude: Double {
        @_noLocks @_noAllocation
        get { 10_374.446 }
    }

    private var lowStep = Rotation.none
    private var highStep = Rotation.none
    private var low = Rotation.none
    private var high = Rotation.none
    /// Samples since the tone began, of the `toneSamples` and of the pause behind them.
    private var position = 0
    private var toneSamples = 0
    private var totalSamples = 0

    package init() {}

    /// Whether neither tone nor pause is left to be generated.
    package var isIdle: Bool {
        @_noLocks @_noAllocation
        get { position >= totalSamples }
    }

    /// Begins the tones of `signal`, in place of what was sounding: wait for ``isIdle``, or it clicks.
    ///
    /// - Parameters:
    ///   - signal: The key.
    ///   - toneSamples: Edges included, at least two of ``edgeSamples``.
    ///   - pauseSamples: Silence behind, before ``isIdle``.
    @_noLocks @_noAllocation
    package mutating func begin(_ signal: DTMFSignal, toneSamples: Int, pauseSamples: Int) {
        precondition(toneSamples >= 2 * Self.edgeSamples, "a tone has two edges")
        precondition(pauseSamples >= 0, "a pause is not negative")
        lowStep = Rotation.lowTone(row: signal.row)
        highStep = Rotation.highTone(column: signal.column)
        low = Rotation.none
        high = Rotation.none
        position = 0
        self.toneSamples = toneSamples
        totalSamples = toneSamples + pauseSamples
    }

    /// Fills `frame` with the next samples: tones, and zeros where there are none.
    ///
    /// Real-time safe.
    @_noLocks @_noAllocation
    package mutating func generate(into frame: inout MutableSpan<Int16>) {
        var index = 0
        while index < frame.count {
            frame[index] = position < toneSamples ? nextSample() : 0
            if position < totalSamples { position += 1 }
            index += 1
        }
    }

    @_noLocks @_noAllocation
    private mutating func nextSample() -> Int16 {
        let sum = Self.lowAmplitude * low.sine + Self.highAmplitude * high.sine
        low = low.followed(by: lowStep)
        high = high.followed(by: highStep)
        // Adding 1.5 · 2^52 leaves the rounded sum in the low bits: no checked conversion for each sample.
        return Int16(truncatingIfNeeded: (sum * gain() + 6_755_399_441_055_744).bitPattern)
    }

    /// The edges' curve, 3t² - 2t³: level at both ends.
    @_noLocks @_noAllocation
    private func gain() -> Double {
        let nearest = min(position, toneSamples - 1 - position)
        guard nearest < Self.edgeSamples else { return 1 }
        let t = Double(nearest) / Double(Self.edgeSamples)
        return t * t * (3 - 2 * t)
    }
}
