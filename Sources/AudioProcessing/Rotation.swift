/// A step round the unit circle: what an oscillator turns by at each sample.
///
/// A core has no C library, so angles come as their cosine and sine, and others are made of these.
struct Rotation: BitwiseCopyable, Sendable {
    var cosine, sine: Double

    @_noLocks @_noAllocation
    init(cosine: Double, sine: Double) {
        self.cosine = cosine
        self.sine = sine
    }

    static var none: Self {
        @_noLocks @_noAllocation
        get { Self(cosine: 1, sine: 0) }
    }

    var reversed: Self {
        @_noLocks @_noAllocation
        get { Self(cosine: cosine, sine: -sine) }
    }

    @_noLocks @_noAllocation
    func followed(by next: Self) -> Self {
        Self(
            cosine: cosine * next.cosine - sine * next.sine, sine: sine * next.cosine + cosine * next.sine)
    }

    @_noLocks @_noAllocation
    func repeated(_ times: Int) -> Self {
        var result = Self.none
        for _ in 0..<times { result = result.followed(by: self) }
        return result
    }

    /// One sample at 48 kHz of the low tone of `row` (ITU-T Q.23): the cosine and sine of 2π · f / 48000.
    @_noLocks @_noAllocation
    static func lowTone(row: Int) -> Self {
        switch row {
        case 0: Self(cosine: 0.995_840_783_392_544_3, sine: 0.091_110_559_937_493_85)  // 697 Hz
        case 1: Self(cosine: 0.994_924_708_249_660_2, sine: 0.100_622_188_976_033_53)  // 770 Hz
        case 2: Self(cosine: 0.993_787_359_023_353_3, sine: 0.111_295_485_287_536_67)  // 852 Hz
        default: Self(cosine: 0.992_423_348_120_030_2, sine: 0.122_865_365_771_763_98)  // 941 Hz
        }
    }

    /// As ``lowTone(row:)``, of the high tone of `column`.
    @_noLocks @_noAllocation
    static func highTone(column: Int) -> Self {
        switch column {
        case 0: Self(cosine: 0.987_503_360_212_743_3, sine: 0.157_597_949_125_428_07)  // 1209 Hz
        case 1: Self(cosine: 0.984_747_078_366_712_7, sine: 0.173_991_929_836_482)  // 1336 Hz
        case 2: Self(cosine: 0.981_368_191_525_933_4, sine: 0.192_136_598_963_131_04)  // 1477 Hz
        default: Self(cosine: 0.977_240_363_529_866_8, sine: 0.212_135_032_203_579_93)  // 1633 Hz
        }
    }
}
