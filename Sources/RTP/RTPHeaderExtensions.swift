/// The elements of an RTP header extension (RFC 8285 §4), walked one by one:
/// `while let element = extensions.next(in: datagram)`.
///
/// It doesn't hold the datagram, so give ``next(in:)`` the one that the packet was parsed from. Real-time safe.
package struct RTPHeaderExtensions: BitwiseCopyable, Hashable, Sendable {
    /// One element: what it is, by the number that SDP's `extmap` gave it, and where its data are.
    package struct Element: BitwiseCopyable, Hashable, Sendable {
        /// `1...14` in the one-byte form, `1...255` in the two-byte form.
        package let identifier: UInt8
        fileprivate let start, end: Int

        /// `1...16` octets in the one-byte form, `0...255` in the two-byte form.
        package var dataRange: Range<Int> {
            @_noLocks @_noAllocation
            get { start..<end }
        }
    }

    private var offset: Int
    private let end: Int
    private let hasTwoByteHeaders: Bool

    /// None, if the packet has no extension, or one of another form than RFC 8285's.
    @_noLocks @_noAllocation
    package init(of packet: RTPPacket) {
        hasTwoByteHeaders = (packet.extensionProfile ?? 0) & 0xFFF0 == 0x1000
        let isKnown = hasTwoByteHeaders || (packet.extensionProfile ?? 0) == 0xBEDE
        guard isKnown, let range = packet.extensionRange else {
            offset = 0
            end = 0
            return
        }
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The next element, or `nil` after the last, or where nothing behind can be believed: at an element past the end of the
    /// extension, and in the one-byte form at ID 15, and at ID 0 with a length (§4.2).
    @_noLocks @_noAllocation
    package mutating func next(in datagram: Span<UInt8>) -> Element? {
        // Padding is null octets between elements.
        while offset < end, datagram[offset] == 0 { offset += 1 }
        guard offset < end else { return nil }
        let element = hasTwoByteHeaders ? twoByteElement(in: datagram) : oneByteElement(in: datagram)
        offset = element?.end ?? end
        return element
    }

    @_noLocks @_noAllocation
    private func oneByteElement(in datagram: Span<UInt8>) -> Element? {
        let identifier = datagram[offset] >> 4
        let length = Int(datagram[offset] & 0x0F) + 1
        guard identifier != 0, identifier != 15 else { return nil }
        return element(identifier, at: offset + 1, length: length)
    }

    @_noLocks @_noAllocation
    private func twoByteElement(in datagram: Span<UInt8>) -> Element? {
        guard offset + 2 <= end else { return nil }
        return element(datagram[offset], at: offset + 2, length: Int(datagram[offset + 1]))
    }

    @_noLocks @_noAllocation
    private func element(_ identifier: UInt8, at start: Int, length: Int) -> Element? {
        guard start + length <= end else { return nil }
        return Element(identifier: identifier, start: start, end: start + length)
    }
}
