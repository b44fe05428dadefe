internal import MediaTime

/// What we send, under one master key after another (RFC 3711 §3.3, §9).
///
/// Rollover counters and indices go on over a change of keys, and no index of a source is used twice, whatever the key.
/// Real-time safe, but for ``changeKey(to:)`` and the first packet of a source that its context doesn't know: these
/// allocate.
package struct SRTPSender: ~Copyable {
    /// Sources that one sender may have.
    package static var maximumSources: Int { 8 }
    /// What RFC 3711 §9.2 lets a key protect.
    package static var maximumRTPPackets: UInt64 { 1 << 48 }
    package static var maximumRTCPPackets: UInt64 { 1 << 31 }

    private var context: SRTPContext
    private var sources = InlineArray<8, Source>(repeating: Source())
    private var sourceCount = 0
    private var usage: KeyUsage
    private var leftKeys = KeyPrints()

    /// - Parameter context: Outbound, and used by nobody before.
    package init(_ context: consuming SRTPContext) {
        usage = KeyUsage(lifetime: context.key.lifetime)
        self.context = context
    }

    // MARK: The key

    /// Whether seven eighths of the key's lifetime are over: time to agree on a new one.
    package var isKeyAboutToExpire: Bool { usage.isNearlySpent }
    /// RTP packets that the key may still protect.
    package var remainingRTPPackets: UInt64 { usage.remainingRTP }
    /// Compound RTCP packets that the key may still protect.
    package var remainingRTCPPackets: UInt64 { usage.remainingRTCP }

    /// Protects with another key from the next packet on.
    ///
    /// - Parameter next: Outbound, best made with our SSRC among its sources; on return, the one to free elsewhere: the
    ///   old one, or `next` itself if it is the key in use, which changes nothing.
    /// - Returns: Whether the key is another one.
    /// - Throws: ``SRTPError/keyReused`` for one of the last 16 keys that this sender has left: the RTCP index would start
    ///   again. Nothing has changed then.
    @discardableResult
    package mutating func changeKey(to next: inout SRTPContext) throws(SRTPError) -> Bool {
        guard !next.key.isSameKey(as: context.key) else { return false }
        guard !leftKeys.contains(next.key) else { throw .keyReused }
        leftKeys.insert(context.key)
        swap(&context, &next)
        usage = KeyUsage(lifetime: context.key.lifetime)
        for index in 0..<sourceCount { sources[index].isKnownToContext = false }
        return true
    }

    // MARK: Packets

    /// Encrypts and authenticates an RTP packet where it stands.
    ///
    /// - Parameters:
    ///   - packet: The packet, and behind it ``SRTPContext/maximumExpansion`` octets of room.
    ///   - length: Octets of the packet; on return, of the SRTP packet.
    /// - Throws: ``SRTPError``, such as `.keyExpired`, or `.indexReused` for a sequence number that isn't ahead of the last
    ///   by less than 2^15; send nothing then.
    package mutating func protectRTP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length >= 12, length <= packet.count else { throw .malformed }
        guard usage.remainingRTP > 0 else { throw .keyExpired }
        let place = PacketPlace(of: packet.span)
        let source = try index(of: place.source)
        let index = sources[source].index(of: place.sequenceNumber)
        if let last = sources[source].last, index <= last { throw .indexReused }
        if !sources[source].isKnownToContext { try bringIn(source, at: index) }

        // Counted as used before it's tried: a failure may not give it free.
        sources[source].last = index
        try context.protectRTP(&packet, length: &length)
        usage.rtpPackets += 1
    }

    /// Encrypts and authenticates a compound RTCP packet where it stands; as ``protectRTP(_:length:)``.
    package mutating func protectRTCP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard usage.remainingRTCP > 0 else { throw .keyExpired }
        try context.protectRTCP(&packet, length: &length)
        usage.rtcpPackets += 1
    }

    private mutating func index(of ssrc: UInt32) throws(SRTPError) -> Int {
        for index in 0..<sourceCount where sources[index].ssrc == ssrc { return index }
        guard sourceCount < Self.maximumSources else { throw .tooManySources }
        sources[sourceCount] = Source(ssrc: ssrc)
        sourceCount += 1
        return sourceCount - 1
    }

    /// Tells a context that hasn't protected for a source yet where it is.
    private mutating func bringIn(_ source: Int, at index: PacketIndex) throws(SRTPError) {
        let ssrc = sources[source].ssrc
        if index.rolloverCounter > 0, !context.expectRolloverCounter(index.rolloverCounter, of: ssrc) {
            if let error = SRTPError(context.addStream(of: ssrc)) { throw error }
            _ = context.expectRolloverCounter(index.rolloverCounter, of: ssrc)
        }
        sources[source].isKnownToContext = true
    }

    struct Source: BitwiseCopyable {
        var ssrc: UInt32 = 0
        /// Of the last packet, under whatever key.
        var last: PacketIndex?
        /// Whether the context has its rollover counter.
        var isKnownToContext = false

        func index(of sequenceNumber: UInt16) -> PacketIndex {
            guard let last else { return PacketIndex(rolloverCounter: 0, sequenceNumber: sequenceNumber) }
            return PacketIndex(nearestTo: last, sequenceNumber: sequenceNumber)
        }
    }
}

/// How much of a key's lifetime is spent (RFC 3711 §9.2, RFC 4568 §6.1).
struct KeyUsage: BitwiseCopyable {
    var rtpPackets: UInt64 = 0
    var rtcpPackets: UInt64 = 0
    private let rtpLimit, rtcpLimit: UInt64

    init(lifetime: UInt64?) {
        rtpLimit = min(lifetime ?? .max, SRTPSender.maximumRTPPackets)
        rtcpLimit = min(lifetime ?? .max, SRTPSender.maximumRTCPPackets)
    }

    var remainingRTP: UInt64 { rtpLimit - rtpPackets }
    var remainingRTCP: UInt64 { rtcpLimit - rtcpPackets }
    var isNearlySpent: Bool { remainingRTP <= rtpLimit / 8 || remainingRTCP <= rtcpLimit / 8 }
}

/// Prints of the last 16 keys that a sender has left, from which no key can be had back.
struct KeyPrints: BitwiseCopyable {
    private var prints = InlineArray<16, Int>(repeating: 0)
    private var count = 0

    /// By the hash of the process, whose seed is secret.
    private static func print(of key: SRTPKey) -> Int { key.keyAndSalt.hashValue }

    func contains(_ key: SRTPKey) -> Bool {
        let print = Self.print(of: key)
        for index in 0..<min(count, 16) where prints[index] == print { return true }
        return false
    }

    mutating func insert(_ key: SRTPKey) {
        prints[count % 16] = Self.print(of: key)
        count += 1
    }
}
