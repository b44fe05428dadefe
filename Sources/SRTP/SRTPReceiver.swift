internal import CSRTP
package import MediaTime

/// What the other side sends, under one master key after another (RFC 3711 §3.3, RFC 4568 §6.1).
///
/// After a change of keys, packets under the old one are taken for ten seconds more. A rollover counter that was lost is
/// searched for, with bounded work. Real-time safe, but for ``changeKey(to:at:)`` and the first packet of a source that
/// its context doesn't know: these allocate.
package struct SRTPReceiver: ~Copyable {
    /// Sources that one receiver may have; packets of more are not looked at.
    package static var maximumSources: Int { SourceTable.capacity }
    /// How long packets under an old key are still taken, in nanoseconds.
    ///
    /// They were sent before the other side knew of the new one.
    package static var overlap: Int64 { 10_000_000_000 }
    /// The longest datagram whose rollover counter is searched for, in octets.
    static var longestRetry: Int { 2_048 }

    private var current: SRTPContext
    private var previous: SRTPContext?
    private var overlapEnd = MonotonicInstant(nanoseconds: 0)
    private var sources = SourceTable()
    private var budget = SearchBudget()
    /// The datagram as it came, since GCM spoils what it refuses.
    private var original: FixedBuffer<UInt8>
    private var keepsOriginals: Bool
    package private(set) var diagnosis = SRTPDiagnosis()

    /// - Parameter context: Inbound, and used by nobody before.
    package init(_ context: consuming SRTPContext) {
        keepsOriginals = context.damagesWhatItRefuses
        current = context
        original = FixedBuffer(repeating: 0, count: Self.longestRetry)
    }

    // MARK: The key

    /// Takes packets under another key from now on, and those under the old one for ``overlap``.
    ///
    /// - Parameters:
    ///   - next: Inbound, best made with the other side's SSRCs among its sources; on return, what to free elsewhere, if
    ///     anything: the key before the old one, or `next` itself if it is the key in use, which changes nothing.
    ///   - now: The time of the change.
    /// - Returns: Whether the key is another one.
    @discardableResult
    package mutating func changeKey(to next: inout SRTPContext?, at now: MonotonicInstant) -> Bool {
        guard var other = next.take() else { return false }
        guard !other.key.isSameKey(as: current.key) else {
            next = consume other
            return false
        }
        swap(&current, &other)
        next = previous.take()
        previous = consume other
        keepsOriginals = keepsOriginals || current.damagesWhatItRefuses
        overlapEnd = now.advanced(byNanoseconds: Self.overlap)
        sources.forgetKey()
        diagnosis.hasSucceeded = false
        return true
    }

    /// The old key, to be freed elsewhere, once ``overlap`` is over.
    package mutating func takeOldKey(at now: MonotonicInstant) -> SRTPContext? {
        guard now >= overlapEnd else { return nil }
        return previous.take()
    }

    /// The rollover counter of a source under the key in use, or `nil` if nothing of it has authenticated.
    package func rolloverCounter(of source: UInt32) -> UInt32? { current.rolloverCounter(of: source) }

    // MARK: Packets

    /// Checks and decrypts an SRTP packet where it stands.
    ///
    /// Nothing of the packet may be believed, and no state changed for it, before this returns.
    ///
    /// - Parameters:
    ///   - packet: The datagram; of no use after a failure.
    ///   - length: Its octets; on return, those of the RTP packet.
    ///   - now: The time, for the bounds of ``overlap`` and of searching.
    /// - Throws: ``SRTPError``; drop the datagram, and count it by that reason.
    package mutating func unprotectRTP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int, at now: MonotonicInstant
    ) throws(SRTPError) {
        guard length >= 12, length <= packet.count else { throw .malformed }
        let place = PacketPlace(of: packet.span)
        let known = sources.find(place.source)
        guard known != nil || !sources.isFull else { throw .tooManySources }
        let source = known.map { sources[$0] } ?? SourceTable.Source(ssrc: place.source)
        let guess = source.index(of: place.sequenceNumber)
        keepOriginal(packet.span, length)

        let status = open(&packet, &length, of: source, at: guess)
        if status == srtp_err_status_ok {
            take(place.source, at: guess)
        } else {
            try retry(&packet, &length, of: source, at: guess, after: status, now)
        }
    }

    /// Checks and decrypts an SRTCP packet where it stands; as ``unprotectRTP(_:length:at:)``.
    package mutating func unprotectRTCP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int, at now: MonotonicInstant
    ) throws(SRTPError) {
        guard length >= 8, length <= packet.count else { throw .malformed }
        let ssrc = UInt32(bigEndian: packet.span, at: 4)
        guard sources.find(ssrc) != nil || !sources.isFull else { throw .tooManySources }
        keepOriginal(packet.span, length)
        do throws(SRTPError) {
            do throws(SRTPError) {
                try current.unprotectRTCP(&packet, length: &length)
                diagnosis.hasSucceeded = true
            } catch {
                guard previous != nil, now < overlapEnd, length <= Self.longestRetry else { throw error }
                restoreOriginal(&packet, length)
                do throws(SRTPError) {
                    try previous?.unprotectRTCP(&packet, length: &length)
                } catch let old { throw old == .replay ? old : error }
            }
            _ = sources.insert(ssrc)
        } catch {
            diagnosis.noteFailure(error)
            throw error
        }
    }

    // MARK: The rollover counter

    /// Opens a packet with the first guess of its index.
    private mutating func open(
        _ packet: inout MutableSpan<UInt8>, _ length: inout Int, of source: SourceTable.Source,
        at guess: PacketIndex
    ) -> srtp_err_status_t {
        // Once a source is established, libsrtp2 guesses the same.
        guard !source.isEstablished, guess.rolloverCounter > 0 else {
            return current.openRTP(&packet, length: &length)
        }
        return open(&packet, &length, of: source.ssrc, under: guess.rolloverCounter)
            ?? srtp_err_status_auth_fail
    }

    /// Opens a packet under a rollover counter, or gives `nil` if there's no stream to do so.
    private mutating func open(
        _ packet: inout MutableSpan<UInt8>, _ length: inout Int, of ssrc: UInt32, under counter: UInt32
    ) -> srtp_err_status_t? {
        guard current.expectRolloverCounter(counter, of: ssrc) else { return nil }
        let status = current.openRTP(&packet, length: &length)
        // libsrtp2 keeps what it expects until a packet brings it there, and would guess no more.
        _ = current.expectRolloverCounter(0, of: ssrc)
        return status
    }

    private mutating func take(_ ssrc: UInt32, at index: PacketIndex) {
        let place = sources.insert(ssrc)
        if !sources[place].isEstablished || sources[place].newest.map({ $0 < index }) ?? true {
            sources[place].newest = index
        }
        sources[place].isEstablished = true
        diagnosis.noteSuccess(at: index)
    }

    /// Tries the old key, and then other rollover counters.
    @inline(never)
    private mutating func retry(
        _ packet: inout MutableSpan<UInt8>, _ length: inout Int, of source: SourceTable.Source,
        at guess: PacketIndex, after status: srtp_err_status_t, _ now: MonotonicInstant
    ) throws(SRTPError) {
        var error = SRTPError(status) ?? .authentication
        if length <= Self.longestRetry {
            if previous != nil, now < overlapEnd {
                restoreOriginal(&packet, length)
                let old = previous?.openRTP(&packet, length: &length) ?? srtp_err_status_auth_fail
                if old == srtp_err_status_ok { return takeUnderOldKey(source.ssrc, at: guess) }
                if SRTPError(old) == .replay { error = .replay }
            }
            if status == srtp_err_status_auth_fail || status == srtp_err_status_replay_old {
                if search(&packet, &length, of: source, at: guess, now) { return }
            }
        }
        diagnosis.noteFailure(error, at: guess, after: source.newest)
        throw error
    }

    private mutating func takeUnderOldKey(_ ssrc: UInt32, at guess: PacketIndex) {
        let place = sources.insert(ssrc)
        if !sources[place].isEstablished { sources[place].newest = guess }
    }

    private mutating func search(
        _ packet: inout MutableSpan<UInt8>, _ length: inout Int, of source: SourceTable.Source,
        at guess: PacketIndex, _ now: MonotonicInstant
    ) -> Bool {
        guard budget.take(at: now) else {
            diagnosis.searchesLeftOut += 1
            return false
        }
        let isNew = !current.hasStream(of: source.ssrc)
        let candidates: RolloverCounters
        if source.isEstablished {
            candidates = RolloverCounters(after: guess)
        } else {
            // A counter above 0 has been tried only if there was a stream to try it with.
            let tried = isNew && guess.rolloverCounter > 0 ? nil : guess.rolloverCounter
            candidates = RolloverCounters(kept: source.newest.map { _ in guess }, except: tried)
        }
        diagnosis.lastSearch = RolloverCounters()
        if isNew, current.addStream(of: source.ssrc) != srtp_err_status_ok { return false }
        for place in 0..<candidates.count {
            restoreOriginal(&packet, length)
            let counter = candidates[place]
            let status = open(&packet, &length, of: source.ssrc, under: counter)
            if status != nil, status != srtp_err_status_pkt_idx_old { diagnosis.lastSearch.append(counter) }
            guard status == srtp_err_status_ok else { continue }
            take(
                source.ssrc,
                at: PacketIndex(rolloverCounter: counter, sequenceNumber: guess.sequenceNumber))
            diagnosis.recoveries += 1
            diagnosis.lastCause = .lostCount
            return true
        }
        // Nothing is kept of whom nothing authenticated.
        if isNew { current.removeStream(of: source.ssrc) }
        return false
    }

    // MARK: The datagram as it came

    private mutating func keepOriginal(_ packet: Span<UInt8>, _ length: Int) {
        guard keepsOriginals, length <= Self.longestRetry else { return }
        original.replace(at: 0, with: packet.extracting(0..<length))
    }

    private func restoreOriginal(_ packet: inout MutableSpan<UInt8>, _ length: Int) {
        guard keepsOriginals else { return }
        original.copy(0..<length, into: &packet)
    }
}
