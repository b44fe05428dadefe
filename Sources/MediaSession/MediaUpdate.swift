internal import AudioCodecs
internal import JitterBuffer
package import MediaTime
internal import RTP
internal import SRTP

/// What a later offer and answer change in a session, made ready where time doesn't matter.
///
/// ``MediaSession/apply(_:at:)`` swaps what it holds with what the session had; free it elsewhere too.
package struct MediaUpdate: ~Copyable {
    let sending: MediaParameters.Payload
    let receiving: PayloadTable
    let digits: DigitSending
    let listensForDigits: Bool
    let noiseType: PayloadType?
    /// For a session that told of no pauses before.
    var outgoingNoise: OutgoingComfortNoise?
    let sendsAudio: Bool
    let receivesAudio: Bool
    let usesRTCP: Bool
    let remoteRTCPAddress: TransportAddress?
    let packetSamples: Int
    /// Where to send; the session keeps what it has learnt itself if signalling says the same as before.
    let remoteAddress: TransportAddress?
    let hasNewAddress: Bool
    /// `nil` if it stays as it was.
    let opus: OpusEncoderConfiguration?
    /// Keys that changed; afterwards those that they replaced, if these are of no use any more.
    var outbound: SRTPContext?
    var inbound: SRTPContext?
    var encoder: AudioEncoder?
    var decoders: DecoderBank

    /// - Parameters:
    ///   - old: What the session goes by now.
    ///   - new: What it shall go by.
    ///   - source: The session's ``MediaSession/localSource``.
    /// - Throws: ``MediaSessionError``; the session goes on as it was.
    package init(
        from old: MediaParameters, to new: MediaParameters, source: UInt32
    ) throws(MediaSessionError) {
        let packetSamples = try new.checkedPacketSamples()
        let encoder = try new.makeEncoder(unlessFor: old.sending.format)
        let known = Set(old.receiving.map(\.format))
        let decoders = try new.makeDecoders(except: known)
        let outbound = try new.security?.makeOutbound(unlessAs: old.security, source: source)
        let inbound = try new.security?.makeInbound(unlessAs: old.security)
        outgoingNoise = old.noiseType == nil ? try new.makeOutgoingNoise() : nil
        noiseType = new.noiseType
        self.outbound = outbound
        self.inbound = inbound
        self.encoder = encoder
        self.decoders = decoders
        sending = new.sending
        receiving = PayloadTable(new)
        digits = DigitSending(new)
        listensForDigits = new.receivingEvents.isEmpty
        sendsAudio = new.sendsAudio
        receivesAudio = new.receivesAudio
        usesRTCP = new.usesRTCP
        remoteRTCPAddress = new.separateRTCPAddress
        self.packetSamples = packetSamples
        remoteAddress = new.remoteAddress
        hasNewAddress =
            new.remoteAddress != old.remoteAddress || new.separateRTCPAddress != old.separateRTCPAddress
        opus = new.opus != old.opus ? new.opus : nil
    }
}

extension MediaSession {
    /// Goes on by what was agreed anew.
    ///
    /// SSRC, sequence numbers and time line go on; only the format, the addresses, the directions and the keys change. What
    /// was receivable stays receivable, since packets of before are still on their way.
    ///
    /// Real-time safe.
    package mutating func apply(_ update: inout MediaUpdate, at now: MonotonicInstant) {
        changeSending(&update, at: now)
        changeKeys(&update, at: now)
        var table = update.receiving
        table.keep(receiving)
        receiving = table
        Self.adopt(&update.decoders, into: &decoders)
        incomingDigits.setListening(update.listensForDigits)
        usesRTCP = update.usesRTCP
        if update.hasNewAddress {
            remoteAddress = update.remoteAddress
            remoteRTCPAddress = update.remoteRTCPAddress
        }
        latch = AddressLatch(signalled: update.remoteAddress, at: now)
        guard update.receivesAudio != receivesAudio else { return }
        receivesAudio = update.receivesAudio
        jitterBuffer.flush()
        playout.removeAll()
        watchdog.setWatching(receivesAudio && !isOnHold, at: now)
    }

    private mutating func changeKeys(_ update: inout MediaUpdate, at now: MonotonicInstant) {
        if var next = update.outbound.take() {
            // Refused only for a key that was used before: what goes out stays under the one in use.
            _ = try? outbound?.changeKey(to: &next)
            update.outbound = consume next
        }
        _ = inbound?.changeKey(to: &update.inbound, at: now)
    }

    private mutating func changeSending(_ update: inout MediaUpdate, at now: MonotonicInstant) {
        let isOther = sending != update.sending || update.sendsAudio != sendsAudio
        if isOther { isTalkSpurtStart = true }
        sending = update.sending
        sendsAudio = update.sendsAudio
        packetSamples = update.packetSamples
        outgoingDigits.adopt(update.digits)
        noiseType = update.noiseType
        if update.outgoingNoise != nil { swap(&outgoingNoise, &update.outgoingNoise) }
        if var next = update.encoder.take() {
            swap(&encoder, &next)
            update.encoder = consume next
        }
        guard let opus = update.opus else { return }
        adaptation = LossAdaptation(opus)
        try? encoder.set(opus)
    }

    private static func adopt(_ new: inout DecoderBank, into decoders: inout DecoderBank) {
        decoders.adopt(&new)
    }
}

extension MediaParameters.Security {
    /// A context for our key, if that is another than before.
    fileprivate func makeOutbound(
        unlessAs old: Self?, source: UInt32
    ) throws(MediaSessionError) -> SRTPContext? {
        if let old, old.local.isSameKey(as: local) { return nil }
        do throws(SRTPError) {
            return try SRTPContext(local, direction: .outbound, sources: [source])
        } catch { throw .encryption(error) }
    }

    /// A context for the other side's key, if that is another than before.
    fileprivate func makeInbound(unlessAs old: Self?) throws(MediaSessionError) -> SRTPContext? {
        if let old, old.remote.isSameKey(as: remote) { return nil }
        do throws(SRTPError) { return try SRTPContext(remote, direction: .inbound) } catch {
            throw .encryption(error)
        }
    }
}
