import MediaTime
import SDP
import Testing

@Suite("Parsing and writing, RFC 8866")
struct SessionDescriptionTests {
    static let whole = sdp(
        "v=0", "o=alice 2890844526 2890842807 IN IP4 host.example", "s=call", "i=info", "c=IN IP4 192.0.2.1",
        "b=AS:64", "t=0 0", "a=group:BUNDLE 0", "m=audio 49170/2 RTP/SAVP 111 0 x 111", "i=voice",
        "c=IN IP6 2001:db8::1", "b=AS:32", "a=rtpmap:111 opus/48000/2", "a=x-vendor:  kept ", "a=sendonly",
        "m=video 0 RTP/AVP 31")

    @Test func readsEveryLine() throws {
        let description = try SessionDescription(parsing: Self.whole)
        #expect(description.warnings.isEmpty)
        #expect(description.origin?.username == "alice")
        #expect(description.origin?.sessionID == 2_890_844_526)
        #expect(description.origin?.sessionVersion == 2_890_842_807)
        #expect(description.origin?.address.host == "host.example")
        #expect(description.sessionName == "call")
        #expect(description.connection == ConnectionAddress(family: .ip4, host: "192.0.2.1"))
        #expect(description.otherLines.map(\.type) == ["i", "b", "t"])
        #expect(description.attributes == [SDPAttribute("group", "BUNDLE 0")])
        try #require(description.media.count == 2)
        let audio = description.media[0]
        #expect(audio.kind == "audio")
        #expect(audio.port == 49170)
        #expect(audio.profile == "RTP/SAVP")
        #expect(audio.formats == ["111", "0", "x", "111"])
        #expect(audio.payloadTypes == [111, 0])
        #expect(audio.connection == ConnectionAddress(family: .ip6, host: "2001:db8::1"))
        #expect(audio.otherLines.map(\.value) == ["voice", "AS:32"])
        #expect(description.direction(of: audio) == .sendonly)
        #expect(description.direction(of: description.media[1]) == .sendrecv)
    }

    @Test func writesBackWhatItRead() throws {
        let written = try SessionDescription(parsing: Self.whole).serialized()
        // The count of ports is dropped, and so is the space that ended a line.
        let expected = Self.whole
            .split(separator: "\r\n", omittingEmptySubsequences: false)
            .map { $0 == "a=x-vendor:  kept " ? "a=x-vendor:  kept" : String($0) }
            .joined(separator: "\r\n")
        #expect(written == expected.split(separator: "/2 RTP").joined(separator: " RTP"))
        #expect(try SessionDescription(parsing: written).serialized() == written)
    }

    // SDP-09, SDP-10
    @Test(arguments: ["\r\n", "\n", "\r", "", " ", "\0", "\r\n\r\n\r\n\r\n", "\r\n\0", " \t\r\n"])
    func theEndOfTheLastLineDoesNotMatter(end: String) throws {
        let clean = try description("audio 4000 RTP/AVP 0", "sendonly")
        let lines = ["v=0", "o=- 7 1 IN IP4 192.0.2.7", "s=-", "c=IN IP4 192.0.2.7", "t=0 0"]
        let text = (lines + ["m=audio 4000 RTP/AVP 0", "a=sendonly"]).joined(separator: "\r\n") + end
        let description = try SessionDescription(parsing: text)
        #expect(description == clean)
        #expect(description.direction(of: description.media[0]) == .sendonly)
    }

    @Test(arguments: [
        "o=- 7 1 IN IP4 1\0\0/92.0.2.7", "c=IN IP4 1\0/127", "s=a\0", "m=audio\0 4000 RTP/AVP 0\0 8",
    ])
    func nullOctetsDoNotCountWhereverTheyStand(line: String) throws {
        let text = "v=0\r\n\(line)\r\n"
        let description = try SessionDescription(parsing: text)
        #expect(description == (try SessionDescription(parsing: text.filter { $0 != "\0" })))
        let written = description.serialized()
        #expect(try SessionDescription(parsing: written).serialized() == written)
    }

    // SDP-10
    @Test(arguments: ["\n", "\r", "\r\n\r\n", "\n\n"])
    func anyLineEndWillDo(end: String) throws {
        let clean = try SessionDescription(parsing: Self.whole)
        let text = Self.whole.split(separator: "\r\n").joined(separator: end)
        #expect(try SessionDescription(parsing: text) == clean)
    }

    // SDP-11
    @Test func anAttributeBeforeTheTimeIsOnlyWarnedOf() throws {
        let description = try SessionDescription(
            parsing: sdp(
                "v=0", "o=- 1 1 IN IP4 192.0.2.7", "s=-", "c=IN IP4 192.0.2.7", "a=recvonly", "t=0 0",
                "m=audio 1 RTP/AVP 0"))
        #expect(description.warnings == [SDPWarning(kind: .outOfOrder, line: 6)])
        #expect(description.direction(of: description.media[0]) == .recvonly)
    }

    @Test func linesOfNoUseAreWarnedOf() throws {
        let description = try SessionDescription(
            parsing: sdp("v=0", "o=nobody", "s=a", "s=b", "rubbish", "a=", "a=:x", "v=0", "é=1"))
        let kinds: [SDPWarning.Kind] = [
            .malformedOrigin, .repeatedLine, .malformedLine, .namelessAttribute, .namelessAttribute,
            .repeatedLine,
            .malformedLine,
        ]
        #expect(description.warnings.filter { $0.kind != .outOfOrder }.map(\.kind) == kinds)
        #expect(description.origin == nil)
        #expect(description.sessionName == "a")
    }

