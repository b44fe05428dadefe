/// Why two descriptions make no call.
///
/// Nothing is sent after one of these; an answerer refuses the call (SIP: 488).
package enum NegotiationError: Error, Hashable, Sendable {
    /// No audio section, or none with RTP/AVP or RTP/SAVP.
    case noAudio
    /// The other side turned our audio off, with port 0.
    case rejected
    /// A section that is on says no address.
    case noAddress
    /// No audio encoding that both know.
    case noCommonCodec
    /// The other side has no encryption, and we require it. We never go without.
    case encryptionRequired
    /// The other side requires encryption, and we are set up without.
    case encryptionUnavailable
    /// The other side's crypto lines are all unusable, or of suites that we don't have.
    case noUsableCryptoLine([CryptoLineProblem])
    /// The answer takes a crypto line that we didn't offer (RFC 4568 §5.1.3).
    case cryptoMismatch(tag: Int)
    /// An answer came, and no offer of ours waits for one.
    case unexpectedAnswer
    /// An offer came while ours waits for its answer: one side must withdraw (RFC 3261 §14.2).
    case offerPending
}

/// A format under the numbers that both sides gave it.
package struct NegotiatedFormat: Hashable, Sendable {
    /// Units of the RTP timestamp in a second.
    package var clockRate: Int
    /// The number that the other side declared: it listens for that (RFC 3264 §6.1).
    package var payloadTypeToSend: UInt8
    /// The number that we declared, and the other side's: some send under their own.
    package var payloadTypesToAccept: [UInt8]
}

/// An audio encoding that both sides have.
package struct NegotiatedCodec: Hashable, Sendable {
    package var encoding: AudioEncoding
    package var format: NegotiatedFormat
    /// What the other side asks of our stream; `nil` for other encodings than Opus.
    package var opus: OpusParameters?
}

/// What an offer and its answer agree on, seen from our side.
package struct NegotiatedMedia: Hashable, Sendable {
    package enum Security: Hashable, Sendable {
        case none
        /// We protect with `local`, the other side with `remote`. Same suite, never the same key.
        case encrypted(tag: Int, local: MasterKey, remote: MasterKey)
    }

    /// Where to send, or `nil` as long as the other side wants nothing (RFC 3264 §8.4).
    package var remoteAddress: ConnectionAddress?
    package var remotePort: UInt16
    /// Where to send RTCP: to ``remotePort`` if it is multiplexed.
    ///
    /// `nil` if there is nowhere.
    package var remoteRTCPPort: UInt16?
    /// Where that port is; `nil` as long as the other side wants nothing.
    package var remoteRTCPAddress: ConnectionAddress?
    package var isRTCPMultiplexed: Bool
    /// Whether we send and receive.
    package var direction: MediaDirection
    /// Whether the other side wants nothing of what we would send: it holds (RFC 3264 §8.4).
    package var isHeldByRemote: Bool
    /// What to send.
    package var codec: NegotiatedCodec
    /// What else the other side may send, any time.
    package var alternatives: [NegotiatedCodec]
    /// Telephone events, one for each clock rate.
    package var telephoneEvents: [NegotiatedFormat]
    package var comfortNoise: NegotiatedFormat?
    /// Audio in a packet to send, ms.
    package var packetDuration: Int
    package var security: Security
    /// What the other side's packets carry to name its key, if they do; ours carry nothing.
    package var remoteMasterKeyIdentifier: MasterKeyIdentifier?

    /// How to send telephone events: at the clock rate of ``codec``, else at 8000, else at any, else `nil`.
    package var telephoneEvent: NegotiatedFormat? {
        telephoneEvents.first { $0.clockRate == codec.format.clockRate }
            ?? telephoneEvents.first { $0.clockRate == 8000 } ?? telephoneEvents.first
    }
}
