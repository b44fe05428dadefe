import Foundation

/// A sine, rounded to 16 bits.
func sine(frequency: Double, amplitude: Double, rate: Int, count: Int) -> [Int16] {
    (0..<count).map { index in
        Int16((amplitude * sin(2 * .pi * frequency * Double(index) / Double(rate))).rounded())
    }
}

/// The amplitude of the component at `frequency` (a one-bin Fourier transform).
func amplitude(of frequency: Double, in samples: ArraySlice<Int16>, rate: Int) -> Double {
    var real = 0.0
    var imaginary = 0.0
    for (index, sample) in samples.enumerated() {
        let phase = 2 * .pi * frequency * Double(index) / Double(rate)
        real += Double(sample) * cos(phase)
        imaginary += Double(sample) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
}

func rootMeanSquare(_ samples: ArraySlice<Int16>) -> Double {
    let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (energy / Double(samples.count)).squareRoot()
}
