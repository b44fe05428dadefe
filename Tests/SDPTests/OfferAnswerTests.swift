import SDP
import Testing

@Suite("Offers and answers, RFC 3264")
struct OfferAnswerTests {
    @Test func theOfferIsThatOfTheRFCs() {
        var ours = capabilities(security: .required([masterKey(0), masterKey(1, .aes128GCM)]))
        ours.source = LocalSource(ssrc: 7, canonicalName: "c@example")
        let expected = sdp(
            "v=0", "o=- 42 1 IN IP4 198.51.100.1", "s=-", "c=IN IP4 198.51.100.1", "t=0 0",
            "m=audio 4000 RTP/SAVP 111 0 8 110 101 13", "a=rtpmap:111 opus/48000/2",
            "a=fmtp:111 minptime=10;useinbandfec=1", "a=rtpmap:0 PCMU/8000", "a=rtpmap:8 PCMA/8000",
            "a=rtpmap:110 telephone-event/48000", "a=fmtp:110 0-15", "a=rtpmap:101 telephone-event/8000",
            "a=fmtp:101 0-15", "a=rtpmap:13 CN/8000", "a=ptime:20", "a=maxptime:60",
            "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:" + String(repeating: "A", count: 40),
            "a=crypto:2 AEAD_AES_128_GCM inline:" + String(repeating: "AQEB", count: 9) + "AQ==",
            "a=rtcp-mux",
            "a=ssrc:7 cname:c@example", "a=sendrecv")
        #expect(ours.makeOffer().serialized() == expected)
    }

    @Test(
        arguments: [
            ([.opus], "111 110"), ([.pcma], "8 101 13"), ([.pcma, .opus], "8 111 110 101 13"),
        ] as [([AudioEncoding], String)])
    func eventsAreOfferedAtEachClockRateInUse(encodings: [AudioEncoding], formats: String) {
        let offer = capabilities(encodings: encodings).makeOffer()
        #expect(offer.media[0].formats.joined(separator: " ") == formats)
        #expect(offer.media[0].profile == "RTP/AVP")
    }

