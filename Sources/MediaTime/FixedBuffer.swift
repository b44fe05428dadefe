/// Memory of a fixed length, allocated once and freed with its owner: what the media path works in.
///
/// Indices are checked. The pointer never leaves; hand out ``span`` and ``mutableSpan``.
@safe package struct FixedBuffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {  // sole owner
    private let base: UnsafeMutablePointer<Element>
    package let count: Int

    /// - Parameters:
    ///   - value: What every element is at first.
    ///   - count: Elements, at least 1.
    package init(repeating value: Element, count: Int) {
        precondition(count > 0, "a buffer holds at least one element")
        unsafe base = .allocate(capacity: count)
        unsafe base.initialize(repeating: value, count: count)
        self.count = count
    }

    deinit { unsafe base.deallocate() }

    @inlinable
    package subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "index out of range")
            return unsafe elements[index]
        }
        set {
            precondition(index >= 0 && index < count, "index out of range")
            unsafe elements[index] = newValue
        }
    }

    @usableFromInline package var elements: UnsafeMutablePointer<Element> { unsafe base }

    package var span: Span<Element> {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe Span(_unsafeStart: base, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    package var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableSpan(_unsafeStart: base, count: count)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// The elements of `range`, which lies within the buffer.
    @_lifetime(&self)
    package mutating func mutableSpan(_ range: Range<Int>) -> MutableSpan<Element> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        let span = unsafe MutableSpan(_unsafeStart: base + range.lowerBound, count: range.count)
        return unsafe _overrideLifetime(span, mutating: &self)
    }
}
