import FuzzSupport
import SRTP

/// The first octet chooses the suite; then come packets, each with what is done to it and its octets.
@main enum FuzzSRTP {
    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        let suite = CryptoSuite.allCases[input.number(below: CryptoSuite.allCases.count)]
        do throws(SRTPError) {
            var ends = try Ends(suite)
            while !input.isAtEnd {
                let choice = input.octet()
                let isRTCP = choice & 1 != 0
                let packet = choice & 2 != 0 ? input.remainder() : input.piece()
                if choice & 4 != 0 {
                    ends.checkRoundTrip(of: packet, isRTCP: isRTCP, damagedAt: input.octet())
                } else {
                    ends.checkForgery(packet, isRTCP: isRTCP)
                }
            }
        } catch { preconditionFailure("a context can be made of a key of its suite: \(error)") }
    }
}

/// The two ends of one direction.
private struct Ends: ~Copyable {
    private var sender: SRTPContext
    private var receiver: SRTPContext

    init(_ suite: CryptoSuite) throws(SRTPError) {
        let key = (0..<suite.keyAndSaltLength).map { UInt8($0) }
        // Both are made before either is kept: what is half made has no end.
        let sender = try SRTPContext(SRTPKey(suite: suite, keyAndSalt: key), direction: .outbound)
        let receiver = try SRTPContext(SRTPKey(suite: suite, keyAndSalt: key), direction: .inbound)
        self.sender = sender
        self.receiver = receiver
    }

    /// Any octets: an error, or a packet that is no longer than what came.
    ///
    /// The vectors in the corpus are under this very key, so that some are let through.
    mutating func checkForgery(_ packet: [UInt8], isRTCP: Bool) {
        guard let clear = try? unprotected(packet, isRTCP: isRTCP) else { return }
        precondition(clear.count < packet.count, "a tag was taken off")
    }

    /// A packet that was protected comes back once, and not at all with a bit changed.
    mutating func checkRoundTrip(of packet: [UInt8], isRTCP: Bool, damagedAt place: UInt8) {
        guard let wire = try? protected(packet, isRTCP: isRTCP) else { return }
        precondition(wire.count <= packet.count + SRTPContext.maximumExpansion, "there is room for the tag")
        var damaged = wire
        damaged[Int(place) % wire.count] ^= 1 << (place & 7)
        // A tag of 32 bits may be met by chance, but not by this one change: the cipher is a stream.
        let forged = try? unprotected(damaged, isRTCP: isRTCP)
        precondition(forged == nil, "a changed packet is not let through")
        guard let clear = try? unprotected(wire, isRTCP: isRTCP) else { return }
        precondition(clear == packet, "a packet comes out as it went in")
        let replayed = try? unprotected(wire, isRTCP: isRTCP)
        precondition(replayed == nil, "a packet comes once")
    }

    private mutating func protected(_ packet: [UInt8], isRTCP: Bool) throws(SRTPError) -> [UInt8] {
        var memory = packet + [UInt8](repeating: 0, count: SRTPContext.maximumExpansion)
        var length = packet.count
        var span = memory.mutableSpan
        if isRTCP {
            try sender.protectRTCP(&span, length: &length)
        } else {
            try sender.protectRTP(&span, length: &length)
        }
        return Array(memory.prefix(length))
    }

    /// Unprotects `packet` with a fence behind it: the library isn't built with the sanitizer.
    private mutating func unprotected(_ packet: [UInt8], isRTCP: Bool) throws(SRTPError) -> [UInt8] {
        let fence = [UInt8](repeating: 0xA5, count: 64)
        var memory = packet + fence
        defer { precondition(memory.suffix(fence.count).elementsEqual(fence), "the fence stands") }
        var length = packet.count
        var whole = memory.mutableSpan
        var datagram = whole._mutatingExtracting(first: packet.count)
        if isRTCP {
            try receiver.unprotectRTCP(&datagram, length: &length)
        } else {
            try receiver.unprotectRTP(&datagram, length: &length)
        }
        precondition(length >= 0 && length <= packet.count, "a packet is no longer than its datagram")
        return Array(memory.prefix(length))
    }
}
