internal import MediaTime

/// How a background sounds: its power, and an all-pole model of its spectrum (the reflection coefficients of its linear
/// prediction).
package struct NoiseShape: BitwiseCopyable, Sendable {
    package static var maximumOrder: Int { 12 }

    /// Mean square of the samples.
    package var meanSquare: Float
    /// Coefficients of ``reflection`` that count, `0...maximumOrder`.
    package var order: Int
    /// Each between -1 and 1; -1 for the first is a low rumble, 1 a hiss.
    package var reflection: InlineArray<12, Float>

    package init(meanSquare: Float, order: Int, reflection: InlineArray<12, Float>) {
        self.meanSquare = meanSquare
        self.order = order
        self.reflection = reflection
    }
}

/// Listens to a background and finds its ``NoiseShape``.
///
/// Real-time safe after `init`.
package struct NoiseAnalyzer: ~Copyable {
    /// Of the model: what G.711 appendix II has.
    private static var order: Int { 10 }
    private static var windowSamples: Int { 160 }

    private var recent = FixedBuffer<Int16>(repeating: 0, count: windowSamples)
    private var windowed = FixedBuffer<Float>(repeating: 0, count: windowSamples)
    private var correlation = InlineArray<11, Float>(repeating: 0)
    private var meanSquare: Float = 0
    private var frames = 0

    package init() {}

    /// Forgets what was heard, as when somebody talks.
    package mutating func reset() {
        frames = 0
        meanSquare = 0
        correlation = InlineArray(repeating: 0)
    }

    /// Listens to the next 10 ms at 8 kHz, at most ``windowSamples``.
    package mutating func add(_ samples: Span<Int16>) {
        let kept = min(samples.count, Self.windowSamples)
        recent.moveToFront(kept..<Self.windowSamples)
        recent.replace(at: Self.windowSamples - kept, with: samples.extracting(last: kept))
        frames += 1
        // The first frames weigh alike, later ones a quarter.
        let weight = max(0.25, 1 / Float(frames))
        var power: Float = 0
        for index in samples.indices { power += Float(samples[index]) * Float(samples[index]) }
        meanSquare += weight * (power / Float(max(1, samples.count)) - meanSquare)
        Self.window(recent, into: &windowed)
        for lag in 0...Self.order {
            var sum: Float = 0
            for index in lag..<Self.windowSamples { sum += windowed[index] * windowed[index - lag] }
            correlation[lag] += weight * (sum - correlation[lag])
        }
    }

    /// What was heard since the last ``reset()``.
    package var shape: NoiseShape {
        var shape = NoiseShape(meanSquare: meanSquare, order: 0, reflection: InlineArray(repeating: 0))
        guard correlation[0] >= 1 else { return shape }
        // Levinson and Durbin's recursion. A little white noise keeps what is almost a tone from an all too sharp filter.
        var error = correlation[0] * 1.001
        var predictor = InlineArray<11, Float>(repeating: 0)
        for step in 1...Self.order {
            var sum = correlation[step]
            for index in 1..<step { sum += predictor[index] * correlation[step - index] }
            let reflection = max(-0.99, min(0.99, -sum / error))
            for index in 1..<((step + 1) / 2) {
                let (low, high) = (predictor[index], predictor[step - index])
                predictor[index] = low + reflection * high
                predictor[step - index] = high + reflection * low
            }
            if step.isMultiple(of: 2) { predictor[step / 2] *= 1 + reflection }
            predictor[step] = reflection
            shape.reflection[step - 1] = reflection
            error *= 1 - reflection * reflection
        }
        shape.order = Self.order
        return shape
    }

    /// `samples` under a parabola, which needs no cosine and does here what a Hann window does.
    private static func window(
        _ samples: borrowing FixedBuffer<Int16>, into windowed: inout FixedBuffer<Float>
    ) {
        let middle = Float(windowSamples - 1) / 2
        for index in 0..<windowSamples {
            let place = (Float(index) - middle) / (middle + 1)
            windowed[index] = Float(samples[index]) * (1 - place * place)
        }
    }
}

/// Makes noise of a ``NoiseShape``, the same for the same seed.
///
/// Real-time safe.
package struct NoiseGenerator: BitwiseCopyable, Sendable {
    private var random: SplitMix64
    private var shape = NoiseShape(meanSquare: 0, order: 0, reflection: InlineArray(repeating: 0))
    /// Of the excitation: what is aimed at, and where it is on the way there.
    private var wantedAmplitude: Float = 0
    private var amplitude: Float = 0
    private var backward = InlineArray<13, Float>(repeating: 0)

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Goes over to `shape`, within some 25 ms at 8 kHz.
    package mutating func setShape(_ shape: NoiseShape) {
        var shape = shape
        shape.order = max(0, min(shape.order, NoiseShape.maximumOrder))
        // The filter gains what prediction takes away. Uniform noise has a third of its peak's square as power.
        var power = 3 * max(0, shape.meanSquare)
        for index in 0..<shape.order {
            shape.reflection[index] = max(-0.9999, min(0.9999, shape.reflection[index]))
            power *= 1 - shape.reflection[index] * shape.reflection[index]
        }
        wantedAmplitude = power.squareRoot()
        self.shape = shape
    }

    /// Fills `samples`.
    package mutating func generate(into samples: inout MutableSpan<Int16>) {
        for index in samples.indices {
            amplitude += (wantedAmplitude - amplitude) * 0.005
            samples[index] = nextSample()
        }
    }

    /// One step of the lattice: stable for reflection coefficients of any size below 1, also while they change.
    private mutating func nextSample() -> Int16 {
        let uniform = Float(Int32(truncatingIfNeeded: random.next() >> 32)) / 2_147_483_648
        var forward = uniform * amplitude
        var stage = shape.order
        while stage > 0 {
            stage -= 1
            forward -= shape.reflection[stage] * backward[stage]
            backward[stage + 1] = backward[stage] + shape.reflection[stage] * forward
        }
        backward[0] = forward
        return Int16(max(-32_768, min(32_767, forward.rounded())))
    }
}
