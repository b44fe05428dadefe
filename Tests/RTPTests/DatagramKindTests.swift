import RTP
import Testing

@Suite("Demultiplexing, RFC 7983 §7 and RFC 5761 §4")
struct DatagramKindTests {
    private func expected(first: UInt8) -> DatagramKind {
        switch first {
        case 0...3: .stun
        case 16...19: .zrtp
        case 20...63: .dtls
        case 64...79: .turnChannel
        case 128...191: .rtp
        default: .unknown
        }
    }

    // RTP-18
    @Test(arguments: UInt8.min...UInt8.max)
    func theFirstOctetDecides(first: UInt8) {
        for length in 1...3 {
            let bytes = [first] + [UInt8](repeating: 0, count: length - 1)
            #expect(DatagramKind(of: bytes.span) == expected(first: first))
        }
    }

    @Test func nothingIsEmpty() {
        let none: [UInt8] = []
        #expect(DatagramKind(of: none.span) == .empty)
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func theSecondOctetTellsRTCP(second: UInt8) {
        #expect(DatagramKind(of: [0x80, second].span) == (192...223 ~= second ? .rtcp : .rtp))
    }

    // RTP-17
    @Test(arguments: [
        "81c900071234abcd0a0b0c0d00fffffe00010010000000030010800000008000",
        "80c800081234abcde40000108000000000027100000003e8000271000102030405060708",
        "a0c900021234abcd00000004", "80cf00021234abcd05000003",
    ])
    func reportsAreNeverTakenForMedia(hex: String) {
        #expect(DatagramKind(of: octets(hex).span) == .rtcp)
    }
}
