internal import CCurl
internal import FoundationEssentials
internal import Synchronization

/// One request on its way: libcurl's easy handle, what came so far, and who waits for it.
///
/// Configured by its creator, then owned by the thread of ``CurlLoop``; only ``isCancelled`` is shared.
final class CurlTransfer: @unchecked Sendable {  // handed over whole to the loop's thread; the flag is atomic
    enum Receiver {
        case whole(CheckedContinuation<HTTPResponse, any Error>)
        case stream(AsyncThrowingStream<HTTPStreamPart, any Error>.Continuation, silenceLimit: Duration)
    }

    let easy: UnsafeMutableRawPointer
    let isCancelled: CancellationFlag
    private let receiver: Receiver
    private var requestHeaders: UnsafeMutablePointer<curl_slist>?
    private var head = HTTPHead(status: 0)
    private var body = Data()
    private var isTooLarge = false
    private var lastActivity = ContinuousClock.now

    init?(_ request: HTTPRequest, caFile: String?, flag: CancellationFlag, receiver: Receiver) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.receiver = receiver
        isCancelled = flag
        configure(request, caFile: caFile)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(requestHeaders)
    }

    /// When a silent stream is given up; `nil` for whole answers, which libcurl times itself.
    var silenceDeadline: ContinuousClock.Instant? {
        guard case .stream(_, let silenceLimit) = receiver else { return nil }
        return lastActivity + silenceLimit
    }

    /// Tells the waiting side how the transfer went.
    ///
    /// Call once.
    func complete(_ error: HTTPTransportError?) {
        switch (receiver, isTooLarge ? .responseTooLarge : error) {
        case (.whole(let continuation), nil):
            continuation.resume(returning: HTTPResponse(head: head, body: body))
        case (.whole(let continuation), let error?):
            continuation.resume(throwing: error)
        case (.stream(let continuation, _), let error):
            continuation.finish(throwing: error)
        }
    }

    private func configure(_ request: HTTPRequest, caFile: String?) {
        _ = ccurl_set_string(easy, CURLOPT_URL, request.url)
        _ = ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        _ = ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        _ = ccurl_set_long(easy, CURLOPT_TCP_NODELAY, 1)
        _ = ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, 5000)
        if case .whole = receiver {
            _ = ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, request.answerLimit.wholeMilliseconds))
        }
        if let caFile { _ = ccurl_set_string(easy, CURLOPT_CAINFO, caFile) }
        // A proxy can't reach our own loopback interface.
        if request.url.hasPrefix("http://") { _ = ccurl_set_string(easy, CURLOPT_NOPROXY, "*") }
        if let body = request.body {
            _ = ccurl_set_long(easy, CURLOPT_POSTFIELDSIZE, body.count)
            var bytes = [UInt8](body)
            bytes.append(0)
            bytes.withUnsafeMutableBytes {
                _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            }
        }
        appendHeader("Expect:")
        for (name, value) in request.headers { appendHeader("\(name): \(value)") }
        _ = ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, requestHeaders)
        installCallbacks()
    }

    private func appendHeader(_ line: String) {
        guard let list = curl_slist_append(requestHeaders, line) else { return }
        requestHeaders = list
    }

    private func installCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_set_write_function(
            easy,
            { data, size, count, context in
                guard let data, let context else { return 0 }
                let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.receive(Data(bytes: data, count: size * count)) ? size * count : 0
            }, context)
        _ = ccurl_set_header_function(
            easy,
            { data, size, count, context in
                guard let data, let context else { return 0 }
                let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                let line = UnsafeRawBufferPointer(start: data, count: size * count)
                transfer.receiveHeaderLine(String(decoding: line, as: UTF8.self))
                return size * count
            }, context)
    }

    private func receive(_ data: Data) -> Bool {
        lastActivity = .now
        if case .stream(let continuation, _) = receiver {
            continuation.yield(.bytes(data))
            return true
        }
        guard body.count + data.count <= HTTPClient.bodyLimit else {
            isTooLarge = true
            return false
        }
        body.append(data)
        return true
    }

    private func receiveHeaderLine(_ line: String) {
        lastActivity = .now
        let text = line.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ")
            head = HTTPHead(status: words.count > 1 ? Int(words[1]) ?? 0 : 0)
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            head.headers[text[..<colon].lowercased()] = String(value)
        } else if text.isEmpty, head.status >= 200, case .stream(let continuation, _) = receiver {
            continuation.yield(.head(head))
        }
    }
}

/// A wish to cancel, set by any thread and read by the transfer's.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}

extension Duration {
    /// Milliseconds, rounded down.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? Int.max : Int(product) + Int(attoseconds / 1_000_000_000_000_000)
    }
}
