/// Memory of a fixed length, allocated once and freed with its owner: what the media path works in.
///
/// Public and inlinable throughout, though no product of the package has this module: a generic of another module is slow
/// unless the compiler sees its body, and of `package` ones it never does. Indices are checked. The pointer never leaves; hand out ``span`` and ``mutableSpan``.
@safe public struct FixedBuffer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {  // sole owner
    @usableFromInline let base: UnsafeMutablePointer<Element>
    /// Elements, at least 1.
    public let count: Int

    /// Allocates the memory.
    ///
    /// - Parameters:
    ///   - value: What every element is at first.
    ///   - count: Elements, at least 1.
    @inlinable
    public init(repeating value: Element, count: Int) {
        precondition(count > 0, "a buffer holds at least one element")
        unsafe base = .allocate(capacity: count)
        unsafe base.initialize(repeating: value, count: count)
        self.count = count
    }

    @inlinable deinit { unsafe base.deallocate() }

    /// The element at `index`, `0..<count`.
    @inlinable
    public subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "index out of range")
            return unsafe base[index]
        }
        set {
            precondition(index >= 0 && index < count, "index out of range")
            unsafe base[index] = newValue
        }
    }

    /// All elements, to be read.
    @inlinable
    public var span: Span<Element> {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe Span(_unsafeStart: base, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// All elements, to be written.
    @inlinable
    public var mutableSpan: MutableSpan<Element> {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableSpan(_unsafeStart: base, count: count)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// The elements of `range`, which lies within the buffer.
    @inlinable
    @_lifetime(&self)
    public mutating func mutableSpan(_ range: Range<Int>) -> MutableSpan<Element> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        let span = unsafe MutableSpan(_unsafeStart: base + range.lowerBound, count: range.count)
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// Lets `body` write elements one after the other, from the first on.
    ///
    /// - Returns: Elements written.
    @inlinable
    public mutating func write(_ body: (inout OutputSpan<Element>) -> Void) -> Int {
        let memory = unsafe UnsafeMutableBufferPointer(start: base, count: count)
        var output = unsafe OutputSpan(buffer: memory, initializedCount: 0)
        body(&output)
        return unsafe output.finalize(for: memory)
    }

    /// Overwrites the elements from `offset` on with all of `source`, which fits.
    @inlinable
    @inline(__always)
    public mutating func replace(at offset: Int, with source: Span<Element>) {
        precondition(offset >= 0 && offset + source.count <= count, "range out of bounds")
        unsafe source.withUnsafeBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            unsafe (base + offset).update(from: start, count: elements.count)
        }
    }

    /// Overwrites the first elements of `target` with those of `range`, which fit.
    @inlinable
    @inline(__always)
    public func copy(_ range: Range<Int>, into target: inout MutableSpan<Element>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        precondition(range.count <= target.count, "target too short")
        unsafe target.withUnsafeMutableBufferPointer { elements in
            guard let start = elements.baseAddress else { return }
            unsafe start.update(from: base + range.lowerBound, count: range.count)
        }
    }

    /// Moves the elements of `range` to the front; those behind them are as they were.
    @inlinable
    public mutating func moveToFront(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        unsafe base.update(from: base + range.lowerBound, count: range.count)
    }

    /// Overwrites the elements from `offset` to the end with `value`.
    @inlinable
    public mutating func fill(from offset: Int, with value: Element) {
        precondition(offset >= 0 && offset <= count, "offset out of bounds")
        unsafe (base + offset).update(repeating: value, count: count - offset)
    }
}
