import AllocationCounter
import AudioCodecs
import JitterBuffer
import MediaSession
import MediaTime
import RTP
import SRTP
import TestSupport
import Testing

private let stranger = TransportAddress(address: 0x0A00_0001, port: 9)

private let sawtooth = (0..<480).map { Int16($0 % 96 * 200 - 9_600) }

private func tone(_ side: Int, _ frame: Int) -> [Int16] { sawtooth }

private func makePair(_ suite: CryptoSuite?) throws -> MediaPair {
    var pair = try MediaPair(
        .opus, suite: suite,
        links: [
            SimulatedLink(seed: 1, delay: .milliseconds(5)), SimulatedLink(seed: 2, delay: .milliseconds(5)),
        ])
    pair.keepsDatagrams = true
    pair.run(for: .seconds(1), audio: tone)
    return pair
}

extension MediaSession {
    fileprivate mutating func take(
        _ datagram: [UInt8], from address: TransportAddress = stranger, at now: MonotonicInstant
    ) {
        var octets = datagram
        var span = octets.mutableSpan
        receive(&span, from: address, at: now)
    }
}

@Suite struct HostileDatagramTests {
    // SRTP-14
    @Test func everyTruncationOfAPacketIsDroppedAndCounted() throws {
        var pair = try makePair(.aeadAES256GCM)
        let whole = try #require(pair.sent.last)
        let before = pair.right.statistics(at: pair.now)
        for length in 0..<whole.count { pair.right.take(Array(whole.prefix(length)), at: pair.now) }
        let after = pair.right.statistics(at: pair.now)
        #expect(after.packetsReceived == before.packetsReceived)
        let dropped = DatagramDropReason.allCases.reduce(0) { $0 + after.drops[$1] - before.drops[$1] }
        #expect(dropped == whole.count)
        let address = pair.right.remoteAddress
        #expect(address == MediaPair.addresses[0])
    }

