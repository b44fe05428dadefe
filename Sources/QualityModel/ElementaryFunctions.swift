// The two functions that the E-model needs and the standard library hasn't; cores don't import a C library for them.

/// log₂ of `value`, which is positive and finite.
func binaryLogarithm(of value: Double) -> Double {
    // ln m = 2 artanh((m - 1)/(m + 1)) for the significand m in 1..<2, where the quotient is below 1/3.
    let quotient = (value.significand - 1) / (value.significand + 1)
    let square = quotient * quotient
    var power = quotient
    var sum = 0.0
    for odd in stride(from: 1.0, through: 33, by: 2) {
        sum += power / odd
        power *= square
    }
    let naturalLogarithmOf2 = 0.693_147_180_559_945_3
    return Double(value.exponent) + 2 * sum / naturalLogarithmOf2
}

/// (a⁶ + b⁶)^(1/6), for `a` and `b` of which one isn't 0.
func sixthNorm(_ a: Double, _ b: Double) -> Double {
    let larger = max(abs(a), abs(b))
    let ratio = min(abs(a), abs(b)) / larger
    let square = ratio * ratio
    let sum = 1 + square * square * square
    // Newton's method for the root of x⁶ = sum, from above: the root is in 1...1.1225.
    var root = 1.1225
    for _ in 0..<6 {
        let fifth = root * root * root * root * root
        root -= (root - sum / fifth) / 6
    }
    return larger * root
}
