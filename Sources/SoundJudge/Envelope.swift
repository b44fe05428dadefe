/// The lags, in ms, at which the envelopes are most alike: the best first, each at least 60 ms from the
/// others.
func likelyLags(of reference: BandLimitedSound, in recording: BandLimitedSound) -> [Double] {
    let wanted = envelope(of: reference)
    let heard = envelope(of: recording)
    // From a little before the recording's begin to where 0.4 s of the reference would still fit.
    let lags = Array(-10..<max(1, heard.count - 40))
    let scores = lags.map { likeness(of: wanted, to: heard, lag: $0) }
    let order = lags.indices.sorted { scores[$0] > scores[$1] }
    var chosen: [Int] = []
    for index in order where chosen.allSatisfy({ abs($0 - index) >= 6 }) {
        chosen.append(index)
        if chosen.count == 8 { break }
    }
    return chosen.map { Double(lags[$0] * 10) }
}

/// The square root of the amplitude of each 10 ms: loud vowels then don't hide the rest.
private func envelope(of sound: BandLimitedSound) -> [Float] {
    let length = sound.rate / 100
    return stride(from: 0, to: sound.samples.count, by: length).map { start in
        let power = sound.energy(of: start..<start + length) / Double(length)
        return Float(power.squareRoot().squareRoot())
    }
}

/// The correlation coefficient of two envelopes, `-1...1`; outside of the recording is silence.
private func likeness(of wanted: [Float], to heard: [Float], lag: Int) -> Float {
    var sum: Float = 0
    var sumOfSquares: Float = 0
    var product: Float = 0
    var wantedSum: Float = 0
    var wantedSquares: Float = 0
    for index in wanted.indices {
        let value = heard.indices.contains(index + lag) ? heard[index + lag] : 0
        sum += value
        sumOfSquares += value * value
        product += value * wanted[index]
        wantedSum += wanted[index]
        wantedSquares += wanted[index] * wanted[index]
    }
    let count = Float(wanted.count)
    let variances = (sumOfSquares - sum * sum / count) * (wantedSquares - wantedSum * wantedSum / count)
    guard variances > 0 else { return 0 }
    return (product - sum * wantedSum / count) / variances.squareRoot()
}