    // SRTP-16, SEC-02
    @Test func aReplayedPacketFromElsewhereMovesNothing() throws {
        var pair = try makePair(.aes128HMACSHA1_80)
        let packet = try #require(pair.sent.dropLast(5).last { DatagramKind(of: $0.span) == .rtp })
        for _ in 0..<1_000 { pair.right.take(packet, at: pair.now) }
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.drops[.replay] == 1_000)
        let address = pair.right.remoteAddress
        #expect(address == MediaPair.addresses[0])
    }

    // SRTP-15, SEC-02
    @Test func clearRTPBetweenSRTPPacketsChangesNothing() throws {
        var pair = try makePair(.aeadAES128GCM)
        let last = try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtp })
        let header = try RTPPacket(parsing: last.span).header
        let heard = pair.right.statistics(at: pair.now)
        for step in 1...50 as ClosedRange<UInt16> {
            let forged = RTPHeader(
                payloadType: header.payloadType,
                sequenceNumber: SequenceNumber(rawValue: header.sequenceNumber.rawValue &+ step),
                timestamp: header.timestamp &+ UInt32(step) * 960, ssrc: header.ssrc)
            let packet = [UInt8](capacity: 52) { output in
                forged.serialize(into: &output)
                for _ in 0..<40 { output.append(0x78) }
            }
            pair.right.take(packet, at: pair.now)
        }
        let statistics = pair.right.statistics(at: pair.now)
        #expect(statistics.drops[.authentication] == 50)
        #expect(statistics.packetsReceived == heard.packetsReceived)
        #expect(statistics.octetsReceived == heard.octetsReceived)
        pair.run(for: .seconds(1), audio: tone)
        #expect(pair.right.statistics(at: pair.now).jitterBuffer.ticksConcealed == 0)
    }

    @Test func plainRTPIsTakenFromTheAgreedAddressOnly() throws {
        var pair = try makePair(nil)
        let packet = try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtp })
        pair.right.take(packet, at: pair.now)
        #expect(pair.right.statistics(at: pair.now).drops[.unknownSource] == 1)
        let address = pair.right.remoteAddress
        #expect(address == MediaPair.addresses[0])
    }

    @Test func aPayloadTypeThatNobodyAgreedOnIsDropped() throws {
        var pair = try makePair(nil)
        var packet = try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtp })
        packet[1] = 77
        // 77 with the marker would be RTCP; without, it's an unknown payload type.
        pair.right.take(packet, from: MediaPair.addresses[0], at: pair.now)
        #expect(pair.right.statistics(at: pair.now).drops[.unknownPayloadType] == 1)
    }

    @Test func ourOwnPacketsComingBackAreDropped() throws {
        var pair = try makePair(nil)
        let packet = try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtp })
        pair.left.take(packet, from: MediaPair.addresses[1], at: pair.now)
        #expect(pair.left.statistics(at: pair.now).drops[.ownSource] == 1)
    }

    @Test func oneForeignSourceIsIgnoredAndTwoPacketsInARowTakeOver() throws {
        var pair = try makePair(nil)
        var packet = try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtp })
        packet[11] ^= 0xFF
        pair.right.take(packet, from: MediaPair.addresses[0], at: pair.now)
        #expect(pair.right.statistics(at: pair.now).drops[.unknownSource] == 1)
        packet[3] &+= 1
        pair.right.take(packet, from: MediaPair.addresses[0], at: pair.now)
        #expect(pair.right.statistics(at: pair.now).packetsReceived == 1)
    }

    // SRTP-17
    @Test func aKeyThatNeverFittedIsToldFromPacketsThatStoppedToFit() throws {
        var pair = try MediaPair(
            .opus, links: [SimulatedLink(seed: 1, delay: .zero), SimulatedLink(seed: 2, delay: .zero)]
        ) { parameters, side in
            let suite = CryptoSuite.aeadAES256GCM
            let wrong = [UInt8](repeating: 0x33, count: suite.keyAndSaltLength)
            if side == 1 { parameters.security?.remote = SRTPKey(suite: suite, keyAndSalt: wrong) }
        }
        pair.run(for: .seconds(1), audio: tone)
        let wrong = pair.right.statistics(at: pair.now).drops
        #expect(wrong[.wrongKey] >= 49 && wrong[.authentication] == 0)

        var good = try makePair(.aeadAES256GCM)
        var damaged = try #require(good.sent.last { DatagramKind(of: $0.span) == .rtp })
        damaged[3] &+= 50  // a number not seen yet, so that it isn't taken for a replay
        good.right.take(damaged, at: good.now)
        let drops = good.right.statistics(at: good.now).drops
        #expect(drops[.wrongKey] == 0 && drops[.authentication] == 1)
    }

    @Test(arguments: 0..<100 as Range<UInt64>, [CryptoSuite?.none, .aeadAES256GCM])
    func anyOctetsAreDroppedWithoutATrap(seed: UInt64, suite: CryptoSuite?) throws {
        var random = SplitMix64(seed: seed)
        var pair = try makePair(suite)
        let seeds = pair.sent
        var frame = [Int16](repeating: 0, count: 480)
        var now = pair.now
        for _ in 0..<200 {
            var datagram = seeds.randomElement(using: &random) ?? []
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    datagram[Int.random(in: datagram.indices, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
            case 1: datagram.removeLast(Int.random(in: 0...datagram.count, using: &random))
            case 2:
                datagram += (0..<Int.random(in: 0...1_600, using: &random)).map {
                    UInt8(truncatingIfNeeded: $0)
                }
            default:
                datagram = (0..<Int.random(in: 0...100, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            pair.right.take(datagram, from: MediaPair.addresses[0], at: now)
            now = now.advanced(by: .milliseconds(7))
            var span = frame.mutableSpan
            pair.right.playOut(&span, at: now)
        }
        let drops = pair.right.statistics(at: now).drops
        #expect(DatagramDropReason.allCases.contains { drops[$0] > 0 })
    }

    @Test(
        .enabled(if: allocation_counting_is_available()), arguments: [AudioFormat.opus, .pcmu], [false, true])
    func aRunningCallDoesNotAllocateLockOrRetainPerFrame(format: AudioFormat, pauses: Bool) throws {
        let payload = MediaParameters.Payload(
            type: PayloadType(rawValue: format == .opus ? 111 : 0), format: format)
        let key = [UInt8](repeating: 9, count: CryptoSuite.aeadAES256GCM.keyAndSaltLength)
        var parameters = MediaParameters(sending: payload, receiving: [payload], canonicalName: "x")
        parameters.remoteAddress = stranger
        // The last two of three seconds are a pause then.
        parameters.sendingComfortNoise = pauses ? PayloadType(rawValue: 13) : nil
        parameters.security = .init(
            local: SRTPKey(suite: .aeadAES256GCM, keyAndSalt: key),
            remote: SRTPKey(suite: .aeadAES256GCM, keyAndSalt: key))
        var random = SplitMix64(seed: 1)
        var now = MonotonicInstant(nanoseconds: 0)
        var left = try MediaSession(parameters, at: now, wallClock: 0, random: &random)
        var right = try MediaSession(parameters, at: now, wallClock: 0, random: &random)
        var frame = [Int16](repeating: 0, count: 480)
        let said = sawtooth
        var datagram = [UInt8](repeating: 0, count: 1_500)
        var samples = frame.mutableSpan
        var octets = datagram.mutableSpan
        var counts = (allocations: UInt64(0), locks: UInt64(0), retains: UInt64(0))
        var packets = 0
        for tick in 0..<3_000 {
            if tick == 200 { counts = (allocation_count(), lock_count(), retain_count()) }
            for index in samples.indices { samples[index] = pauses && tick % 300 >= 100 ? 0 : said[index] }
            left.applyMute(to: &samples)
            left.capture(samples.span, at: now)
            if now >= left.deadline { left.handleDeadline(at: now) }
            while let length = left.takeDatagram(into: &octets) {
                packets += 1
                // Every 20th is lost, so that concealment and FEC are on the path too.
                guard packets % 20 != 0 else { continue }
                var datagram = octets._mutatingExtracting(0..<length)
                right.receive(&datagram, from: stranger, at: now)
            }
            right.playOut(&samples, at: now)
            now = now.advanced(by: .milliseconds(10))
        }
        let spent = (
            allocation_count() - counts.allocations, lock_count() - counts.locks,
            retain_count() - counts.retains
        )
        #expect(spent == (0, 0, 0))
        let received = right.statistics(at: now).packetsReceived
        #expect(pauses && format == .pcmu ? received > 500 && received < 1_000 : received > 1_400)
        #expect(right.statistics(at: now).remoteReport == nil)
    }

    /// A second of 100,000 packets; what they cost is measured by `bench`, where no test harness looks into each error.
    @Test(arguments: [CryptoSuite?.none, .aeadAES256GCM, .aes128HMACSHA1_80])
    func everyPacketOfAFloodIsCountedAndChangesNothing(suite: CryptoSuite?) throws {
        var pair = try makePair(suite)
        pair.run(for: .seconds(9), audio: tone)
        var flood = Flood(
            rtp: try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtp }),
            rtcp: try #require(pair.sent.last { DatagramKind(of: $0.span) == .rtcp }))
        var now = pair.now
        let before = pair.right.statistics(at: now)
        for _ in 0..<100 {
            flood.pour(1_000, into: &pair.right, at: now)
            now = now.advanced(by: .milliseconds(10))
        }
        let after = pair.right.statistics(at: now)
        let dropped = DatagramDropReason.allCases.reduce(0) { $0 + after.drops[$1] - before.drops[$1] }
        #expect(dropped == 100_000)
        #expect(after.drops[.notRTP] == 10_000)
        #expect(after.drops[suite == nil ? .unknownSource : .authentication] > 10_000)
        #expect(after.packetsReceived == before.packetsReceived)
        let address = pair.right.remoteAddress
        #expect(address == MediaPair.addresses[0])
    }
}
