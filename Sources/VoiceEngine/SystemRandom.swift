/// The system's generator, for keys and whatever else nobody may guess.
///
/// It holds an octet: the thread sanitizer looks at the address of what is passed `inout`, and an empty value has none.
struct SystemRandom: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()
    private var padding: UInt8 = 0

    mutating func next() -> UInt64 { system.next() }
}
