package import AudioCodecs
package import RTP
package import SRTP

/// What signalling agreed on for one call's audio: all that a ``MediaSession`` is made from.
package struct MediaParameters: Sendable {
    /// The keys of SRTP, one a direction.
    package struct Security: Sendable {
        /// What we protect with.
        package var local: SRTPKey
        /// What the other side protects with.
        package var remote: SRTPKey

        package init(local: SRTPKey, remote: SRTPKey) {
            self.local = local
            self.remote = remote
        }
    }

    /// A payload type and what it stands for.
    package struct Payload: Hashable, Sendable {
        package var type: PayloadType
        package var format: AudioFormat

        package init(type: PayloadType, format: AudioFormat) {
            self.type = type
            self.format = format
        }
    }

    /// A payload type for telephone events and their clock (RFC 4733 §2.1).
    package struct EventPayload: BitwiseCopyable, Hashable, Sendable {
        package var type: PayloadType
        /// Units of an event's duration in a second.
        package var clockRate: Int

        package init(type: PayloadType, clockRate: Int) {
            self.type = type
            self.clockRate = clockRate
        }
    }

    /// What we send.
    package var sending: Payload
    /// What we take.
    package var receiving: [Payload]
    /// How we send digits; `nil` if the other side takes no telephone events: then they sound, if ``sending`` is G.711.
    package var sendingEvents: EventPayload?
    /// The telephone events that we take; with none, digits are listened for in G.711.
    package var receivingEvents: [EventPayload] = []
    /// What our pauses are told under, if they aren't sent as they are; not with Opus, which has a way of its own.
    package var sendingComfortNoise: PayloadType?
    /// The other side's comfort noise (RFC 3389): type 13 is that by itself, and some send it unasked.
    package var receivingComfortNoise = [PayloadType(rawValue: 13)]
    package var opus = OpusEncoderConfiguration()
    /// Audio in a packet, ms: 10, 20, 40 or 60.
    package var packetMilliseconds = 20
    /// Where to send, until an authenticated packet comes from elsewhere; `nil` waits for that.
    package var remoteAddress: TransportAddress?
    /// `nil` is plain RTP, which is then taken from ``remoteAddress`` only.
    package var security: Security?
    /// Whether the session begins muted, or on hold: then not even a fade is heard.
    package var startsMuted = false
    package var startsOnHold = false
    package var sendsAudio = true
    package var receivesAudio = true
    /// Whether reports go over the port of the audio (RFC 5761).
    package var usesRTCPMultiplexing = true
    /// Where to send reports without ``usesRTCPMultiplexing``: the port above the audio's, or the one of `a=rtcp` (RFC 3605).
    ///
    /// With neither, none are sent.
    package var remoteRTCPAddress: TransportAddress?
    /// Whether our reports have extended ones with them (RFC 3611), which the other side may also ignore (§5).
    package var usesExtendedReports = true
    /// The CNAME (RFC 3550 §6.5.1, RFC 7022).
    package var canonicalName: String
    /// How long nothing may come before ``MediaEvents/timedOut``.
    package var timeout: Duration = .seconds(8)

    package init(sending: Payload, receiving: [Payload], canonicalName: String) {
        self.sending = sending
        self.receiving = receiving
        self.canonicalName = canonicalName
    }
}
