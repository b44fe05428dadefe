import AudioCodecs
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

private let quiet = [Int16](repeating: 0, count: 480)
private func silence(_ side: Int, _ frame: Int) -> [Int16] { quiet }

private let rtcpAddresses = [
    TransportAddress(address: 0x7F00_0001, port: 4_001),
    TransportAddress(address: 0x7F00_0001, port: 4_003),
]
private let elsewhere = TransportAddress(address: 0x7F00_0001, port: 5_001)

/// Two sessions whose reports have ports of their own.
private func makePair(_ suite: CryptoSuite?) throws -> MediaPair {
    var pair = try MediaPair(
        .pcmu, suite: suite,
        links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)]
    ) { parameters, side in
        parameters.usesRTCPMultiplexing = false
        parameters.remoteRTCPAddress = rtcpAddresses[1 - side]
    }
    pair.keepsDatagrams = true
    return pair
}

extension MediaSession {
    fileprivate mutating func takeReport() -> [UInt8]? {
        var memory = [UInt8](repeating: 0, count: Self.maximumDatagramLength)
        var span = memory.mutableSpan
        guard let length = takeReport(into: &span) else { return nil }
        return Array(memory.prefix(length))
    }

    fileprivate mutating func takeReport(
        _ datagram: [UInt8], from address: TransportAddress, at now: MonotonicInstant
    ) {
        var octets = datagram
        var span = octets.mutableSpan
        receiveReport(&span, from: address, at: now)
    }
}

@Suite("RTCP on a port of its own, RFC 3550 §11")
struct SeparateRTCPTests {
    @Test(arguments: [CryptoSuite?.none, .aeadAES256GCM])
    func reportsGoToTheirPortAndNoneGoesWithTheMedia(suite: CryptoSuite?) throws {
        var pair = try makePair(suite)
        pair.run(for: .seconds(10), audio: silence)
        #expect(pair.sent.allSatisfy { DatagramKind(of: $0.span) == .rtp })
        let taken = pair.left.takeReport()
        let report = try #require(taken)
        #expect(DatagramKind(of: report.span) == .rtcp)
        pair.right.takeReport(report, from: rtcpAddresses[0], at: pair.now)
        let drops = pair.right.statistics(at: pair.now).drops
        #expect(DatagramDropReason.allCases.allSatisfy { drops[$0] == 0 })
        #expect(pair.right.statistics(at: pair.now).remoteReport != nil)
    }

    @Test func withNeitherMultiplexingNorAnAddressThereAreNoReports() throws {
        var pair = try MediaPair(
            .pcmu, links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)]
        ) { parameters, _ in parameters.usesRTCPMultiplexing = false }
        pair.keepsDatagrams = true
        pair.run(for: .seconds(10), audio: silence)
        #expect(pair.sent.allSatisfy { DatagramKind(of: $0.span) == .rtp })
        let report = pair.left.takeReport()
        #expect(report == nil)
    }

    @Test func anAuthenticReportFromElsewhereMovesTheReportsAndNotTheMedia() throws {
        var pair = try makePair(.aes128HMACSHA1_80)
        pair.run(for: .seconds(10), audio: silence)
        let taken = pair.left.takeReport()
        let report = try #require(taken)
        pair.right.takeReport(report, from: elsewhere, at: pair.now)
        let media = pair.right.remoteAddress
        let reports = pair.right.remoteRTCPAddress
        #expect(media == MediaPair.addresses[0])
        #expect(reports == elsewhere)
    }

    @Test func aPlainReportIsTakenFromItsPortOnly() throws {
        var pair = try makePair(nil)
        pair.run(for: .seconds(10), audio: silence)
        let taken = pair.left.takeReport()
        let report = try #require(taken)
        for address in [elsewhere, MediaPair.addresses[0]] {
            pair.right.takeReport(report, from: address, at: pair.now)
        }
        #expect(pair.right.statistics(at: pair.now).drops[.unknownSource] == 2)
        let reports = pair.right.remoteRTCPAddress
        #expect(reports == rtcpAddresses[0])
    }

    @Test func mediaOnThePortOfReportsIsDropped() throws {
        var pair = try makePair(nil)
        pair.run(for: .seconds(1), audio: silence)
        let packet = try #require(pair.sent.last)
        let before = pair.right.statistics(at: pair.now).packetsReceived
        pair.right.takeReport(packet, from: rtcpAddresses[0], at: pair.now)
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.drops[.malformedRTCP] == 1)
        #expect(statistics.packetsReceived == before)
    }
}
