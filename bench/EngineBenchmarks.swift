import CFloor
import Foundation
import VoiceEngine

/// CPU time of this process so far, user and system, in seconds.
private func processCPU() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Speech-like sound: syllables of a buzz with noise, and pauses.
private func makeSpeech(seconds: Int) -> [Int16] {
    var state: UInt64 = 1
    var smooth = 0.0
    return (0..<(seconds * 48_000)).map { index in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        smooth = smooth * 0.8 + Double(Int16(truncatingIfNeeded: state >> 40)) * 0.2
        let buzz = Double(index % 400 - 200) * 40
        let isLoud = index % 28_800 < 21_600
        return isLoud ? Int16(max(-20_000, min(20_000, buzz + smooth * 0.3))) : Int16(smooth * 0.002)
    }
}

/// CPU of one end of an Opus call, against a C loop that makes the same calls of libraries and kernel.
func measureCallCPU(calls: Int) async throws -> [Figure] {
    let seconds = 4
    let speech = makeSpeech(seconds: 12)
    var ratios: [Double] = []
    var ours: [Double] = []
    var floors: [Double] = []
    // Once for nothing, so that libraries and caches are warm.
    _ = try measureFloor(ends: 2, seconds: 1, speech)
    // In turn, so that a machine that slows down slows both.
    for _ in 0..<7 {
        let floor = try measureFloor(ends: calls * 2, seconds: seconds, speech)
        let engine = try await measureEngine(calls: calls, seconds: seconds, speech)
        ratios.append(engine / floor)
        ours.append(engine)
        floors.append(floor)
    }
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    return [
        Figure(
            name: "engine.call.cpu-over-floor", value: median(ratios), unit: "times a C loop", limit: 1.25,
            remark: String(
                format:
                    "%d calls, both ends here: %.2f ms of CPU per end and second, the C loop %.2f; ratios %@",
                calls, median(ours) * 1_000, median(floors) * 1_000,
                ratios.map { String(format: "%.2f", $0) }.joined(separator: " ")))
    ]
}

private struct SetUpFailure: Error, CustomStringConvertible { let description: String }

/// - Returns: CPU seconds per end and second.
private func measureFloor(ends: Int, seconds: Int, _ speech: [Int16]) throws -> Double {
    let before = processCPU()
    let decoded = cfloor_run(Int32(ends), Int32(seconds * 50), speech, speech.count)
    guard decoded > ends * seconds * 45 else {
        throw SetUpFailure(description: "the C loop decoded \(decoded) packets only")
    }
    return (processCPU() - before) / Double(ends * seconds)
}

private func measureEngine(calls: Int, seconds: Int, _ speech: [Int16]) async throws -> Double {
    let engine = try VoiceEngine()
    let clip = AudioClip(samples: speech)
    let configuration = SessionConfiguration(localAddress: .numeric("127.0.0.1"), input: .clip(clip))
    var sessions: [VoiceSession] = []
    for _ in 0..<calls {
        let caller = try await engine.makeSession(configuration)
        let callee = try await engine.makeSession(configuration)
        try await caller.accept(answer: try await callee.answer(offer: caller.makeOffer()))
        sessions += [caller, callee]
    }
    try await Task.sleep(for: .milliseconds(300))
    let before = processCPU()
    try await Task.sleep(for: .seconds(seconds))
    let spent = processCPU() - before
    for session in sessions {
        let heard = await session.close().packetsReceived
        guard heard > seconds * 45 else {
            throw SetUpFailure(description: "a session of the engine heard \(heard) packets only")
        }
    }
    await engine.shutDown()
    return spent / Double(sessions.count * seconds)
}
