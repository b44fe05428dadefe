internal import MediaTime
internal import RTP

/// From where plain RTP is taken: the address that signalling named, or another port of it, found once.
///
/// A NAT may have given the stream another port than the other side knew. So the first packets may come from any port of
/// the signalled host, for a few seconds; whoever they come from first is kept to. No other host is ever listened to:
/// without authentication it could be anyone's (RTP bleed).
struct AddressLatch: BitwiseCopyable {
    /// How long after signalling another port may be found.
    static var window: Duration { .seconds(5) }

    private let signalled: TransportAddress?
    private var isLatched = false
    private let end: MonotonicInstant

    init(signalled: TransportAddress?, at now: MonotonicInstant) {
        self.signalled = signalled
        end = now.advanced(by: Self.window)
    }

    /// Whether a packet from `address` may be looked at, while packets go to `remote`.
    func admits(_ address: TransportAddress, remote: TransportAddress?, at now: MonotonicInstant) -> Bool {
        if address == remote { return true }
        return !isLatched && now < end && address.address == signalled?.address
    }

    /// Keeps to where a good packet came from.
    mutating func close() { isLatched = true }
}
