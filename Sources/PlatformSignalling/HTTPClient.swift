internal import FoundationEssentials
internal import Synchronization

/// Sends HTTP requests through libcurl: one thread, connections kept alive, TLS always verified, no redirects followed.
///
/// Safe from any thread. Requests still under way when the client goes fail with ``HTTPTransportError/cancelled``.
package final class HTTPClient: Sendable {
    /// The largest body taken from an answer, bytes.
    package static let bodyLimit = 4 * 1024 * 1024

    private let loop = CurlLoop()
    private let caFile: String?

    /// Makes a client.
    ///
    /// - Parameter caFile: A PEM file of the authorities to trust instead of the system's, or `nil`.
    package init(caFile: String? = nil) {
        self.caFile = caFile
    }

    deinit { loop.stop() }

    /// Sends `request` and waits for the whole answer, of any status.
    ///
    /// Cancelling the task closes the transfer.
    package func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        try Self.check(request)
        let flag = CancellationFlag()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard
                        let transfer = CurlTransfer(
                            request, caFile: caFile, flag: flag, receiver: .whole(continuation))
                    else { return continuation.resume(throwing: HTTPTransportError.outOfMemory) }
                    loop.add(transfer)
                }
            } onCancel: {
                flag.set()
                loop.wake()
            }
        } catch {
            throw error as? HTTPTransportError ?? .cancelled
        }
    }

    /// Sends `request` and hands over the answer's parts as they come, until it ends or the stream is dropped.
    ///
    /// When nothing arrives for `silenceLimit`, it fails with ``HTTPTransportError/timedOut``.
    package func stream(_ request: HTTPRequest, silenceLimit: Duration) -> AsyncThrowingStream<
        HTTPStreamPart, any Error
    > {
        AsyncThrowingStream { continuation in
            do throws(HTTPTransportError) {
                try Self.check(request)
                let flag = CancellationFlag()
                guard
                    let transfer = CurlTransfer(
                        request, caFile: caFile, flag: flag,
                        receiver: .stream(continuation, silenceLimit: silenceLimit))
                else { throw .outOfMemory }
                continuation.onTermination = { [loop] _ in
                    flag.set()
                    loop.wake()
                }
                loop.add(transfer)
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }

    private static func check(_ request: HTTPRequest) throws(HTTPTransportError) {
        for (name, value) in request.headers {
            let isClean = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            guard isClean else { throw .invalidHeader(name) }
        }
    }
}

extension HTTPTransportError {
    fileprivate static let outOfMemory = HTTPTransportError.other(code: 27, text: "Out of memory")
}
