/// What a session has sent and received so far.
///
/// Receive figures are what *we* hear; `remote…` is what the other side reports.
///
/// A figure that was never measured is `nil`, not zero.
public struct SessionStatistics: Hashable, Sendable {
    /// Since the session's media was set up.
    public var duration: Duration = .zero
    /// The codec in use, as the SDP names it: `opus/48000/2`.
    public var codec: String?
    /// The SRTP suite in use (RFC 4568 §6.2), or `nil` for plain RTP.
    public var cryptoSuite: String?

    /// RTP packets sent.
    public var packetsSent = 0
    /// RTP payload octets sent (RFC 3550 §6.4.1).
    public var octetsSent = 0
    /// RTP packets received, authenticated, and of the expected source.
    public var packetsReceived = 0
    /// RTP payload octets received.
    public var octetsReceived = 0
    /// Packets that were expected and never came; negative when duplicates outnumber losses (RFC 3550 §6.4.1).
    public var packetsLost = 0
    /// Packets that came after their turn to be played.
    public var packetsLate = 0
    /// Packets that came twice.
    public var packetsDuplicated = 0
    /// Packets that overtook each other.
    public var packetsReordered = 0
    /// Where we send RTP, as `192.0.2.7:5000`; `nil` while there is nowhere.
    public var remoteAddress: String?
    /// Where the last datagram came from that was let in neither by its address nor by its key.
    public var rejectedAddress: String?
    /// Datagrams dropped, by reason; only reasons that occurred.
    public var droppedDatagrams: [String: Int] = [:]

    /// Interarrival jitter (RFC 3550 §6.4.1) of what we receive, ms.
    public var jitterMilliseconds: Double?
    /// Interarrival jitter that the other side reports of what we send, ms.
    public var remoteJitterMilliseconds: Double?
    /// Share of our packets that the other side reports lost since its last report, `0...1`.
    public var remoteFractionLost: Double?
    /// Round trip by RTCP (RFC 3550 §6.4.1), ms.
    public var roundTripMilliseconds: Double?

    /// Delay that the jitter buffer adds now, ms.
    public var jitterBufferDelayMilliseconds: Double?
    /// Mean of that delay over the call, ms.
    public var meanJitterBufferDelayMilliseconds: Double?
    /// Delay that the jitter buffer aims at, ms.
    public var jitterBufferTargetMilliseconds: Double?
    /// Share of the played time that was concealed, not decoded, `0...1`.
    ///
    /// Time restored from FEC is not concealed.
    public var concealedShare: Double?
    /// Packets restored from the forward error correction in the packet after them.
    public var packetsRecovered = 0

    /// Mean level of what we sent while it was not silent, dBov (ITU-T G.100.1): 0 is full scale, -26 a usual talker.
    public var sentLevel: Double?
    /// Mean level of what we played while it was not silent, dBov.
    public var receivedLevel: Double?

    /// Transmission rating R of what we receive, `0...100` narrow band or `0...129` wide band (ITU-T G.107, G.107.1).
    public var rating: Double?
    /// Estimated listening quality of what we receive, `1...4.5`, by ``qualityModel``; a transport estimate, not a judgement of the sound.
    public var meanOpinionScore: Double?
    /// The name of the model behind ``rating`` and ``meanOpinionScore``.
    public var qualityModel: String?

    /// Why the recording stopped before the session did; `nil` while it is whole.
    public var recordingFailure: String?

    /// Wake-ups of the media thread that came more than 5 ms late: our machine's fault, not the network's.
    public var lateWakeUps = 0
    /// Whether the media thread runs with real-time priority.
    public var hasRealTimePriority = false

    /// Statistics of a session that has not begun.
    public init() {}
}
