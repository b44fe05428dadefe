import SDP
import Testing

@Suite("What a media section says, RFC 8866 §6")
struct MediaDescriptionTests {
    // SDP-17
    @Test func anRTPMapWinsOverTheStaticTable() throws {
        let media = try description(
            "audio 4000 RTP/AVP 8 0 13 10", "rtpmap:0 telephone-event/8000", "rtpmap:0 PCMU/8000",
            "rtpmap:77 x/8000"
        ).media[0]
        #expect(media.rtpMaps.map(\.payloadType) == [8, 0, 13])
        #expect(media.rtpMaps.map(\.encodingName) == ["PCMA", "telephone-event", "CN"])
    }

    // CODEC-05
    @Test func parametersAreFoundInAnyCase() throws {
        let media = try description(
            "audio 4000 RTP/AVP 111", "fmtp:11 x=1", "fmtp:111 MinPTime = 10 ; UseInbandFEC=1;; 0-16"
        ).media[0]
        let parameters = media.formatParameters(of: 111)
        #expect(parameters["minptime"] == "10")
        #expect(parameters["USEINBANDFEC"] == "1")
        #expect(parameters["0-16"] == "")
        #expect(parameters["useinband"] == nil)
    }

    // CODEC-05
    @Test func anOpusValueOutOfRangeIsNotGiven() {
        let parameters = OpusParameters(
            FormatParameters(text: "maxaveragebitrate=5999;maxplaybackrate=48001;minptime=2;useinbandfec=2"))
        #expect(
            parameters
                == OpusParameters(
                    wantsForwardErrorCorrection: false, maximumAverageBitrate: nil, maximumPlaybackRate: nil,
                    minimumPacketDuration: nil))
        let usual = OpusParameters(
            FormatParameters(text: "maxaveragebitrate=6000; maxplaybackrate=16000; usedtx=1; cbr=1; stereo=1")
        )
        #expect(
            usual
                == OpusParameters(
                    wantsForwardErrorCorrection: false, wantsDiscontinuousTransmission: true,
                    wantsConstantBitrate: true, prefersStereo: true, maximumAverageBitrate: 6000,
                    maximumPlaybackRate: 16_000, minimumPacketDuration: nil))
    }

    @Test(arguments: [
        ("sendrecv", MediaDirection.sendrecv), ("sendonly", .recvonly), ("recvonly", .sendonly),
        ("inactive", .inactive),
    ])
    func aDirectionReversesForTheOtherSide(direction: String, reversed: MediaDirection) {
        #expect(MediaDirection(rawValue: direction)?.reversed == reversed)
    }

    @Test func theSessionsDirectionIsTheDefault() throws {
        let text = sdp("v=0", "a=inactive", "m=audio 1 RTP/AVP 0", "m=audio 1 RTP/AVP 0", "a=sendrecv")
        let description = try SessionDescription(parsing: text)
        #expect(description.media.map(description.direction) == [.inactive, .sendrecv])
    }

    @Test(
        arguments: [
            ("4000", [], 4001), ("4000", ["rtcp:53020"], 53020), ("4000", ["rtcp:53020 IN IP6 ::1"], 53020),
            ("4000", ["rtcp:99999"], 4001), ("4000", ["rtcp:0"], nil), ("65535", [], nil), ("0", [], nil),
        ] as [(String, [String], UInt16?)])
    func rtcpGoesToTheNamedPortOrTheNext(port: String, attributes: [String], expected: UInt16?) throws {
        let head = ["v=0", "m=audio \(port) RTP/AVP 0"]
        let text = (head + attributes.map { "a=" + $0 }).joined(separator: "\n")
        #expect(try SessionDescription(parsing: text).media[0].rtcpPort == expected)
    }

    @Test(arguments: [
        ("IN IP4 0.0.0.0", true), ("IN IP6 ::", true), ("IN IP6 0:0:0:0:0:0:0:0", true),
        ("IN IP6 ::1", false),
        ("IN IP4 10.0.0.0", false), ("in ip4 224.2.1.1/127", false),
    ])
    func onlyZerosAreNoAddress(connection: String, isUnspecified: Bool) throws {
        let description = try description("audio 1 RTP/AVP 0", connection: connection)
        #expect(description.connection?.isUnspecified == isUnspecified)
    }

    @Test(arguments: [("20", 20), ("20.0", 20), ("030", 30), ("0", nil), ("-20", nil), ("99999", nil)])
    func aPacketDurationIsAWholeNumber(text: String, expected: Int?) throws {
        #expect(try description("audio 1 RTP/AVP 0", "ptime:\(text)").media[0].packetDuration == expected)
    }
}
