/// Adds `source` to the front of `target`, sample by sample; what is too loud stays at full scale.
///
/// Only the shorter of the two lengths is mixed. Real-time safe.
@_noLocks @_noAllocation
package func mix(_ source: Span<Int16>, into target: inout MutableSpan<Int16>) {
    for index in 0..<min(source.count, target.count) {
        let sum = Int32(source[index]) &+ Int32(target[index])
        target[index] = Int16(truncatingIfNeeded: max(-32_768, min(32_767, sum)))
    }
}
