import FuzzSupport
import MediaSession
import SRTP

/// The first octets choose encryption, encoding and ports; then comes what happens in the call, step by step.
///
/// A step's first octet says what it is, the next ones how.
@main enum FuzzMediaSession {
    private static let suites: [CryptoSuite?] = [nil, .aeadAES256GCM, .aes128HMACSHA1_80]
    /// So many steps can't take long, whatever they are.
    private static let longest = 64

    static func main() { fuzz { check($0) } }

    static func check(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        let suite = suites[input.number(below: suites.count)]
        do {
            let sending = FuzzedCall.payloads[input.number(below: FuzzedCall.payloads.count)]
            var call = try FuzzedCall(sending: sending, suite: suite, hasReportPort: input.octet() & 1 != 0)
            var steps = 0
            while !input.isAtEnd, steps < longest {
                steps += 1
                switch input.number(below: 10) {
                case 0: call.receiveFromAnyone(input.piece(), isStranger: input.octet() & 1 != 0)
                case 1: call.receiveAuthentic(input.piece(), early: input.octet())
                case 2: call.receiveAudio(&input)
                case 3: call.receiveReport(&input)
                case 4: call.receiveEvent(&input)
                case 5: call.play(frames: 1 + input.number(below: 8))
                case 6: call.wait(milliseconds: Int(input.uint16()))
                case 7: call.control(input.octet())
                case 8: call.update(&input)
                default:
                    let shape = input.octet()
                    call.capture(frames: 1 + Int(shape & 31), isPause: shape & 32 != 0)
                }
            }
            call.finish()
        } catch { preconditionFailure("the parameters can be met: \(error)") }
    }
}
