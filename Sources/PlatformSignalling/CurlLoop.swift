internal import CCurl
internal import Glibc
internal import Synchronization

/// The thread that moves all transfers of one client, over connections that libcurl keeps alive between them.
final class CurlLoop: Sendable {
    private struct Mailbox {
        var added: [CurlTransfer] = []
        /// `nil` once the thread has ended; until then good for `curl_multi_wakeup`, which any thread may call.
        var multi: UnsafeMutableRawPointer?
        var isStopping = false
    }
    private let mailbox: Mutex<Mailbox>

    /// Starts the thread; if the system refuses it, every transfer fails.
    init() {
        _ = Self.initialiseLibrary
        // Only stored here; the thread of the loop works with it, and libcurl lets any thread wake it.
        nonisolated(unsafe) let multi = curl_multi_init()  // one thread uses it
        mailbox = Mutex(Mailbox(multi: multi))
        start()
    }

    private static let initialiseLibrary = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Hands `transfer` over; it completes in any case, at once when the loop has ended.
    func add(_ transfer: CurlTransfer) {
        let isAccepted = mailbox.withLock { mailbox in
            guard let multi = mailbox.multi, !mailbox.isStopping else { return false }
            mailbox.added.append(transfer)
            curl_multi_wakeup(multi)
            return true
        }
        if !isAccepted { transfer.complete(.cancelled) }
    }

    /// Makes the thread look at the cancellation flags.
    func wake() {
        mailbox.withLock { mailbox in
            if let multi = mailbox.multi { curl_multi_wakeup(multi) }
        }
    }

    /// Cancels all transfers and ends the thread.
    func stop() {
        mailbox.withLock { mailbox in
            mailbox.isStopping = true
            if let multi = mailbox.multi { curl_multi_wakeup(multi) }
        }
    }

    private func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        if result == 0 {
            pthread_detach(thread)
        } else {
            Unmanaged<CurlLoop>.fromOpaque(context).release()
            closeMailbox()
        }
    }

    private func run() {
        guard let multi = mailbox.withLock({ $0.multi }) else { return }
        var active: [UnsafeMutableRawPointer: CurlTransfer] = [:]
        while true {
            let (added, isStopping) = mailbox.withLock { mailbox in
                defer { mailbox.added = [] }
                return (mailbox.added, mailbox.isStopping)
            }
            for transfer in added {
                active[transfer.easy] = transfer
                curl_multi_add_handle(multi, transfer.easy)
            }
            if isStopping { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishDone(multi, &active)
            giveUp(multi, &active)
            curl_multi_poll(multi, nil, 0, pollMilliseconds(active), nil)
        }
        for transfer in active.values {
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.complete(.cancelled)
        }
        closeMailbox()
    }

    private func closeMailbox() {
        let left = mailbox.withLock { mailbox in
            if let multi = mailbox.multi { curl_multi_cleanup(multi) }
            mailbox.multi = nil
            defer { mailbox.added = [] }
            return mailbox.added
        }
        for transfer in left { transfer.complete(.cancelled) }
    }

    private func finishDone(
        _ multi: UnsafeMutableRawPointer, _ active: inout [UnsafeMutableRawPointer: CurlTransfer]
    ) {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            let result = message.pointee.data.result
            curl_multi_remove_handle(multi, easy)
            active.removeValue(forKey: easy)?.complete(HTTPTransportError(result))
        }
    }

    /// Ends the cancelled transfers and the streams that were silent too long.
    private func giveUp(
        _ multi: UnsafeMutableRawPointer, _ active: inout [UnsafeMutableRawPointer: CurlTransfer]
    ) {
        let now = ContinuousClock.now
        for transfer in Array(active.values) {
            let isSilent = transfer.silenceDeadline.map { $0 <= now } ?? false
            guard transfer.isCancelled.isSet || isSilent else { continue }
            curl_multi_remove_handle(multi, transfer.easy)
            active[transfer.easy] = nil
            transfer.complete(transfer.isCancelled.isSet ? .cancelled : .timedOut)
        }
    }

    private func pollMilliseconds(_ active: [UnsafeMutableRawPointer: CurlTransfer]) -> Int32 {
        guard let deadline = active.values.compactMap(\.silenceDeadline).min() else { return 60_000 }
        let left = ContinuousClock.now.duration(to: deadline).wholeMilliseconds
        return Int32(min(60_000, max(1, left + 1)))
    }
}

extension HTTPTransportError {
    /// `nil` for success.
    init?(_ code: CURLcode) {
        switch code {
        case CURLE_OK: return nil
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unresolvable
        case CURLE_COULDNT_CONNECT: self = .unreachable
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR:
            self = .untrusted(String(cString: curl_easy_strerror(code)))
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self = .connectionLost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: self = .notHTTP
        default: self = .other(code: Int(code.rawValue), text: String(cString: curl_easy_strerror(code)))
        }
    }
}
