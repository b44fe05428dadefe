import MediaTime
import RTP
import Testing

/// RFC 3611 §A.2, written out as it stands there, with Gmin 16.
private struct ReferenceCounts {
    var lost = 0
    var pkt = 0
    var c11 = 0
    var c13 = 0
    var c14 = 0
    var c22 = 0
    var c23 = 0
    var c33 = 0

    mutating func add(isLost: Bool) {
        guard isLost else {
            pkt += 1
            return
        }
        if pkt >= 16 {
            if lost == 1 { c14 += 1 } else { c13 += 1 }
            lost = 1
            c11 += pkt
        } else {
            lost += 1
            if pkt == 0 {
                c33 += 1
            } else {
                c23 += 1
                c22 += pkt - 1
            }
        }
        pkt = 0
    }

    func metrics(milliseconds m: Double) -> BurstMetrics {
        let c31 = c13
        let c32 = c23
        let total = c11 + c14 + c13 + c22 + c23 + c31 + c32 + c33
        let p32 = Double(c32) / Double(c31 + c32 + c33)
        let p23 = c22 + c23 < 1 ? 1 : 1 - Double(c22) / Double(c22 + c23)
        let burstDensity = 256 * p23 / (p23 + p32)
        let gapDensity = 256 * Double(c14) / Double(c11 + c14)
        let gapLength = Double(c11 + c14 + c13) * m / Double(c13)
        let burstLength = Double(total) * m / Double(c13) - gapLength
        return BurstMetrics(
            burstDensity: UInt8(min(burstDensity, 255)), gapDensity: UInt8(gapDensity),
            burstMilliseconds: UInt16(min(burstLength, 65_535)),
            gapMilliseconds: UInt16(min(gapLength, 65_535)),
            minimumGap: 16)
    }
}

@Suite("Bursts and gaps, RFC 3611 §4.7.2 and §A.2")
struct BurstCounterTests {
    @Test(arguments: 0..<100 as Range<UInt64>)
    func theFiguresAreThoseOfTheAppendix(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var counter = BurstCounter()
        var reference = ReferenceCounts()
        var isBad = false
        for _ in 0..<2_000 {
            if Int.random(in: 0..<50, using: &random) == 0 { isBad.toggle() }
            let isLost = Int.random(in: 0..<100, using: &random) < (isBad ? 40 : 3)
            if isLost { counter.miss() } else { counter.receive() }
            reference.add(isLost: isLost)
        }
        // The appendix counts a run with the loss that ends it.
        if reference.pkt > 0 {
            counter.miss()
            reference.add(isLost: true)
        }
        let metrics = counter.metrics(packetMilliseconds: 20)
        let expected = reference.metrics(milliseconds: 20)
        #expect(metrics.burstDensity == expected.burstDensity)
        #expect(metrics.gapDensity == expected.gapDensity)
        #expect(abs(Int(metrics.gapMilliseconds) - Int(expected.gapMilliseconds)) <= 1)
        #expect(abs(Int(metrics.burstMilliseconds) - Int(expected.burstMilliseconds)) <= 1)
    }

    @Test func aCallWithoutLossIsOneGap() {
        var counter = BurstCounter()
        #expect(counter.metrics(packetMilliseconds: 20) == BurstMetrics())
        counter.receive(500)
        let metrics = counter.metrics(packetMilliseconds: 20)
        #expect(metrics.burstDensity == 0 && metrics.gapDensity == 0)
        #expect(metrics.burstMilliseconds == 0 && metrics.gapMilliseconds == 10_000)
    }

    @Test func everythingLostIsOneBurst() {
        var counter = BurstCounter()
        for _ in 0..<100 { counter.miss() }
        let metrics = counter.metrics(packetMilliseconds: 20)
        #expect(metrics.burstDensity == 255)
        #expect(metrics.burstMilliseconds == 2_000 && metrics.gapMilliseconds == 0)
    }

    @Test func lossesFarApartAreNoBurst() {
        var counter = BurstCounter()
        for _ in 0..<100 {
            counter.receive(49)
            counter.miss()
        }
        let metrics = counter.metrics(packetMilliseconds: 20)
        // The appendix takes the first loss for a burst's beginning.
        #expect(metrics.burstMilliseconds == 20)
        #expect(metrics.gapDensity == 5)
    }

    @Test func runsAreComparedWithThoseOfRandomLoss() {
        var alone = BurstCounter()
        var inPairs = BurstCounter()
        for _ in 0..<100 {
            alone.receive(18)
            alone.miss()
            inPairs.receive(18)
            inPairs.miss()
            inPairs.miss()
        }
        #expect(alone.burstRatio(lossFraction: 0.05) == 1)
        #expect(inPairs.burstRatio(lossFraction: 0.1) == 1.8)
        #expect(BurstCounter().burstRatio(lossFraction: 0) == 1)
    }
}
