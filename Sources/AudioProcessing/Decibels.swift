/// A ratio of powers in decibels, to within a millionth of one.
///
/// Written out, since a core has no C library and the same call has to give the same figures everywhere.
///
/// - Parameter powerRatio: Above zero and finite.
/// - Returns: `10 · log10(powerRatio)`, or negative infinity where that doesn't exist.
package func decibels(_ powerRatio: Double) -> Double {
    guard powerRatio > 0, powerRatio.isFinite else { return -.infinity }
    // ln m = 2 · (y + y³/3 + y⁵/5 + …) with y = (m - 1) / (m + 1), at most a third for a significand of 1 to
    // 2.
    let y = (powerRatio.significand - 1) / (powerRatio.significand + 1)
    var power = y
    var sum = 0.0
    var divisor = 1.0
    while divisor < 24 {
        sum += power / divisor
        power *= y * y
        divisor += 2
    }
    let decibelsPerOctave = 3.010_299_956_639_812
    let decibelsPerNaturalUnit = 4.342_944_819_032_518
    return Double(powerRatio.exponent) * decibelsPerOctave + 2 * sum * decibelsPerNaturalUnit
}
