internal import AudioCodecs
internal import AudioProcessing
internal import JitterBuffer
package import MediaTime
internal import RTP

extension MediaSession {
    /// Fills `frame` with the next 10 ms to hear.
    ///
    /// - Parameters:
    ///   - frame: ``frameSamples`` samples.
    ///   - now: When its first sample is played.
    package mutating func playOut(_ frame: inout MutableSpan<Int16>, at now: MonotonicInstant) {
        if isOnHold || !receivesAudio {
            for index in frame.indices { frame[index] = 0 }
            return
        }
        while playout.count < frame.count {
            let ahead = Duration.microseconds(playout.count * 1_000_000 / 48_000)
            prepare(nextDecision(at: now.advanced(by: ahead)))
        }
        playout.read(into: &frame)
        receivedMeter.add(frame.span)
        if receivedFormat != .opus { incomingDigits.listen(to: frame.span) }
    }

    private mutating func prepare(_ decision: PlayoutDecision) {
        let before = playout.count
        let format = receivedFormat ?? .opus
        let samplesPerTick = 48_000 / format.clockRate
        switch decision {
        case .play(let slot):
            let format =
                receiving.format(of: PayloadType(rawValue: jitterBuffer.packet(inSlot: slot).payloadType))
                ?? format
            try? decoders.decode(slot, of: jitterBuffer, as: format, into: &playout)
        case .recover(let slot, let ticks):
            let samples = Self.concealable(ticks * samplesPerTick)
            try? decoders.recover(from: slot, of: jitterBuffer, samples: samples, as: format, into: &playout)
        case .conceal(let ticks, _):
            try? decoders.conceal(
                samples: Self.concealable(ticks * samplesPerTick), as: format, into: &playout)
        case .rest(let ticks):
            // In a pause the decoder goes on: Opus' with comfort noise, the others with silence that what was heard ends in.
            let hasDecoder = receivedFormat != nil && jitterBuffer.isInPause
            if hasDecoder, format != .opus || !incomingDigits.isInEvent {
                try? decoders.rest(
                    samples: Self.concealable(ticks * samplesPerTick), as: format, into: &playout)
            } else {
                playout.appendSilence(max(1, ticks * samplesPerTick))
            }
            guard jitterBuffer.isInPause, incomingNoise.isKnown, format != .opus else { break }
            Self.mix(&incomingNoise, into: &playout, samples: playout.count - before)
        }
        // A payload that can't be decoded leaves a hole: fill it, or the loop would ask for ever.
        if playout.count == before { playout.appendSilence(Self.frameSamples) }
    }

    private static func mix(
        _ noise: inout IncomingComfortNoise, into queue: inout PlayoutQueue, samples: Int
    ) {
        var rest = queue.last(samples)
        noise.mix(into: &rest)
    }

    /// `samples` in whole steps of 2.5 ms, at least one, at most 60 ms.
    private static func concealable(_ samples: Int) -> Int {
        min(max((samples + 119) / 120 * 120, 120), 2_880)
    }
}