    @Test(arguments: [
        ("", SDPParseError.empty), ("\r\n \0\r\n", .empty), ("\nv=1\n", .noVersion(line: 2)),
        ("o=- 1 1 IN IP4 a\r\nv=0", .noVersion(line: 1)), ("<html>", .noVersion(line: 1)),
        ("v=0\nm=audio", .malformedMedia(line: 2)),
        ("v=0\nm=audio 65536 RTP/AVP 0", .malformedMedia(line: 2)),
        ("v=0\nm=audio -1 RTP/AVP 0", .malformedMedia(line: 2)), ("v=0\nm=", .malformedMedia(line: 2)),
        ("v=0\nm=audio / RTP/AVP 0", .malformedMedia(line: 2)),
        ("v=0\n\nc=IN IP4", .malformedConnection(line: 3)), ("v=0\nc=", .malformedConnection(line: 2)),
        ("v=0\nc=IN IP5 a", .malformedConnection(line: 2)),
        ("v=0\nc=IN IP4 /", .malformedConnection(line: 2)),
    ])
    func whatCannotBeReadIsAnErrorOfItsLine(text: String, error: SDPParseError) {
        #expect(throws: error) { try SessionDescription(parsing: text) }
    }

    // SDP-12
    @Test func anAttributeWithoutItsValueIsIgnored() throws {
        let description = try description(
            "audio 4000 RTP/AVP 0 111", "", "rtpmap", "rtpmap:", "rtpmap:0", "rtpmap:111 opus",
            "rtpmap:111 /8000",
            "rtpmap:111 opus/0", "rtpmap:111 opus/9999999", "fmtp:111", "fmtp", "crypto:1", "crypto",
            "ptime:",
            "ptime:x", "rtcp", "rtcp:", "x-file-offset", "fmtp: ")
        let media = description.media[0]
        #expect(media.rtpMaps == [RTPMap(payloadType: 0, encodingName: "PCMU", clockRate: 8000)])
        #expect(media.cryptoLines.usable.isEmpty)
        #expect(media.packetDuration == nil)
        #expect(media.rtcpPort == 4001)
        #expect(media.formatParameters(of: 111)["minptime"] == nil)
    }

    @Test func sizeIsBounded() {
        let long = "v=0\r\n" + String(repeating: "a", count: 10_000_000)
        #expect(throws: SDPParseError.tooLong(octets: 10_000_005)) { try SessionDescription(parsing: long) }
        let many = "v=0\n" + String(repeating: "m=audio 1 RTP/AVP 0\n", count: 65)
        #expect(throws: SDPParseError.tooManyMediaSections(line: 66)) {
            try SessionDescription(parsing: many)
        }
    }

    @Test(arguments: [
        "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:" + String(repeating: "A", count: 40) + "\n",
        "a=rtpmap:96 a/1\n", "a=\n", "\n", "=\n", "\u{301}=\u{301}\n", "🧵=\r", "k=\r\r\n",
    ])
    func muchOfTheSameIsReadOnce(line: String) throws {
        let count = (SessionDescription.maximumLength - 100) / line.utf8.count
        let text = "v=0\nm=audio 1 RTP/SAVP 96\n" + String(repeating: line, count: count)
        let media = try SessionDescription(parsing: text).media[0]
        #expect(media.rtpMaps.count <= 1)
        #expect(media.cryptoLines.usable.count <= 1)
    }

    @Test func noTruncationTraps() throws {
        let octets = Array(Self.whole.utf8)
        for length in octets.indices {
            let text = String(decoding: octets.prefix(length), as: UTF8.self)
            guard let description = try? SessionDescription(parsing: text) else { continue }
            _ = try? capabilities().makeAnswer(to: description)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomTextNeverTraps(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let pieces = [
            "a=", "crypto:", "1 ", "AES_CM_128_HMAC_SHA1_80", " inline:", "AAAA", "|", "2^31", ":", ";",
            "\r\n",
            "\n", "m=", "audio ", "4000 ", "RTP/AVP", "RTP/SAVP ", "96 ", "0", "rtpmap:", "opus/", "48000/2",
            "fmtp:", "=", "c=IN IP4 ", "0.0.0.0", "/", " ", "é", "\u{301}", "\0", "ptime:",
            "99999999999999999999",
            "-", "sendonly", "rtcp:", "\t", "telephone-event/8000", "🧵",
        ]
        var text = "v=0\r\nm=audio 4000 RTP/SAVP 96 0\r\n"
        for _ in 0..<200 { text += pieces.randomElement(using: &generator) ?? "" }
        guard let description = try? SessionDescription(parsing: text) else { return }
        _ = description.redacted()
        for security in [MediaCapabilities.Security.none, .required([masterKey(1)])] {
            let ours = capabilities(security: security)
            _ = try? ours.makeAnswer(to: description)
            _ = try? ours.negotiated(byOffering: ours.makeOffer(), answer: description)
        }
        let again = try SessionDescription(parsing: description.serialized())
        #expect(again.serialized() == description.serialized())
    }
}
