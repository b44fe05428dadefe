internal import AudioFiles
internal import CCAICall
internal import Synchronization
internal import VoiceEngine

/// Runs the program.
///
/// - Parameters:
///   - arguments: Without the program's name.
///   - environment: The process's.
/// - Returns: The exit code.
func runProgram(arguments: [String], environment: [String: String]) async -> Int32 {
    let command: Command
    do throws(UsageError) {
        command = try Command(parsing: arguments, environment: environment)
    } catch {
        return complain(error.description)
    }
    switch command {
    case .help: Console.output.write(HelpText.overview)
    case .callHelp: Console.output.write(HelpText.call)
    case .version: Console.output.write(HelpText.version)
    case .call(let settings): return await placeCall(settings, environment: environment)
    }
    return 0
}

private func complain(_ text: String) -> Int32 {
    Console.error.write("voicecall: \(text)\n")
    return Verdict.usage.exitCode
}

private func placeCall(_ settings: CallSettings, environment: [String: String]) async -> Int32 {
    let report = await report(on: settings, environment: environment)
    Console.output.write(settings.printsJSON ? report.json : report.table)
    if settings.printsJSON, let problem = report.problem { Console.error.write("voicecall: \(problem)\n") }
    return report.verdict.exitCode
}

private func report(on settings: CallSettings, environment: [String: String]) async -> CallReport {
    let sounds: CallSounds
    do throws(AudioFileError) {
        sounds = try CallSounds(settings)
    } catch {
        return CallReport(unusable: error.description, menuID: settings.menuID)
    }
    guard let temporary = TemporaryRecording(environment: environment) else {
        return CallReport(
            unusable: "no temporary directory can be made; set TMPDIR to one that you may write to",
            menuID: settings.menuID)
    }
    var record = await call(settings, sounds, recordingPath: settings.recordingPath ?? temporary.path)
    // Without its recording a call can't be judged, and silence would be a lie.
    if let reason = record.state.statistics?.recordingFailure, record.ending.problem == nil {
        record.ending = .failed("the recording stopped: \(reason)")
    }
    let wasPlaced = record.state.callID != nil
    let judgement = RecordingJudgement(
        ofRecordingAt: wasPlaced ? settings.recordingPath ?? temporary.path : nil, expecting: sounds.expected)
    return CallReport(
        record, judgement, menuID: settings.menuID, recordingPath: wasPlaced ? settings.recordingPath : nil)
}

/// Places the call, shows its progress, and hangs up on Ctrl-C.
private func call(_ settings: CallSettings, _ sounds: CallSounds, recordingPath: String) async -> CallRecord {
    var media = CallMediaOptions()
    media.input = sounds.microphone.map { .clip(AudioClip(samples: $0)) } ?? .silence
    media.recordingPath = recordingPath
    let progress = ProgressDisplay()
    let flow = CallFlow(
        line: PlatformLine(settings, media: media), plan: sounds.plan(maximum: settings.maximumDuration),
        clock: ContinuousClock(), showProgress: progress.show)
    let task = Task { await flow.run() }
    let interruption = Interruption { task.cancel() }
    defer { interruption.end() }
    let record = await task.value
    progress.end()
    return record
}

/// The progress on standard error, away from the report.
private final class ProgressDisplay: Sendable {
    private let printer = Mutex(ProgressPrinter(isTerminal: Console.error.isTerminal))

    @Sendable func show(_ line: ProgressLine) {
        Console.error.write(printer.withLock { $0.output(for: line) })
    }

    func end() {
        Console.error.write(printer.withLock { $0.end() })
    }
}
