import SoundJudge
import Testing

@Suite struct SoundMatchTests {
    @Test(arguments: [
        (1.0, 1.0, true), (0.4, 0.5, true), (0.39, 1.0, false), (0.9, 0.49, false), (0.0, 0.0, false),
    ])
    func itTakesBothSimilarityAndHalfOfTheSound(similarity: Double, coverage: Double, isFound: Bool) {
        #expect(SoundMatch(lag: .zero, similarity: similarity, coverage: coverage).isFound == isFound)
    }
}
