import FuzzSupport
import RTP

@main enum FuzzRTP {
    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        let datagram = octets.span
        observe(DatagramKind(of: datagram))
        guard let packet = try? RTPPacket(parsing: datagram) else { return }
        checkParts(of: packet, in: octets)
        checkWriting(of: packet, in: octets)
    }

    /// Header, CSRCs, extension, payload and padding follow each other, and are all there is.
    private static func checkParts(of packet: RTPPacket, in octets: [UInt8]) {
        let headerEnd = RTPHeader.length + 4 * packet.csrcCount
        for index in 0..<packet.csrcCount {
            let csrc = packet.csrc(at: index, in: octets.span)
            precondition(
                csrc.rawValue & 0xFF == octets[RTPHeader.length + 4 * index + 3],
                "a CSRC ends with the last octet of its word")
        }
        let payload = packet.payloadRange
        if let range = packet.extensionRange {
            precondition(range.lowerBound == headerEnd + 4, "an extension follows the CSRCs")
            precondition(range.count % 4 == 0, "an extension is of whole words")
            precondition(range.upperBound == payload.lowerBound, "the payload follows the extension")
        } else {
            precondition(payload.lowerBound == headerEnd, "the payload follows the CSRCs")
        }
        precondition(
            payload.upperBound + packet.paddingLength == octets.count, "padding ends the datagram")
        observe(octets.span.extracting(payload).count)
    }

    /// A header written again has the octets that were read, but for the bits that it leaves out.
    private static func checkWriting(of packet: RTPPacket, in octets: [UInt8]) {
        let written = [UInt8](capacity: RTPHeader.length) { packet.header.serialize(into: &$0) }
        precondition(written.count == RTPHeader.length, "a header has its length")
        precondition(
            written.dropFirst().elementsEqual(octets[1..<RTPHeader.length]),
            "a header is written as it was read")
        guard let again = try? RTPPacket(parsing: written.span) else {
            preconditionFailure("a header alone is a packet")
        }
        precondition(again.header == packet.header, "a header is read as it was written")
    }
}
