import FuzzSupport
import SDP

@main enum FuzzSDP {
    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        guard let description = try? SessionDescription(parsing: String(decoding: octets, as: UTF8.self))
        else { return }
        checkWriting(of: description)
        for section in description.media { checkViews(of: section, in: description) }
        for ours in [Capabilities.plain, Capabilities.encrypted] {
            checkAnswering(description, with: ours)
            // The same text as an answer to our offer.
            let offer = ours.makeOffer()
            if let media = try? ours.negotiated(byOffering: offer, answer: description) {
                checkAgreement(media, of: ours)
            }
        }
    }

    /// What is written reads the same, and is written the same.
    private static func checkWriting(of description: SessionDescription) {
        let text = description.serialized()
        guard let again = try? SessionDescription(parsing: text) else {
            preconditionFailure("what is written can be read")
        }
        precondition(again.serialized() == text, "what is read is written the same")
        precondition(
            again.media.map(orderly) == description.media.map(orderly), "a section is read as it was written")
        precondition(again.origin == description.origin, "an origin is read as it was written")
        observe(description.redacted())
    }

    /// `section` with its other lines as they are written: the title goes first.
    private static func orderly(_ section: MediaDescription) -> MediaDescription {
        var section = section
        let titles = section.otherLines.filter { $0.type == "i" }
        section.otherLines = titles + section.otherLines.filter { $0.type != "i" }
        return section
    }

    private static func checkViews(of section: MediaDescription, in description: SessionDescription) {
        for payloadType in section.payloadTypes {
            precondition(payloadType < 128, "a payload type has seven bits")
            observe(OpusParameters(section.formatParameters(of: payloadType)))
        }
        for map in section.rtpMaps { precondition(map.clockRate > 0, "an RTP clock runs") }
        if let duration = section.packetDuration { precondition(duration > 0, "a packet lasts") }
        observe(section.maximumPacketDuration)
        observe(section.rtcpPort)
        observe(description.direction(of: section))
        observe(description.connection(of: section)?.isUnspecified)
        checkKeys(of: section)
    }

    /// What a log prints of a key's line doesn't hold the key.
    private static func checkKeys(of section: MediaDescription) {
        for attribute in section.attributes where attribute.name == "crypto" {
            var alone = MediaDescription(kind: "audio", port: 9, profile: "RTP/SAVP", formats: ["0"])
            alone.attributes = [attribute]
            let lines = alone.cryptoLines
            precondition(
                lines.usable.count + lines.problems.count == 1, "a line is usable, or it has a problem")
            guard
                let key = (attribute.value ?? "").split(whereSeparator: { $0 == " " || $0 == "\t" })
                    .first(where: { $0.lowercased().hasPrefix("inline:") && $0.utf8.count > 40 })
            else { continue }
            precondition(!alone.description.contains(key), "a key is not for the log")
        }
    }

    private static func checkAnswering(_ offer: SessionDescription, with ours: MediaCapabilities) {
        guard let answer = try? ours.makeAnswer(to: offer) else { return }
        precondition(answer.media.count == offer.media.count, "an answer has the offer's sections")
        let text = answer.serialized()
        guard let read = try? SessionDescription(parsing: text) else {
            preconditionFailure("our answer can be read")
        }
        precondition(read.media == answer.media, "our answer is read as we meant it")
        guard !offer.media.isEmpty else { return }
        guard let media = try? ours.negotiated(byAnswering: offer, with: answer) else {
            preconditionFailure("what we answered we can do")
        }
        checkAgreement(media, of: ours)
    }

    private static func checkAgreement(_ media: NegotiatedMedia, of ours: MediaCapabilities) {
        precondition(
            (media.security == .none) == (ours.security == .none), "encryption is never given up nor forced")
        if case .encrypted(_, let local, let remote) = media.security {
            precondition(local.suite == remote.suite, "both directions have the suite that was agreed on")
        }
        precondition(
            MediaCapabilities.packetDurations.contains(media.packetDuration), "we can send such packets")
        let formats = [media.codec] + media.alternatives
        for codec in formats {
            precondition(codec.format.payloadTypeToSend < 128, "a payload type has seven bits")
            precondition(ours.encodings.contains(codec.encoding), "we have the encoding")
        }
        observe(media.telephoneEvent)
    }
}
