import AudioFiles
import Foundation
import SoundJudge
import Testing
import VoiceEngine

#if canImport(Glibc)
    import Glibc
#endif

/// ffmpeg as the other side of a call: one process that listens, by a session description, and one that speaks.
///
/// Its RTP, SRTP and codecs are its own.
@Suite("Calls with ffmpeg") struct InteropTests {
    /// What both sides agree on.
    enum Codec: String, CaseIterable, Sendable {
        case opus = "96 opus/48000/2"
        case g722 = "9 G722/8000"
        case pcmu = "0 PCMU/8000"

        var payloadType: Substring { rawValue.split(separator: " ")[0] }

        var offered: AudioCodec {
            switch self {
            case .opus: .opus
            case .g722: .g722
            case .pcmu: .pcmu
            }
        }

        /// How ffmpeg is told to encode.
        var encoding: [String] {
            switch self {
            case .opus: ["-c:a", "libopus", "-ar", "48000", "-payload_type", "96"]
            case .g722: ["-c:a", "g722", "-ar", "16000"]
            case .pcmu: ["-c:a", "pcm_mulaw", "-ar", "8000"]
            }
        }
    }

    /// Where a call's files are, and what is said in it, with silence behind.
    private struct Stage {
        let folder: URL
        let said: [Int16]

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "voice-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            said = try readChannels(at: Programs.sentence)[0]
        }

        func file(_ name: String) -> String { folder.appendingPathComponent(name).path }
        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    @Test(arguments: Codec.allCases) func ffmpegHearsWhatWeSayAndWeHearWhatItSays(codec: Codec) async throws {
        let stage = try Stage()
        defer { stage.remove() }
        let engine = try VoiceEngine()
        let quiet = [Int16](repeating: 0, count: 48_000)
        let session = try await engine.makeSession(
            .init(
                localAddress: .numeric("127.0.0.1"), codecs: [codec.offered],
                input: .clip(AudioClip(samples: stage.said + quiet + quiet))))
        try await session.record(to: stage.file("call.wav"))
        let offer = session.makeOffer()
        let port = try #require(Self.field("m=audio ", of: offer))
        let ourKey = try #require(Self.field("inline:", of: offer, suite: "AES_CM_128_HMAC_SHA1_80"))
        let line = try #require(Self.tag(of: offer, suite: "AES_CM_128_HMAC_SHA1_80"))
        let theirKey = Data((0..<30).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        let theirPort = try freePort()

        // It hears by a description of what we send: our key, its port.
        let listened = stage.file("heard.sdp")
        try Self.description(codec, port: theirPort, crypto: "1", key: ourKey, isAnswer: false)
            .write(toFile: listened, atomically: true, encoding: .utf8)
        let listener = try RunningProgram(
            "/usr/bin/ffmpeg",
            [
                "-nostdin", "-loglevel", "warning", "-protocol_whitelist", "file,udp,rtp,srtp", "-i",
                listened,
                "-t", "\(Double(stage.said.count) / 48_000 + 0.5)", "-ar", "48000", "-ac", "1",
                stage.file("heard.wav"),
            ])
        try await listener.listens(on: theirPort)
        let description = Self.description(
            codec, port: theirPort, crypto: line, key: theirKey, isAnswer: true)
        try await session.accept(answer: description)
        let listening = try await listener.end()
        #expect(listening.code == 0, "\(listening.errors)")
        // It speaks from another port than the one it hears at, and an authenticated sender is where we send to from then
        // on (symmetric RTP, RFC 4961): so it speaks last.
        let speaker = try RunningProgram(
            "/usr/bin/ffmpeg",
            [
                "-nostdin", "-loglevel", "warning", "-re", "-i", Programs.sentence, "-af", "apad=pad_dur=1",
                "-ac", "1",
            ] + codec.encoding + [
                "-srtp_out_suite", "AES_CM_128_HMAC_SHA1_80", "-srtp_out_params", theirKey, "-f", "rtp",
                "srtp://127.0.0.1:\(port)?rtcpport=\(port)",
            ])
        let spoke = try await speaker.end()
        #expect(spoke.code == 0, "\(spoke.errors)")
        let statistics = await session.close()
        await engine.shutDown()

        #expect(statistics.cryptoSuite == "AES_CM_128_HMAC_SHA1_80")
        #expect(statistics.packetsReceived > 50)
        let heardByIt = try readChannels(at: stage.file("heard.wav"))[0]
        let theirs = findSound(stage.said.span, in: heardByIt.span, rate: 48_000)
        #expect(theirs?.isFound == true)
        let heardByUs = try readChannels(at: stage.file("call.wav"))[1]
        let ours = findSound(stage.said.span, in: heardByUs.span, rate: 48_000)
        #expect(ours?.isFound == true)
    }

    private static func description(
        _ codec: Codec, port: UInt16, crypto tag: String, key: String, isAnswer: Bool
    ) -> String {
        """
        v=0
        o=- 1 1 IN IP4 127.0.0.1
        s=-
        c=IN IP4 127.0.0.1
        t=0 0
        m=audio \(port) RTP/SAVP \(codec.payloadType)
        a=rtpmap:\(codec.rawValue)
        a=crypto:\(tag) AES_CM_128_HMAC_SHA1_80 inline:\(key)
        \(isAnswer ? "a=rtcp-mux\na=sendrecv" : "a=recvonly")

        """.replacing("\n", with: "\r\n")
    }

    /// What stands behind `prefix`, up to the next space, in the line of `suite`.
    private static func field(_ prefix: String, of description: String, suite: String? = nil) -> String? {
        for line in description.split(separator: "\r\n") where suite.map(line.contains) ?? true {
            guard let found = line.range(of: prefix) else { continue }
            return String(line[found.upperBound...].prefix { $0 != " " && $0 != "|" })
        }
        return nil
    }

    private static func tag(of description: String, suite: String) -> String? {
        field("a=crypto:", of: description, suite: suite)
    }

    /// A port that was free a moment ago, with the next one up free too.
    private func freePort() throws -> UInt16 {
        while true {
            let first = try boundSocket(to: 0)
            defer { close(first.socket) }
            guard first.port.isMultiple(of: 2), let second = try? boundSocket(to: first.port + 1) else {
                continue
            }
            close(second.socket)
            return first.port
        }
    }
}

private func boundSocket(to port: UInt16) throws -> (socket: Int32, port: UInt16) {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
        }
    }
    guard isBound else {
        close(socket)
        throw RunningProgram.Failure(description: "no port \(port)")
    }
    return (socket, UInt16(bigEndian: address.sin_port))
}

extension RunningProgram {
    /// Waits until some socket is bound to `port`, as `/proc/net/udp` tells.
    fileprivate func listens(on port: UInt16) async throws {
        let wanted = ":" + String(port, radix: 16, uppercase: true) + " "
        while true {
            let tables = ["/proc/net/udp", "/proc/net/udp6"].map {
                (try? String(contentsOfFile: $0, encoding: .utf8)) ?? ""
            }
            if tables.contains(where: { $0.contains(wanted) }) { return }
            try requireRunning()
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
