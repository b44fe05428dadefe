internal import CSRTP
internal import CSRTPCiphers
internal import MediaTime

/// One direction of SRTP and SRTCP under one master key (RFC 3711), on libsrtp2.
///
/// Made and freed off the media thread, since both take time and memory; ``SRTPSender`` and ``SRTPReceiver`` are given
/// one for each key. Packets are transformed in place. The key is wiped from memory with the last one that has it.
@safe package struct SRTPContext: ~Copyable, @unchecked Sendable {  // the only holder of its libsrtp2 session
    /// What protection may add to a packet, in octets: MKI and tag, and for RTCP the index (RFC 3711 §3.4).
    package static var maximumExpansion: Int { Int(SRTP_MAX_TRAILER_LEN) + 4 }

    package enum Direction: Sendable {
        /// For packets that we send.
        case outbound
        /// For packets that we receive.
        case inbound
    }

    package let key: SRTPKey
    private let session: srtp_t
    private let usesIdentifier: UInt32
    /// Whether a packet that fails has been changed all the same: GCM decrypts before it knows the tag, and of RTCP an
    /// MKI is gone.
    let damagesWhatItRefuses: Bool

    /// - Parameters:
    ///   - key: Each direction has its own, never the same one (RFC 4568 §6.1).
    ///   - direction: Whether packets are protected or opened.
    ///   - sources: SSRCs that are already known, for which the media thread then has nothing to make.
    /// - Throws: ``SRTPError/library(_:)`` when libsrtp2 can't make a session; `.malformed` for a key of the wrong length
    ///   or an MKI of more than 128 octets.
    package init(
        _ key: SRTPKey, direction: Direction, sources: [UInt32] = []
    ) throws(SRTPError) {
        guard key.keyAndSalt.count == key.suite.keyAndSaltLength,
            key.masterKeyIdentifier.count <= Int(SRTP_MAX_MKI_LEN)
        else { throw .malformed }
        let installed = csrtp_ciphers_install()
        guard installed == srtp_err_status_ok else { throw .library(installed.rawValue) }

        unsafe session = try Self.makeSession(of: key, direction, sources)
        self.key = key
        usesIdentifier = key.masterKeyIdentifier.isEmpty ? 0 : 1
        damagesWhatItRefuses = key.suite.isGCM || !key.masterKeyIdentifier.isEmpty
    }

    private static func makeSession(
        of key: SRTPKey, _ direction: Direction, _ sources: [UInt32]
    ) throws(SRTPError) -> srtp_t {
        let anySource = srtp_ssrc_t(
            type: direction == .outbound ? ssrc_any_outbound : ssrc_any_inbound, value: 0)
        var made: srtp_t?
        let status = unsafe withPolicy(of: key, for: anySource) { unsafe srtp_create(&made, &$0) }
        guard status == srtp_err_status_ok, let made = unsafe made else { throw .library(status.rawValue) }
        for source in Set(sources) {
            let status = unsafe addStream(of: source, under: key, to: made)
            guard status == srtp_err_status_ok else {
                unsafe _ = srtp_dealloc(made)
                throw .library(status.rawValue)
            }
        }
        return unsafe made
    }

    deinit { unsafe _ = srtp_dealloc(session) }

    // MARK: Packets

    /// Encrypts and authenticates an RTP packet where it stands.
    ///
    /// - Parameters:
    ///   - packet: The packet, and behind it ``maximumExpansion`` octets of room.
    ///   - length: Octets of the packet; on return, of the SRTP packet.
    /// - Throws: ``SRTPError``; send nothing then.
    package mutating func protectRTP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length + Self.maximumExpansion <= packet.count else { throw .noRoom }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        if let error = unsafe SRTPError(csrtp_protect(session, base, &count, usesIdentifier)) { throw error }
        length = Int(count)
    }

    /// Encrypts and authenticates a compound RTCP packet where it stands; as ``protectRTP(_:length:)``.
    package mutating func protectRTCP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length + Self.maximumExpansion <= packet.count else { throw .noRoom }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        if let error = unsafe SRTPError(csrtp_protect_rtcp(session, base, &count, usesIdentifier)) {
            throw error
        }
        length = Int(count)
    }

    /// Checks and decrypts an SRTP packet where it stands.
    ///
    /// Nothing of the packet may be believed, and no state changed for it, before this returns.
    ///
    /// - Parameters:
    ///   - packet: The datagram.
    ///   - length: Its octets; on return, those of the RTP packet.
    /// - Throws: ``SRTPError``; drop the datagram, and count it by that reason.
    package mutating func unprotectRTP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        if let error = SRTPError(openRTP(&packet, length: &length)) { throw error }
    }

    /// As ``unprotectRTP(_:length:)``, in libsrtp2's words, of which a receiver tells more apart.
    mutating func openRTP(_ packet: inout MutableSpan<UInt8>, length: inout Int) -> srtp_err_status_t {
        guard length >= 12, length <= packet.count else { return srtp_err_status_bad_param }
        var count = Int32(truncatingIfNeeded: length)
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        let status = unsafe csrtp_unprotect(session, base, &count, usesIdentifier)
        if status == srtp_err_status_ok { length = Int(count) }
        return status
    }

    /// Checks and decrypts an SRTCP packet where it stands; as ``unprotectRTP(_:length:)``.
    package mutating func unprotectRTCP(
        _ packet: inout MutableSpan<UInt8>, length: inout Int
    ) throws(SRTPError) {
        guard length >= 8, length <= packet.count else { throw .malformed }
        var count = Int32(truncatingIfNeeded: length)
        if usesIdentifier != 0 { count = Int32(try Self.removeIdentifier(of: key, from: &packet, length)) }
        let base = unsafe packet.withUnsafeMutableBytes { $0.baseAddress }
        if let error = unsafe SRTPError(csrtp_unprotect_rtcp(session, base, &count)) { throw error }
        length = Int(count)
    }

    /// Moves the tag of an SRTCP packet over its MKI, which is not authenticated (RFC 3711 §3.4).
    ///
    /// libsrtp2 looks for it where the shorter tag of RTP would begin (2.5.0).
    ///
    /// - Returns: Octets without it.
    private static func removeIdentifier(
        of key: SRTPKey, from packet: inout MutableSpan<UInt8>, _ length: Int
    ) throws(SRTPError) -> Int {
        let identifier = key.masterKeyIdentifier
        // GCM's tag stands before the index (RFC 7714 §9.2).
        let tagLength = key.suite.isGCM ? 0 : 10
        let start = length - tagLength - identifier.count
        guard start >= 8 else { throw .malformed }
        for offset in identifier.indices where packet[start + offset] != identifier[offset] {
            throw .masterKeyIdentifier
        }
        for offset in 0..<tagLength { packet[start + offset] = packet[start + identifier.count + offset] }
        return start + tagLength
    }

    // MARK: Streams

    /// The rollover counter that libsrtp2 has for a source, or `nil` if it has no stream of it.
    package func rolloverCounter(of source: UInt32) -> UInt32? {
        var counter: UInt32 = 0
        let status = unsafe srtp_get_stream_roc(session, source, &counter)
        return status == srtp_err_status_ok ? counter : nil
    }

    package func hasStream(of source: UInt32) -> Bool { rolloverCounter(of: source) != nil }

    /// Sets the rollover counter that the next packet of `source` is taken to have; 0 means that libsrtp2 guesses.
    ///
    /// - Returns: Whether there's a stream of that source.
    mutating func expectRolloverCounter(_ counter: UInt32, of source: UInt32) -> Bool {
        unsafe srtp_set_stream_roc(session, source, counter) == srtp_err_status_ok
    }

    /// Makes a stream for a source from which no packet has been taken.
    ///
    /// Derives keys and allocates, some ten microseconds of it.
    mutating func addStream(of source: UInt32) -> srtp_err_status_t {
        unsafe Self.addStream(of: source, under: key, to: session)
    }

    private static func addStream(
        of source: UInt32, under key: SRTPKey, to session: srtp_t
    ) -> srtp_err_status_t {
        let ssrc = srtp_ssrc_t(type: ssrc_specific, value: source)
        return unsafe withPolicy(of: key, for: ssrc) { unsafe srtp_add_stream(session, &$0) }
    }

    /// Undoes ``addStream(of:)``.
    mutating func removeStream(of source: UInt32) {
        unsafe _ = srtp_remove_stream(session, source.bigEndian)
    }

    private static func withPolicy(
        of key: SRTPKey, for ssrc: srtp_ssrc_t, _ body: (inout srtp_policy_t) -> srtp_err_status_t
    ) -> srtp_err_status_t {
        key.keyAndSalt.withSpan { octets in
            unsafe octets.withUnsafeBufferPointer { secret in
                unsafe key.masterKeyIdentifier.withUnsafeBufferPointer { identifier in
                    // libsrtp2 reads both and writes neither.
                    var master = unsafe srtp_master_key_t(
                        key: UnsafeMutablePointer(mutating: secret.baseAddress),
                        mki_id: UnsafeMutablePointer(mutating: identifier.baseAddress),
                        mki_size: UInt32(identifier.count))
                    return unsafe withUnsafeMutablePointer(to: &master) { pointer in
                        var keys: UnsafeMutablePointer<srtp_master_key_t>? = unsafe pointer
                        return unsafe withUnsafeMutablePointer(to: &keys) { list in
                            var policy = unsafe srtp_policy_t()
                            unsafe key.suite.fill(&policy.rtp, &policy.rtcp)
                            unsafe policy.ssrc = ssrc
                            unsafe policy.keys = list
                            unsafe policy.num_master_keys = 1
                            unsafe policy.window_size = 1024
                            // A retransmission must not be protected twice with other content.
                            unsafe policy.allow_repeat_tx = 0
                            return unsafe body(&policy)
                        }
                    }
                }
            }
        }
    }
}
