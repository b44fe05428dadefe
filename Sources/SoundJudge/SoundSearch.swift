/// Looks for `reference` in `recording`, whatever its delay and level and whatever else is heard before and
/// after.
///
/// Candidates come from the envelopes; the wave form decides. Takes some milliseconds a second of recording;
/// allocates.
///
/// - Parameters:
///   - reference: What was sent.
///   - recording: What was heard.
///   - rate: Of both, Hz.
/// - Returns: The best place, however bad: ask ``SoundMatch/isFound``. `nil` when the reference or the
///   recording holds no sound at all.
package func findSound(
    _ reference: Span<Int16>, in recording: Span<Int16>, rate: Int = 48_000
) -> SoundMatch? {
    guard
        let coarseReference = BandLimitedSound(reference, rate: rate, newRate: 2_000),
        let coarseRecording = BandLimitedSound(recording, rate: rate, newRate: 2_000),
        let fineReference = BandLimitedSound(reference, rate: rate, newRate: 8_000),
        let fineRecording = BandLimitedSound(recording, rate: rate, newRate: 8_000)
    else { return nil }
    let pieces = soundingPieces(of: coarseReference)
    guard !pieces.isEmpty, coarseRecording.energy(of: 0..<coarseRecording.samples.count) > 0 else {
        return nil
    }

    let candidates = likelyLags(of: coarseReference, in: coarseRecording)
    let coarse = candidates.map { lag in
        alignments(
            of: pieces, of: coarseReference, in: coarseRecording, around: pieces.map { _ in lag }, within: 60)
    }
    guard let best = coarse.max(by: { similarity($0) < similarity($1) }) else { return nil }
    let fine = alignments(
        of: pieces, of: fineReference, in: fineRecording, around: best.map(\.lagMilliseconds), within: 8)
    return SoundMatch(
        lag: .microseconds(Int64(medianLag(fine) * 1_000)), similarity: min(1, similarity(fine)),
        coverage: Double(fine.count { $0.correlation >= SoundMatch.pieceThreshold }) / Double(fine.count))
}

/// A piece of the reference, in milliseconds, and its share of the energy of all pieces.
struct Piece {
    static var milliseconds: Int { 400 }
    var startMilliseconds: Int
    var weight: Double
}

/// Where a piece fits best, and how well.
struct Alignment {
    var lagMilliseconds: Double
    var correlation: Double
    var weight: Double
}

/// The pieces that are no more than 30 dB below the loudest one.
private func soundingPieces(of sound: BandLimitedSound) -> [Piece] {
    let length = sound.rate * Piece.milliseconds / 1_000
    let starts = Array(stride(from: 0, to: max(1, sound.samples.count - length / 2), by: length))
    let energies = starts.map { sound.energy(of: $0..<$0 + length) }
    guard let loudest = energies.max(), loudest > 0 else { return [] }
    let sounding = zip(starts, energies).filter { $0.1 > loudest / 1_000 }
    let total = sounding.reduce(0) { $0 + $1.1 }
    return sounding.map { Piece(startMilliseconds: $0.0 * 1_000 / sound.rate, weight: $0.1 / total) }
}

private func similarity(_ alignments: [Alignment]) -> Double {
    alignments.reduce(0) { $0 + $1.weight * $1.correlation }
}

/// The lag that half of the energy that was found has at most.
private func medianLag(_ alignments: [Alignment]) -> Double {
    let sorted = alignments.sorted { $0.lagMilliseconds < $1.lagMilliseconds }
    let total = sorted.reduce(0) { $0 + $1.weight * $1.correlation }
    var sum = 0.0
    for alignment in sorted {
        sum += alignment.weight * alignment.correlation
        if sum >= total / 2 { return alignment.lagMilliseconds }
    }
    return 0
}

/// Each piece's best lag within `reach` ms of where it is looked for.
private func alignments(
    of pieces: [Piece], of reference: BandLimitedSound, in recording: BandLimitedSound,
    around lagsMilliseconds: [Double], within reach: Int
) -> [Alignment] {
    zip(pieces, lagsMilliseconds).map { piece, lagMilliseconds in
        let start = piece.startMilliseconds * reference.rate / 1_000
        let end = min(start + Piece.milliseconds * reference.rate / 1_000, reference.samples.count)
        let center = Int((lagMilliseconds * Double(reference.rate) / 1_000).rounded())
        let width = reach * reference.rate / 1_000
        var best = (lag: center, correlation: 0.0)
        for lag in center - width...center + width {
            let found = correlation(of: reference, start..<end, in: recording, lag: lag)
            if found > best.correlation { best = (lag, found) }
        }
        return Alignment(
            lagMilliseconds: Double(best.lag) * 1_000 / Double(reference.rate), correlation: best.correlation,
            weight: piece.weight)
    }
}

/// The normalised cross-correlation of `range` of the reference with the recording `lag` samples later,
/// `0...1`.
///
/// A sound turned upside down is the same to the ear, and here.
private func correlation(
    of reference: BandLimitedSound, _ range: Range<Int>, in recording: BandLimitedSound, lag: Int
) -> Double {
    let there = range.lowerBound + lag..<range.upperBound + lag
    let energies = reference.energy(of: range) * recording.energy(of: there)
    let inside = there.clamped(to: 0..<recording.samples.count)
    guard energies > 0, !inside.isEmpty else { return 0 }
    let first = reference.samples.span.extracting(inside.lowerBound - lag..<inside.upperBound - lag)
    let second = recording.samples.span.extracting(inside)
    return abs(product(first, second)) / energies.squareRoot()
}

/// The sum of products of two equally long sounds.
private func product(_ first: Span<Float>, _ second: Span<Float>) -> Double {
    var sum: Float = 0
    for index in 0..<first.count { sum += first[index] * second[index] }
    return Double(sum)
}
