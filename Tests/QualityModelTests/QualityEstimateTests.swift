import QualityModel
import Testing

@Suite("E-model, ITU-T G.107 and G.107.1")
struct QualityEstimateTests {
    private func estimate(
        _ equipment: EquipmentImpairment = .g711, packetsReceived: Int = 1000, loss: Double = 0,
        burstRatio: Double = 1, delay: Duration = .zero
    ) -> QualityEstimate? {
        QualityEstimate(
            of: equipment, packetsReceived: packetsReceived, lossFraction: loss, burstRatio: burstRatio,
            mouthToEarDelay: delay)
    }

    private func expect(
        _ value: Double?, near expected: Double, within tolerance: Double = 0.01,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let value = try #require(value, sourceLocation: sourceLocation)
        #expect(abs(value - expected) <= tolerance, "\(value)", sourceLocation: sourceLocation)
    }

    @Test func everyDefaultMakesTheDefaultRating() throws {
        let narrow = try #require(estimate())
        #expect(narrow.rating == 93.2)
        #expect(narrow.model.rawValue.contains("G.107)"))
        // G.107 §7.7: R = 93.2, of which Annex B makes 4.41.
        try expect(narrow.meanOpinionScore, near: 4.41)

        let wide = try #require(
            estimate(EquipmentImpairment(model: .wideband, impairment: 0, lossRobustness: 10)))
        #expect(wide.rating == 129)
        #expect(wide.meanOpinionScore == 4.5)
        #expect(wide.model.rawValue.contains("G.107.1"))
    }

    /// G.107 Annex B, table B.1: the limits of satisfaction.
    @Test(arguments: [(90.0, 4.34), (80, 4.03), (70, 3.60), (60, 3.10), (50, 2.58)])
    func opinionsAreThoseOfTableB1(rating: Double, opinion: Double) throws {
        let narrow = EquipmentImpairment(
            model: .narrowband, impairment: 93.2 - rating, lossRobustness: 1)
        try expect(estimate(narrow)?.meanOpinionScore, near: opinion)
        let wide = EquipmentImpairment(
            model: .wideband, impairment: 129 - 1.29 * rating, lossRobustness: 1)
        try expect(estimate(wide)?.meanOpinionScore, near: opinion)
    }

    /// By hand from G.107 §7.4: X = 1, 2 and log₂ 1.5.
    @Test(arguments: [(0, 0.0), (100, 0), (150, 0.1635), (200, 3.044), (400, 24.070), (100_000, 49.969)])
    func delayIsMindedFrom100Milliseconds(milliseconds: Int, impairment: Double) throws {
        let rating = estimate(delay: .milliseconds(milliseconds))?.rating
        try expect(rating.map { 93.2 - $0 }, near: impairment, within: 0.001)
    }

    /// By hand from §7.5: 95 × 5/(5 + 25.1) and 95 × 5/(5/2 + 25.1); for Opus 5 + 90 × 5/(5 + 14).
    @Test func lossCostsTheMoreTheMoreItComesInBursts() throws {
        try expect(estimate(loss: 0.05)?.rating, near: 93.2 - 15.781)
        try expect(estimate(loss: 0.05, burstRatio: 2)?.rating, near: 93.2 - 17.210)
        try expect(estimate(.opus, loss: 0.05)?.rating, near: 129 - 28.684)
    }

    @Test func theEstimateForOpusIsWhatItSays() throws {
        let g711 = try #require(estimate(loss: 0.05))
        try expect(estimate(.opus, loss: 0.05)?.meanOpinionScore, near: g711.meanOpinionScore, within: 0.05)
    }

    @Test func moreLossOrDelayIsNeverBetter() throws {
        for equipment in [EquipmentImpairment.g711, .opus] {
            var last = Double.infinity
            var lastOpinion = Double.infinity
            for step in 0...100 {
                let rated = try #require(
                    estimate(equipment, loss: Double(step) / 100, delay: .milliseconds(step * 20)))
                #expect(rated.rating <= last)
                #expect(rated.meanOpinionScore <= lastOpinion)
                last = rated.rating
                lastOpinion = rated.meanOpinionScore
            }
        }
    }

    // RTCP-11
    @Test func whatWasNotReceivedIsNotRated() {
        #expect(estimate(packetsReceived: 0) == nil)
        #expect(estimate(packetsReceived: -1) == nil)
        #expect(estimate(loss: .nan) == nil)
        #expect(estimate(packetsReceived: 0, loss: 1) == nil)
    }

    // RTCP-11
    @Test func ofNothingHeardTheOpinionIsTheWorst() {
        for equipment in [EquipmentImpairment.g711, .opus] {
            #expect(estimate(equipment, loss: 1)?.rating == 0)
            #expect(estimate(equipment, loss: 1)?.meanOpinionScore == 1)
        }
    }

    // RTCP-11
    @Test(arguments: [EquipmentImpairment.g711, .opus])
    func nothingLeavesItsScale(equipment: EquipmentImpairment) throws {
        let losses = [-1, 0, 0.5, 1, 2, .infinity, -.infinity]
        let bursts = [-1, 0, 1, 1e300, .infinity, .nan]
        let delays: [Duration] = [.seconds(-5), .zero, .seconds(5), .seconds(1_000_000)]
        for loss in losses {
            for burst in bursts {
                for delay in delays {
                    let rated = try #require(
                        estimate(equipment, loss: loss, burstRatio: burst, delay: delay))
                    #expect((0...equipment.model.defaultRating).contains(rated.rating))
                    #expect((1...4.5).contains(rated.meanOpinionScore))
                }
            }
        }
    }
}
