/// What a call sounds like to whoever reports (RFC 3611 §4.7), since the beginning of the source.
///
/// Rates and densities are in 1/256, rounded down; times in ms. What can't be told is `nil`, and 127 on the wire, where the
/// block has a word for that.
package struct VoIPMetrics: BitwiseCopyable, Hashable, Sendable {
    /// Octets on the wire, with the block's header.
    package static var length: Int {
        @_noLocks @_noAllocation
        get { 36 }
    }

    /// The source that the block is about.
    package var ssrc: SSRC
    /// Share of the packets lost by the network.
    package var lossRate: UInt8 = 0
    /// Share of the packets that came, and were thrown away: too late or too early.
    package var discardRate: UInt8 = 0
    package var bursts = BurstMetrics()
    /// 0 if not measured.
    package var roundTripDelay: UInt16 = 0
    /// From the network to the ear, and from the mouth to the network.
    package var endSystemDelay: UInt16 = 0
    /// Of the speech received, in dBm0.
    package var signalLevel: Int8?
    /// Of the silence between, in dBm0.
    package var noiseLevel: Int8?
    /// Residual echo return loss, dB.
    package var residualEchoReturnLoss: UInt8?
    /// R, `0...100` (ITU-T G.107).
    package var rating: UInt8?
    /// R of a network behind the reporter.
    package var externalRating: UInt8?
    /// Ten times the opinion, `10...50`: of listening alone, and of conversing, where delay counts too.
    package var listeningOpinion, conversationalOpinion: UInt8?
    /// How the receiver conceals loss and sets its delay (§4.7.6).
    package var configuration: UInt8 = 0
    /// The jitter buffer's delay now, the most that it may become without adapting, and the most of all.
    package var bufferNominal, bufferMaximum, bufferAbsoluteMaximum: UInt16

    @_noLocks @_noAllocation
    package init(ssrc: SSRC) {
        self.ssrc = ssrc
        bufferNominal = 0
        bufferMaximum = 0
        bufferAbsoluteMaximum = 0
    }

    /// Reads the block whose header is at `offset`, and which the caller knows to be there.
    @_noLocks @_noAllocation
    init(at offset: Int, in datagram: borrowing Span<UInt8>) {
        ssrc = SSRC(rawValue: datagram.uint32(at: offset + 4))
        lossRate = datagram[offset + 8]
        discardRate = datagram[offset + 9]
        bursts = BurstMetrics(
            burstDensity: datagram[offset + 10], gapDensity: datagram[offset + 11],
            burstMilliseconds: datagram.uint16(at: offset + 12),
            gapMilliseconds: datagram.uint16(at: offset + 14), minimumGap: datagram[offset + 23])
        roundTripDelay = datagram.uint16(at: offset + 16)
        endSystemDelay = datagram.uint16(at: offset + 18)
        signalLevel = Self.level(datagram[offset + 20])
        noiseLevel = Self.level(datagram[offset + 21])
        residualEchoReturnLoss = Self.figure(datagram[offset + 22])
        rating = Self.figure(datagram[offset + 24])
        externalRating = Self.figure(datagram[offset + 25])
        listeningOpinion = Self.figure(datagram[offset + 26])
        conversationalOpinion = Self.figure(datagram[offset + 27])
        configuration = datagram[offset + 28]
        bufferNominal = datagram.uint16(at: offset + 30)
        bufferMaximum = datagram.uint16(at: offset + 32)
        bufferAbsoluteMaximum = datagram.uint16(at: offset + 34)
    }

    @_noLocks @_noAllocation
    private static func figure(_ octet: UInt8) -> UInt8? { octet == 127 ? nil : octet }

    @_noLocks @_noAllocation
    private static func level(_ octet: UInt8) -> Int8? { octet == 127 ? nil : Int8(bitPattern: octet) }

    /// Appends the block.
    @_noLocks @_noAllocation
    package func serialize(into datagram: inout OutputSpan<UInt8>) {
        datagram.append(blockHeader: ExtendedReportBlockType.voIPMetrics, words: 8)
        datagram.append(bigEndian: ssrc.rawValue)
        datagram.append(lossRate)
        datagram.append(discardRate)
        datagram.append(bursts.burstDensity)
        datagram.append(bursts.gapDensity)
        datagram.append(bigEndian: bursts.burstMilliseconds)
        datagram.append(bigEndian: bursts.gapMilliseconds)
        datagram.append(bigEndian: roundTripDelay)
        datagram.append(bigEndian: endSystemDelay)
        datagram.append(UInt8(bitPattern: signalLevel ?? 127))
        datagram.append(UInt8(bitPattern: noiseLevel ?? 127))
        datagram.append(residualEchoReturnLoss ?? 127)
        datagram.append(bursts.minimumGap)
        datagram.append(rating ?? 127)
        datagram.append(externalRating ?? 127)
        datagram.append(listeningOpinion ?? 127)
        datagram.append(conversationalOpinion ?? 127)
        datagram.append(configuration)
        datagram.append(0)
        datagram.append(bigEndian: bufferNominal)
        datagram.append(bigEndian: bufferMaximum)
        datagram.append(bigEndian: bufferAbsoluteMaximum)
    }
}
