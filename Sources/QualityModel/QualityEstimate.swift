import MediaTime

/// The E-model on one of its scales.
///
/// Ratings of the two don't compare.
package enum TransmissionModel: String, BitwiseCopyable, Hashable, Sendable, CaseIterable {
    /// 300 to 3400 Hz, rated `0...100`.
    case narrowband = "E-model, narrow band (ITU-T G.107)"
    /// 50 to 7000 Hz, rated `0...129`.
    case wideband = "E-model, wide band (ITU-T G.107.1)"

    /// The rating with every parameter at its default: G.107 §7.7, G.107.1 §7.7.
    package var defaultRating: Double {
        switch self {
        case .narrowband: 93.2
        case .wideband: 129
        }
    }
}

/// What a codec does to speech, with and without loss (ITU-T G.113).
package struct EquipmentImpairment: BitwiseCopyable, Hashable, Sendable {
    package var model: TransmissionModel
    /// Ie or Ie,WB: what the codec alone takes from the rating, `0...95`.
    package var impairment: Double
    /// Bpl: the loss in percent that takes half of what is left, above 0.
    package var lossRobustness: Double

    package init(model: TransmissionModel, impairment: Double, lossRobustness: Double) {
        precondition(lossRobustness > 0, "a codec survives some loss")
        self.model = model
        self.impairment = impairment
        self.lossRobustness = lossRobustness
    }

    /// G.711 of either law with concealment as in its Appendix I, at 10 ms a packet: G.113 Appendix I, table I.3.
    package static let g711 = Self(model: .narrowband, impairment: 0, lossRobustness: 25.1)

    /// G.722 at 64 kbit/s, heard in wide band: G.113 Appendix IV has 13 for the impairment.
    ///
    /// The robustness is **our estimate**, that of ``opus`` less what its better concealment is worth.
    package static let g722 = Self(model: .wideband, impairment: 13, lossRobustness: 10)

    /// Opus at 20 kbit/s and more, heard in wide band.
    ///
    /// **Our estimates**: the ITU-T has none for Opus. The impairment is set among those of AMR-WB from 18 to 24 kbit/s
    /// (G.113 Appendix IV), the robustness so that 5 % of loss ends in about the same opinion as with ``g711``. Packets restored from
    /// forward error correction don't count as lost.
    package static let opus = Self(model: .wideband, impairment: 5, lossRobustness: 14)
}

/// A transmission rating, and the opinion that the recommendation expects of it.
///
/// Always name the model with it. It judges the transmission, not the sound: nobody has listened.
package struct QualityEstimate: BitwiseCopyable, Hashable, Sendable {
    package let model: TransmissionModel
    /// R: `0...100` in narrow band, `0...129` in wide band.
    package let rating: Double
    /// `1...4.5`.
    package let meanOpinionScore: Double

    /// Rates what was received: R = default − delay − equipment (G.107 §7.1), with no echo and no advantage factor.
    ///
    /// `nil` if nothing was received, or the loss isn't a number: then there's nothing to rate. The factors of G.113 were
    /// measured up to 20 % of loss; beyond, the rating is what the formula says, and 0 when all was lost.
    ///
    /// - Parameters:
    ///   - equipment: The codec that the packets carried.
    ///   - packetsReceived: In the time that is rated.
    ///   - lossFraction: Share of that time's packets that weren't there to be played, lost or late: `0...1`.
    ///   - burstRatio: Mean length of the gaps over that of random loss, at least 1 (G.107 §7.5).
    ///   - mouthToEarDelay: One way, with the delay of packets, jitter buffer and devices.
    package init?(
        of equipment: EquipmentImpairment, packetsReceived: Int, lossFraction: Double, burstRatio: Double = 1,
        mouthToEarDelay: Duration
    ) {
        guard packetsReceived > 0, !lossFraction.isNaN else { return nil }
        let loss = 100 * min(max(lossFraction, 0), 1)
        let burstRatio = burstRatio >= 1 ? burstRatio : 1
        let heard =
            equipment.model.defaultRating - Self.delayImpairment(mouthToEarDelay.inMilliseconds)
            - Self.effectiveImpairment(equipment, lossPercent: loss, burstRatio: burstRatio)
        model = equipment.model
        rating = min(max(lossFraction < 1 ? heard : 0, 0), equipment.model.defaultRating)
        meanOpinionScore = Self.meanOpinionScore(of: rating, model: equipment.model)
    }

    /// Ie,eff (G.107 §7.5, G.107.1 §7.5): at all loss and a robustness of 0 it would be 95.
    private static func effectiveImpairment(
        _ equipment: EquipmentImpairment, lossPercent: Double, burstRatio: Double
    ) -> Double {
        guard lossPercent > 0 else { return equipment.impairment }
        let left = 95 - equipment.impairment
        return equipment.impairment
            + left * lossPercent / (lossPercent / burstRatio + equipment.lossRobustness)
    }

    /// Idd (G.107 §7.4): the delay itself, which nobody minds below 100 ms, at the sensitivity of an ordinary user.
    private static func delayImpairment(_ milliseconds: Double) -> Double {
        guard milliseconds > 100 else { return 0 }
        let x = binaryLogarithm(of: milliseconds / 100)
        return 25 * (sixthNorm(1, x) - 3 * sixthNorm(1, x / 3) + 2)
    }

    /// G.107 Annex B; G.107.1 Annex A maps the wider scale to it by 1.29.
    private static func meanOpinionScore(of rating: Double, model: TransmissionModel) -> Double {
        let r = model == .wideband ? rating / 1.29 : rating
        // Below 6.5 the polynomial dips under 1, which no opinion can.
        return min(max(1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6, 1), 4.5)
    }
}