    // SDP-14
    @Test func theAnswersNumbersAreSentAndBothAccepted() throws {
        let ours = capabilities()
        let answer = try description(
            "audio 5000 RTP/AVP 97 98", "rtpmap:97 OPUS/48000/2", "rtpmap:98 telephone-event/48000",
            "fmtp:97 useinbandfec=1;maxaveragebitrate=20000", "rtcp-mux", "ptime:40")
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: answer)
        #expect(media.codec.encoding == .opus)
        #expect(media.codec.format.payloadTypeToSend == 97)
        #expect(media.codec.format.payloadTypesToAccept == [111, 97])
        #expect(media.codec.opus?.wantsForwardErrorCorrection == true)
        #expect(media.codec.opus?.maximumAverageBitrate == 20_000)
        #expect(media.alternatives.isEmpty)
        #expect(media.telephoneEvent?.payloadTypeToSend == 98)
        #expect(media.telephoneEvent?.payloadTypesToAccept == [110, 98])
        #expect(media.remoteAddress?.host == "192.0.2.7")
        #expect(media.remotePort == 5000)
        #expect(media.remoteRTCPPort == 5000)
        #expect(media.isRTCPMultiplexed)
        #expect(media.packetDuration == 40)
        #expect(media.direction == .sendrecv)
        #expect(media.security == .none)
    }

    @Test func aNumberThatWeGaveToSomethingElseKeepsOurMeaning() throws {
        let ours = capabilities()
        let answer = try description("audio 5000 RTP/AVP 101", "rtpmap:101 opus/48000/2")
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: answer)
        #expect(media.codec.format.payloadTypeToSend == 101)
        #expect(media.codec.format.payloadTypesToAccept == [111])
    }

    @Test func theAnswersOrderSaysWhatToSend() throws {
        let ours = capabilities()
        let answer = try description("audio 5000 RTP/AVP 8 18 0 13 8", "rtpmap:18 G729/8000")
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: answer)
        #expect(media.codec.encoding == .pcma)
        #expect(media.codec.opus == nil)
        #expect(media.alternatives.map(\.encoding) == [.pcmu])
        #expect(media.comfortNoise?.payloadTypeToSend == 13)
        #expect(media.telephoneEvents.isEmpty)
        #expect(media.telephoneEvent == nil)
        #expect(!media.isRTCPMultiplexed)
        #expect(media.remoteRTCPPort == 5001)
    }

    @Test(arguments: [
        ("53020", "192.0.2.7"), ("53020 IN IP4 192.0.2.9", "192.0.2.9"), ("53020 IN IP4", "192.0.2.7"),
        ("53020 IN IP4 0.0.0.0", nil),
    ])
    func reportsGoWhereTheAttributeSaysUnlessTheyGoWithTheMedia(value: String, host: String?) throws {
        let ours = capabilities()
        let separate = try description("audio 5000 RTP/AVP 0", "rtcp:" + value)
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: separate)
        #expect(media.remoteRTCPPort == 53_020)
        #expect(media.remoteRTCPAddress?.host == host)
        let multiplexed = try description("audio 5000 RTP/AVP 0", "rtcp:" + value, "rtcp-mux")
        let together = try ours.negotiated(byOffering: ours.makeOffer(), answer: multiplexed)
        #expect(together.remoteRTCPPort == 5000)
        #expect(together.remoteRTCPAddress?.host == "192.0.2.7")
    }

    // SDP-16
    @Test(arguments: [
        (["rtpmap:96 telephone-event/8000"], 96, 8000),
        (
            [
                "rtpmap:96 telephone-event/8000", "rtpmap:97 telephone-event/16000",
                "rtpmap:98 telephone-event/48000",
            ], 98, 48_000
        ), (["rtpmap:97 telephone-event/16000"], 97, 16_000),
    ])
    func eventsAreSentAtTheAudiosClockRateOrAnyThatIsThere(
        lines: [String], payloadType: UInt8, clockRate: Int
    ) throws {
        let head = ["v=0", "c=IN IP4 192.0.2.7", "m=audio 5000 RTP/AVP 111 96 97 98"]
        let attributes = (["rtpmap:111 opus/48000/2"] + lines).map { "a=" + $0 }
        let offer = try SessionDescription(parsing: (head + attributes).joined(separator: "\r\n"))
        let ours = capabilities()
        let media = try ours.negotiated(byAnswering: offer, with: try ours.makeAnswer(to: offer))
        #expect(media.telephoneEvent?.payloadTypeToSend == payloadType)
        #expect(media.telephoneEvent?.clockRate == clockRate)
        #expect(media.telephoneEvents.count == 1)
    }

    @Test func bothSidesUnderstandTheSame() throws {
        let caller = capabilities(port: 4000, security: .required([masterKey(1, .aes256GCM), masterKey(2)]))
        let callee = capabilities(
            port: 5000, encodings: [.pcmu, .opus],
            security: .required([masterKey(3), masterKey(4, .aes128GCM)]),
            opus: OpusParameters(wantsForwardErrorCorrection: false, maximumAverageBitrate: 16_000))
        let offer = try SessionDescription(parsing: caller.makeOffer().serialized())
        let answer = try SessionDescription(parsing: try callee.makeAnswer(to: offer).serialized())
        let atCaller = try caller.negotiated(byOffering: offer, answer: answer)
        let atCallee = try callee.negotiated(byAnswering: offer, with: answer)

        #expect(atCaller.security == .encrypted(tag: 2, local: masterKey(2), remote: masterKey(3)))
        #expect(atCallee.security == .encrypted(tag: 2, local: masterKey(3), remote: masterKey(2)))
        #expect(atCaller.codec.encoding == .opus)
        #expect(atCallee.codec.encoding == .opus)
        #expect(atCaller.alternatives.map(\.encoding) == [.pcmu])
        #expect(atCallee.alternatives.map(\.encoding) == [.pcmu])
        #expect(atCaller.codec.opus?.maximumAverageBitrate == 16_000)
        #expect(atCaller.codec.opus?.wantsForwardErrorCorrection == false)
        #expect(atCallee.codec.opus?.wantsForwardErrorCorrection == true)
        #expect(atCaller.telephoneEvents == atCallee.telephoneEvents)
        #expect(atCaller.telephoneEvents.map(\.clockRate) == [48_000, 8000])
        #expect(atCaller.comfortNoise?.payloadTypesToAccept == [13])
        #expect(atCaller.remotePort == 5000)
        #expect(atCallee.remotePort == 4000)
        #expect(atCaller.isRTCPMultiplexed && atCallee.isRTCPMultiplexed)
    }

    @Test(arguments: MediaDirection.allCases, MediaDirection.allCases)
    func directionsAreThoseBothAllow(offered: MediaDirection, wanted: MediaDirection) throws {
        let caller = capabilities(direction: offered)
        let callee = capabilities(direction: wanted)
        let offer = caller.makeOffer()
        let answer = try callee.makeAnswer(to: offer)
        let atCaller = try caller.negotiated(byOffering: offer, answer: answer).direction
        let atCallee = try callee.negotiated(byAnswering: offer, with: answer).direction
        #expect(atCaller == atCallee.reversed)
        #expect(atCallee == answer.media[0].direction)
        #expect(atCaller.sends == (offered.sends && wanted.receives))
        #expect(atCaller.receives == (offered.receives && wanted.sends))
    }

    @Test func whoIsAtNoAddressIsSentNothing() throws {
        let ours = capabilities()
        let offer = try description("audio 5000 RTP/AVP 0", connection: "IN IP4 0.0.0.0")
        let answer = try ours.makeAnswer(to: offer)
        #expect(answer.media[0].direction == .recvonly)
        let media = try ours.negotiated(byAnswering: offer, with: answer)
        #expect(media.remoteAddress == nil)
        #expect(media.direction == .recvonly)

        let unheld = try description("audio 5000 RTP/AVP 0")
        let again = try ours.negotiated(byAnswering: unheld, with: try ours.makeAnswer(to: unheld))
        #expect(again.remoteAddress?.host == "192.0.2.7")
        #expect(again.direction == .sendrecv)
    }

    @Test(
        arguments: [
            (nil, nil, 20), (10, nil, 10), (30, nil, 20), (60, nil, 60), (120, nil, 60), (5, nil, 10),
            (40, 20, 20),
            (nil, 10, 10), (nil, 1, 10),
        ] as [(Int?, Int?, Int)])
    func packetsAreAsLongAsTheOtherSideWants(packet: Int?, maximum: Int?, expected: Int) throws {
        let lines = packet.map { ["a=ptime:\($0)"] } ?? []
        let limit = maximum.map { ["a=maxptime:\($0)"] } ?? []
        let head = ["v=0", "c=IN IP4 192.0.2.7", "m=audio 5000 RTP/AVP 0"]
        let answer = try SessionDescription(parsing: (head + lines + limit).joined(separator: "\n"))
        let ours = capabilities()
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: answer)
        #expect(media.packetDuration == expected)
    }

    @Test func whatWeDoNotTakeIsTurnedOff() throws {
        let offer = try SessionDescription(
            parsing: sdp(
                "v=0", "c=IN IP4 192.0.2.7", "m=video 6000 RTP/AVP 31", "m=audio 0 RTP/AVP 0",
                "m=audio 5000 UDP/TLS/RTP/SAVPF 111", "m=audio 5002 rtp/avp 8", "m=audio 5004 RTP/AVP 0",
                "m=image 7000 udptl t38"))
        let ours = capabilities()
        let answer = try ours.makeAnswer(to: offer)
        #expect(answer.media.map(\.port) == [0, 0, 0, 4000, 0, 0])
        #expect(answer.media.map(\.profile) == offer.media.map(\.profile))
        #expect(answer.media[5].formats == ["t38"])
        let media = try ours.negotiated(byAnswering: offer, with: answer)
        #expect(media.codec.encoding == .pcma)
        #expect(media.remotePort == 5002)
    }

    // SDP-19
    @Test func anOfferOfNothingIsAnsweredWithNothing() throws {
        let offer = try SessionDescription(parsing: sdp("v=0", "s=-"))
        let answer = try capabilities().makeAnswer(to: offer)
        #expect(answer.media.isEmpty)
        #expect(throws: NegotiationError.noAudio) {
            try capabilities().negotiated(byAnswering: offer, with: answer)
        }
    }

    // SDP-13
    @Test func aSectionThatIsOffNeedsNoAddress() throws {
        let offer = try SessionDescription(
            parsing: sdp(
                "v=0", "o=- 1 1 IN IP4 192.0.2.7", "s=-", "t=0 0", "m=audio 0 RTP/AVP 0",
                "m=audio 5000 RTP/AVP 0", "c=IN IP4 192.0.2.7"))
        let ours = capabilities()
        let answer = try ours.makeAnswer(to: offer)
        #expect(answer.media.map(\.port) == [0, 4000])
        let media = try ours.negotiated(byAnswering: offer, with: answer)
        #expect(media.remoteAddress?.host == "192.0.2.7")
    }

    // SDP-17
    @Test func weOfferDynamicNumbersForWhatHasNoStaticOne() {
        let section = capabilities().makeOffer().media[0]
        for map in section.rtpMaps where ![0, 8, 9, 13].contains(map.payloadType) {
            #expect((96...127).contains(map.payloadType))
        }
    }

    // CODEC-03
    @Test func whoWantsNoCorrectionInItsPacketsIsSentNoneAndMayStillSendIt() throws {
        let ours = capabilities()
        let answer = try description(
            "audio 5000 RTP/AVP 111", "rtpmap:111 opus/48000/2", "fmtp:111 useinbandfec=0")
        let media = try ours.negotiated(byOffering: ours.makeOffer(), answer: answer)
        #expect(media.codec.opus?.wantsForwardErrorCorrection == false)
        // What we asked for of the other side is our offer's word, which the answer doesn't touch.
        #expect(ours.makeOffer().serialized().contains("useinbandfec=1"))
    }

    // CODEC-05
    @Test(
        arguments: [
            ("opus/48000/2", "minptime=10; useinbandfec=1", true, nil, false),
            (
                "opus/48000/2",
                "minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1;maxaveragebitrate=28000;usedtx=1;cbr=1",
                true,
                28_000, true
            ),
            ("OPUS/48000/2", "USEINBANDFEC=1 ; x-google-min-bitrate=6", true, nil, false),
            ("opus/48000", " useinbandfec = 1 ", true, nil, false), ("opus/48000/1", "", false, nil, false),
        ] as [(String, String, Bool, Int?, Bool)])
    func whatIsAskedOfOpusIsReadInEveryForm(
        map: String, parameters: String, hasCorrection: Bool, bitrate: Int?, hasPauses: Bool
    ) throws {
        let offer = try description("audio 5000 RTP/AVP 96", "rtpmap:96 \(map)", "fmtp:96 \(parameters)")
        let ours = capabilities()
        let answer = try ours.makeAnswer(to: offer)
        let media = try ours.negotiated(byAnswering: offer, with: answer)
        #expect(media.codec.encoding == .opus)
        #expect(media.codec.opus?.wantsForwardErrorCorrection == hasCorrection)
        #expect(media.codec.opus?.maximumAverageBitrate == bitrate)
        #expect(media.codec.opus?.wantsDiscontinuousTransmission == hasPauses)
        let bare = try description("audio 5000 RTP/AVP 96", "rtpmap:96 \(map)")
        #expect(try ours.makeAnswer(to: bare).media[0].payloadTypes == [96])
    }
}
