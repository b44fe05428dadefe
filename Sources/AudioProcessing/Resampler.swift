internal import CSpeexDSP

/// Why a ``Resampler`` could not be made.
package enum ResamplerError: Error, Hashable, Sendable {
    /// A rate outside ``Resampler/supportedRates``.
    case unsupportedRate(Int)
    /// A quality outside `0...10`.
    case unsupportedQuality(Int)
    /// No memory for the filter.
    case outOfMemory
}

/// Changes the sample rate of one channel, piece by piece, with libspeexdsp's windowed sinc.
///
/// It remembers the end of each piece, so the pieces join without a seam. Memory is taken when it is made;
/// ``process(_:into:)`` is real-time safe.
@safe package struct Resampler: ~Copyable, @unchecked Sendable {  // owns its state alone
    /// How far one call of ``Resampler/process(_:into:)`` got.
    package struct Progress: BitwiseCopyable, Hashable, Sendable {
        /// Input samples used up; hand in the rest again.
        package var consumed: Int
        /// Output samples written, from the front.
        package var produced: Int

        package init(consumed: Int, produced: Int) {
            self.consumed = consumed
            self.produced = produced
        }
    }

    /// Rates that can be converted from and to, Hz: the lowest and highest of sound files met in the wild.
    package static let supportedRates = 1_000...768_000

    package let inputRate: Int
    package let outputRate: Int
    private let state: OpaquePointer

    /// - Parameters:
    ///   - inputRate: Hz, in ``supportedRates``.
    ///   - outputRate: Hz, in ``supportedRates``.
    ///   - quality: libspeexdsp's scale `0...10`: longer filters pass more of the band, cost more, and
    ///     delay more. 5 for calls, 8 for files.
    /// - Throws: ``ResamplerError``.
    package init(from inputRate: Int, to outputRate: Int, quality: Int = 5) throws(ResamplerError) {
        guard Self.supportedRates.contains(inputRate) else { throw .unsupportedRate(inputRate) }
        guard Self.supportedRates.contains(outputRate) else { throw .unsupportedRate(outputRate) }
        guard (0...10).contains(quality) else { throw .unsupportedQuality(quality) }
        var status: Int32 = 0
        let made = unsafe speex_resampler_init(
            1, UInt32(inputRate), UInt32(outputRate), Int32(quality), &status)
        guard let made = unsafe made else { throw .outOfMemory }
        unsafe state = made
        self.inputRate = inputRate
        self.outputRate = outputRate
    }

    deinit { unsafe speex_resampler_destroy(state) }

    /// The filter's delay: how many output samples the sound comes late.
    package var latency: Int { Int(unsafe speex_resampler_get_output_latency(state)) }

    /// Leaves out the filter's delay: the first output sample is then the first input sample in time.
    ///
    /// To be called before any ``process(_:into:)``. For files; a stream would have to wait for the samples
    /// left out.
    package mutating func skipLeadingZeros() {
        unsafe speex_resampler_skip_zeros(state)
    }

    /// Forgets the past, as if newly made.
    package mutating func reset() {
        unsafe speex_resampler_reset_mem(state)
    }

    /// Converts until `input` is used up or `output` is full.
    ///
    /// Real-time safe. Where the ratio allows, each 10 ms of input give exactly 10 ms of output.
    @_noLocks @_noAllocation
    package mutating func process(_ input: Span<Int16>, into output: inout MutableSpan<Int16>) -> Progress {
        var inputLength = UInt32(truncatingIfNeeded: input.count)
        var outputLength = UInt32(truncatingIfNeeded: output.count)
        guard inputLength > 0, outputLength > 0 else { return Progress(consumed: 0, produced: 0) }
        convert(input, &inputLength, into: &output, &outputLength)
        return Progress(consumed: Int(inputLength), produced: Int(outputLength))
    }

    // Not analysed: the compiler takes the borrowed closures for reference counting. A test counts instead.
    @_semantics("no_performance_analysis")
    private func convert(
        _ input: Span<Int16>, _ inputLength: inout UInt32, into output: inout MutableSpan<Int16>,
        _ outputLength: inout UInt32
    ) {
        unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                _ = unsafe cspeexdsp_resample(
                    state, source.baseAddress, &inputLength, target.baseAddress, &outputLength)
            }
        }
    }
}
