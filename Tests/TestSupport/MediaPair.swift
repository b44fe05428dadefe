package import AudioCodecs
package import MediaSession
package import MediaTime
package import RTP
package import SRTP

/// Two media sessions that hear each other over two ``SimulatedLink``s, in virtual time.
package struct MediaPair: ~Copyable {
    package static let addresses = [
        TransportAddress(address: 0x7F00_0001, port: 4_000),
        TransportAddress(address: 0x7F00_0001, port: 4_002),
    ]

    package var left: MediaSession
    package var right: MediaSession
    /// From left to right, and back.
    package var links: [SimulatedLink]
    package private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    /// Every datagram that left sent, as it was on the wire; kept only when asked for.
    package var keepsDatagrams = false
    package private(set) var sent: [[UInt8]] = []
    package private(set) var heardByLeft: [Int16] = []
    package private(set) var heardByRight: [Int16] = []
    /// Whether what is played is kept in ``heardByLeft`` and ``heardByRight``.
    package var keepsAudio = true
    /// How much faster the left side's sound device runs than the right's, in millionths.
    package var driftPartsPerMillion = 0
    private var tick = 0
    private var leftTick = 0
    private var leftNow = MonotonicInstant(nanoseconds: 1_000_000_000)
    /// What the left (0) and right (1) session go by.
    private var parameters: [MediaParameters]

    /// - Parameters:
    ///   - format: What both send and take.
    ///   - suite: `nil` is plain RTP.
    ///   - links: From left to right, and back.
    ///   - seed: What the sessions' random numbers come from.
    ///   - adjust: A chance to change the parameters of the left (0) and right (1) session.
    /// - Throws: What ``MediaSession`` throws.
    package init(
        _ format: AudioFormat, suite: CryptoSuite? = .aeadAES256GCM, links: [SimulatedLink], seed: UInt64 = 1,
        adjust: (inout MediaParameters, Int) -> Void = { _, _ in }
    ) throws {
        let payload = MediaParameters.Payload(
            type: PayloadType(rawValue: Self.payloadType(of: format)), format: format)
        let keys = (0..<2).map { side in
            (0..<(suite?.keyAndSaltLength ?? 0)).map { UInt8(truncatingIfNeeded: $0 * 7 + side * 101 + 1) }
        }
        func parameters(_ side: Int) -> MediaParameters {
            var parameters = MediaParameters(
                sending: payload, receiving: [payload], canonicalName: side == 0 ? "left" : "right")
            parameters.remoteAddress = Self.addresses[1 - side]
            parameters.security = suite.map {
                .init(
                    local: SRTPKey(suite: $0, keyAndSalt: keys[side]),
                    remote: SRTPKey(suite: $0, keyAndSalt: keys[1 - side]))
            }
            adjust(&parameters, side)
            return parameters
        }
        var random = SplitMix64(seed: seed)
        let start = MonotonicInstant(nanoseconds: 1_000_000_000)
        let wallClock: Int64 = 1_700_000_000_000_000_000
        self.parameters = [parameters(0), parameters(1)]
        let left = try MediaSession(parameters(0), at: start, wallClock: wallClock, random: &random)
        let right = try MediaSession(parameters(1), at: start, wallClock: wallClock, random: &random)
        self.left = left
        self.right = right
        self.links = links
    }

    /// Changes what both go by, as a later offer and answer do.
    package mutating func agreeAnew(_ adjust: (inout MediaParameters, Int) -> Void) throws {
        for side in 0..<2 {
            var changed = parameters[side]
            adjust(&changed, side)
            var update = try MediaUpdate(
                from: parameters[side], to: changed, source: side == 0 ? left.localSource : right.localSource)
            parameters[side] = changed
            if side == 0 { left.apply(&update, at: now) } else { right.apply(&update, at: now) }
        }
    }

    /// The number that everybody gives `format`.
    package static func payloadType(of format: AudioFormat) -> UInt8 {
        switch format {
        case .opus: 111
        case .g722: 9
        case .pcmu: 0
        case .pcma: 8
        }
    }

    /// Runs both for `duration`, in steps of 10 ms.
    ///
    /// - Parameters:
    ///   - duration: Whole frames of it.
    ///   - audio: The 480 samples of a frame of the left (0) or right (1) side's microphone; frames count from 0.
    package mutating func run(for duration: Duration, audio: (_ side: Int, _ frame: Int) -> [Int16]) {
        let frames = Int(duration.wholeNanoseconds / 10_000_000)
        for _ in 0..<frames { step(audio) }
    }

    private mutating func step(_ audio: (_ side: Int, _ frame: Int) -> [Int16]) {
        while leftNow <= now {
            deliverToLeft(by: leftNow)
            stepLeft(audio(0, leftTick))
            leftTick += 1
            leftNow = leftNow.advanced(by: .nanoseconds(10_000_000 - 10 * Int64(driftPartsPerMillion)))
        }
        stepRight(audio(1, tick))
        tick += 1
        now = now.advanced(by: .milliseconds(10))
        deliver()
    }

    private mutating func stepLeft(_ said: [Int16]) {
        var frame = InlineArray<480, Int16>(repeating: 0)
        var samples = frame.mutableSpan
        Self.copy(said.span, into: &samples)
        left.applyMute(to: &samples)
        left.capture(samples.span, at: leftNow)
        if leftNow >= left.deadline { left.handleDeadline(at: leftNow) }
        sendAll(at: leftNow)
        left.playOut(&samples, at: leftNow)
        if keepsAudio { Self.append(samples.span, to: &heardByLeft) }
    }

    private mutating func stepRight(_ said: [Int16]) {
        var frame = InlineArray<480, Int16>(repeating: 0)
        var samples = frame.mutableSpan
        Self.copy(said.span, into: &samples)
        right.applyMute(to: &samples)
        right.capture(samples.span, at: now)
        if now >= right.deadline { right.handleDeadline(at: now) }
        sendAll()
        right.playOut(&samples, at: now)
        if keepsAudio { Self.append(samples.span, to: &heardByRight) }
    }

    /// What either has heard since the last time, which is forgotten.
    package mutating func takeHeard() -> (byLeft: [Int16], byRight: [Int16]) {
        defer { (heardByLeft, heardByRight) = ([], []) }
        return (heardByLeft, heardByRight)
    }

    /// Puts what both have to send on the links.
    package mutating func sendAll() { sendAll(at: now) }

    private mutating func sendAll(at now: MonotonicInstant) {
        var datagram = InlineArray<1_500, UInt8>(repeating: 0)
        var memory = datagram.mutableSpan
        while let length = left.takeDatagram(into: &memory) {
            let octets = Self.copy(memory.span, length)
            if keepsDatagrams { sent.append(octets) }
            links[0].send(octets, at: now)
        }
        while let length = right.takeDatagram(into: &memory) {
            links[1].send(Self.copy(memory.span, length), at: now)
        }
    }

    /// Hands over what has arrived by now.
    package mutating func deliver() {
        while let (arrival, datagram) = links[0].receive(at: now) {
            var octets = datagram
            var span = octets.mutableSpan
            right.receive(&span, from: Self.addresses[0], at: arrival)
        }
        deliverToLeft(by: min(now, leftNow))
    }

    private mutating func deliverToLeft(by time: MonotonicInstant) {
        while let (arrival, datagram) = links[1].receive(at: time) {
            var octets = datagram
            var span = octets.mutableSpan
            left.receive(&span, from: Self.addresses[1], at: arrival)
        }
    }

    private static func copy(_ source: Span<Int16>, into target: inout MutableSpan<Int16>) {
        unsafe source.withUnsafeBufferPointer { from in
            unsafe target.withUnsafeMutableBufferPointer { to in _ = unsafe to.update(from: from) }
        }
    }

    private static func append(_ source: Span<Int16>, to target: inout [Int16]) {
        unsafe source.withUnsafeBufferPointer { unsafe target.append(contentsOf: $0) }
    }

    private static func copy(_ span: Span<UInt8>, _ length: Int) -> [UInt8] {
        [UInt8](capacity: length) { output in
            for index in 0..<length { output.append(span[index]) }
        }
    }
}
