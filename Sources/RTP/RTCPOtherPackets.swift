/// A packet of an application's own (RFC 3550 §6.7).
package struct RTCPApplication: BitwiseCopyable, Hashable, Sendable {
    /// `0...31`, for the application.
    package let subtype: UInt8
    package let source: SSRC
    /// Four characters of ASCII, the first on top.
    package let name: UInt32
    private let dataStart, dataEnd: Int

    /// The application's data in the datagram: whole words, perhaps none.
    package var dataRange: Range<Int> {
        @_noLocks @_noAllocation
        get { dataStart..<dataEnd }
    }

    @_noLocks @_noAllocation
    init(layout: RTCPLayout, in datagram: borrowing Span<UInt8>) {
        subtype = UInt8(truncatingIfNeeded: layout.count)
        source = SSRC(rawValue: datagram.uint32(at: layout.offset + 4))
        name = datagram.uint32(at: layout.offset + 8)
        dataStart = layout.offset + 12
        dataEnd = layout.contentEnd
    }
}

/// A feedback message on a stream (RFC 4585 §6.1), of which we read only what all of them have.
package struct RTCPFeedback: BitwiseCopyable, Hashable, Sendable {
    /// Of the payload's own kind (PSFB), not of the transport's (RTPFB).
    package let isPayloadSpecific: Bool
    /// FMT, `0...31`: what the message is.
    package let format: UInt8
    package let sender: SSRC
    /// The stream that it is about.
    package let mediaSource: SSRC

    @_noLocks @_noAllocation
    init(layout: RTCPLayout, in datagram: borrowing Span<UInt8>) {
        isPayloadSpecific = layout.packetType == RTCPPacketType.payloadFeedback
        format = UInt8(truncatingIfNeeded: layout.count)
        sender = SSRC(rawValue: datagram.uint32(at: layout.offset + 4))
        mediaSource = SSRC(rawValue: datagram.uint32(at: layout.offset + 8))
    }
}
