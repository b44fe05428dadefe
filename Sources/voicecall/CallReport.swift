package import SoundJudge
package import VoiceEngine

/// All that is known about a call when it is over; `nil` was not measured.
package struct CallReport: Hashable, Sendable {
    package var verdict: Verdict
    /// What went wrong, in the words of where it went wrong.
    package var problem: String?

    package var company: String?
    package var menuID: Int
    package var menuName: String?
    package var callID: Int?
    /// Who was on the other side at the end.
    package var agent: String?
    /// The platform's code for the end of the call.
    package var endReason: String?
    /// From the connection of the call to its end.
    package var duration: Duration?
    /// Where the user's recording is.
    package var recordingPath: String?

    package var statistics: SessionStatistics?
    /// The other side's sound, as recorded.
    package var heard: SoundActivity?
    /// `nil` when no sound was expected.
    package var expectation: ExpectedSound?

    package init(verdict: Verdict, menuID: Int) {
        self.verdict = verdict
        self.menuID = menuID
    }
}

/// A figure of a report: once for programs (``key``), once for people (``label``, ``unit``).
package struct ReportLine: Hashable, Sendable {
    /// In snake_case; doesn't change between versions.
    package var key: String
    package var label: String
    package var value: ReportValue
    package var unit = ""
    /// What people read in place of a value that there isn't.
    package var absence = "not measured"
}

/// The value of a ``ReportLine``.
package enum ReportValue: Hashable, Sendable {
    case notMeasured
    case text(String)
    case integer(Int)
    /// Rounded to the digits after the point.
    case decimal(Double, digits: Int)
    case flag(Bool)

    init(_ text: String?) { self = text.map(ReportValue.text) ?? .notMeasured }
    init(_ integer: Int?) { self = integer.map(ReportValue.integer) ?? .notMeasured }
    init(_ flag: Bool?) { self = flag.map(ReportValue.flag) ?? .notMeasured }

    init(_ number: Double?, digits: Int) {
        guard let number, number.isFinite else {
            self = .notMeasured
            return
        }
        self = .decimal(number, digits: digits)
    }

    init(secondsOf duration: Duration?, digits: Int = 1) {
        self.init(duration.map { $0 / .seconds(1) }, digits: digits)
    }
}

extension CallReport {
    /// The report of a call that was placed, or tried.
    package init(_ record: CallRecord, _ judgement: RecordingJudgement, menuID: Int, recordingPath: String?) {
        let verdict = judge(
            ending: record.ending, heard: judgement.heard, expectation: judgement.expectation)
        self.init(verdict: verdict, menuID: menuID)
        problem = record.ending.problem
        company = record.company
        menuName = record.menuName
        callID = record.state.callID
        agent = record.state.agent
        endReason = record.state.endReason
        duration = record.duration
        statistics = record.state.statistics
        heard = judgement.heard
        expectation = judgement.expectation
        self.recordingPath = recordingPath
    }

    /// The report of a call that wasn't tried, since what the user gave can't be used.
    package init(unusable problem: String, menuID: Int) {
        self.init(verdict: .usage, menuID: menuID)
        self.problem = problem
    }

    /// All figures, in groups that belong together.
    package var groups: [[ReportLine]] {
        [verdictLines, callLines, transportLines, qualityLines, soundLines]
    }

    private var verdictLines: [ReportLine] {
        [
            ReportLine(key: "verdict", label: "Verdict", value: .text(verdict.rawValue)),
            ReportLine(key: "meaning", label: "Meaning", value: .text(verdict.meaning)),
            ReportLine(key: "problem", label: "Problem", value: ReportValue(problem), absence: "none"),
            ReportLine(key: "exit_code", label: "Exit code", value: .integer(Int(verdict.exitCode))),
        ]
    }

    private var callLines: [ReportLine] {
        [
            ReportLine(key: "company", label: "Company", value: ReportValue(company), absence: "not known"),
            ReportLine(key: "menu_id", label: "Menu", value: .integer(menuID)),
            ReportLine(
                key: "menu_name", label: "Menu's name", value: ReportValue(menuName), absence: "not known"),
            ReportLine(key: "call_id", label: "Call", value: ReportValue(callID), absence: "not known"),
            ReportLine(key: "agent", label: "Agent", value: ReportValue(agent), absence: "not known"),
            ReportLine(
                key: "end_reason", label: "End reason", value: ReportValue(endReason), absence: "not known"),
            ReportLine(
                key: "duration_s", label: "Duration", value: ReportValue(secondsOf: duration), unit: "s"),
        ]
    }

