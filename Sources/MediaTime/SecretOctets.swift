/// Octets of a key, in memory of their own that is overwritten before it is given back.
///
/// What copies them can't promise that: the text of a session description, and the array they may come from.
/// It prints as nothing, and is compared in a time that doesn't depend on where the octets differ.
@safe package final class SecretOctets: @unchecked Sendable {  // never written after `init`
    private let memory: UnsafeMutableBufferPointer<UInt8>

    /// Copies `octets`.
    package init(_ octets: Span<UInt8>) {
        unsafe memory = .allocate(capacity: octets.count)
        for index in octets.indices { unsafe memory.initializeElement(at: index, to: octets[index]) }
    }

    deinit {
        unsafe Self.wipe(memory)
        unsafe memory.deallocate()
    }

    package var count: Int { unsafe memory.count }

    /// Lends the octets to `body`, which must not copy them.
    package func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(unsafe memory.span)
    }

    /// Overwrites `octets` with zeros.
    ///
    /// Not optimised, since nobody reads them again and the writes would be left out.
    @inline(never) @_optimize(none)
    private static func wipe(_ octets: UnsafeMutableBufferPointer<UInt8>) {
        unsafe octets.update(repeating: 0)
    }
}

extension SecretOctets: Hashable {
    package static func == (lhs: SecretOctets, rhs: SecretOctets) -> Bool {
        guard lhs.count == rhs.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<lhs.count { unsafe difference |= lhs.memory[index] ^ rhs.memory[index] }
        return difference == 0
    }

    package func hash(into hasher: inout Hasher) {
        for index in 0..<count { hasher.combine(unsafe memory[index]) }
    }
}

extension SecretOctets: CustomStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