    private var transportLines: [ReportLine] {
        [
            ReportLine(
                key: "codec", label: "Codec", value: ReportValue(statistics?.codec), absence: "not known"),
            ReportLine(
                key: "crypto_suite", label: "Encryption", value: ReportValue(encryption), absence: "not known"
            ),
            ReportLine(
                key: "packets_sent", label: "Packets sent", value: ReportValue(statistics?.packetsSent)),
            ReportLine(
                key: "packets_received", label: "Packets received",
                value: ReportValue(statistics?.packetsReceived)),
            ReportLine(
                key: "packets_lost", label: "Packets lost", value: ReportValue(statistics?.packetsLost)),
            ReportLine(
                key: "loss_percent", label: "Loss", value: ReportValue(lossPercent, digits: 2), unit: "%"),
            ReportLine(
                key: "packets_late", label: "Packets late", value: ReportValue(statistics?.packetsLate)),
            ReportLine(
                key: "packets_recovered", label: "Packets recovered",
                value: ReportValue(statistics?.packetsRecovered)),
            ReportLine(
                key: "datagrams_dropped", label: "Datagrams dropped",
                value: ReportValue(statistics?.droppedDatagrams.values.reduce(0, +))),
            ReportLine(
                key: "jitter_ms", label: "Jitter",
                value: ReportValue(statistics?.jitterMilliseconds, digits: 1),
                unit: "ms"),
            ReportLine(
                key: "remote_jitter_ms", label: "Jitter of ours there",
                value: ReportValue(statistics?.remoteJitterMilliseconds, digits: 1), unit: "ms"),
            ReportLine(
                key: "round_trip_ms", label: "Round trip",
                value: ReportValue(statistics?.roundTripMilliseconds, digits: 1), unit: "ms"),
        ]
    }

    private var qualityLines: [ReportLine] {
        [
            ReportLine(
                key: "jitter_buffer_ms", label: "Jitter buffer, mean",
                value: ReportValue(statistics?.meanJitterBufferDelayMilliseconds, digits: 1), unit: "ms"),
            ReportLine(
                key: "concealed_percent", label: "Concealed",
                value: ReportValue(statistics?.concealedShare.map { $0 * 100 }, digits: 2), unit: "%"),
            ReportLine(
                key: "mos", label: "MOS (estimated)",
                value: ReportValue(statistics?.meanOpinionScore, digits: 2)),
            ReportLine(key: "rating", label: "Rating R", value: ReportValue(statistics?.rating, digits: 1)),
            ReportLine(
                key: "quality_model", label: "Model of both", value: ReportValue(statistics?.qualityModel)),
            ReportLine(
                key: "late_wake_ups", label: "Our late wake-ups", value: ReportValue(statistics?.lateWakeUps)),
            ReportLine(
                key: "real_time_priority", label: "Real-time priority",
                value: ReportValue(statistics?.hasRealTimePriority)),
        ]
    }

    private var soundLines: [ReportLine] {
        [
            ReportLine(
                key: "sent_level_dbov", label: "Level sent",
                value: ReportValue(statistics?.sentLevel, digits: 1),
                unit: "dBov"),
            ReportLine(
                key: "heard_level_dbov", label: "Level heard", value: ReportValue(heard?.level, digits: 1),
                unit: "dBov"),
            ReportLine(
                key: "heard_s", label: "Sound heard", value: ReportValue(secondsOf: heard?.activeDuration),
                unit: "s"),
            ReportLine(
                key: "longest_silence_s", label: "Longest silence",
                value: ReportValue(secondsOf: heard?.longestSilence), unit: "s"),
            ReportLine(
                key: "expected_found", label: "Expected sound found",
                value: ReportValue(expectation?.isFound), absence: "none was expected"),
            ReportLine(
                key: "expected_similarity", label: "Its similarity",
                value: ReportValue(expectation?.match?.similarity, digits: 2), unit: "of 1"),
            ReportLine(
                key: "expected_at_s", label: "Its place in the call",
                value: ReportValue(secondsOf: foundAt, digits: 2),
                unit: "s"),
            ReportLine(
                key: "expected_delay_ms", label: "Its delay after ours",
                value: ReportValue(expectation?.delay.map { $0 / .milliseconds(1) }, digits: 0), unit: "ms"),
            ReportLine(
                key: "recording", label: "Recording", value: ReportValue(recordingPath), absence: "none"),
        ]
    }

    /// `none` is plain RTP; without a negotiated codec it isn't known.
    private var encryption: String? {
        guard let statistics, statistics.codec != nil else { return nil }
        return statistics.cryptoSuite ?? "none"
    }

    private var foundAt: Duration? {
        guard let expectation, expectation.isFound else { return nil }
        return expectation.match?.lag
    }

    private var lossPercent: Double? {
        guard let statistics else { return nil }
        let expected = statistics.packetsReceived + statistics.packetsLost
        guard expected > 0 else { return nil }
        return 100 * Double(max(0, statistics.packetsLost)) / Double(expected)
    }
}
