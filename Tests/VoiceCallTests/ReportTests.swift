import Foundation
import SoundJudge
import Testing
import VoiceEngine
import voicecall

@Suite struct ReportTests {
    private var report: CallReport {
        var statistics = SessionStatistics()
        statistics.codec = "opus/48000/2"
        statistics.cryptoSuite = "AEAD_AES_256_GCM"
        statistics.packetsSent = 500
        statistics.packetsReceived = 396
        statistics.packetsLost = 4
        statistics.packetsLate = 2
        statistics.droppedDatagrams = ["replayed": 1, "truncated": 2]
        statistics.jitterMilliseconds = 1.26
        statistics.concealedShare = 0.012_34
        statistics.meanOpinionScore = 4.321
        statistics.qualityModel = "ITU-T G.107.1"
        var report = CallReport(verdict: .good, menuID: 2)
        report.company = "Ärzte \"am Tor\" / Nord"
        report.menuName = "Support"
        report.callID = 17
        report.duration = .milliseconds(10_020)
        report.statistics = statistics
        var heard = SoundActivity()
        heard.activeDuration = .milliseconds(4_200)
        heard.level = -26.04
        report.heard = heard
        report.expectation = ExpectedSound(
            match: SoundMatch(lag: .milliseconds(3_556), similarity: 0.958, coverage: 1),
            delay: .milliseconds(506))
        return report
    }

    private func object(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test func theJSONHoldsTheFigures() throws {
        let object = try object(report.json)
        #expect(object["verdict"] as? String == "good")
        #expect(object["exit_code"] as? Int == 0)
        #expect(object["company"] as? String == "Ärzte \"am Tor\" / Nord")
        #expect(object["packets_lost"] as? Int == 4)
        #expect(object["loss_percent"] as? Double == 1)
        #expect(object["datagrams_dropped"] as? Int == 3)
        #expect(object["jitter_ms"] as? Double == 1.3)
        #expect(object["concealed_percent"] as? Double == 1.23)
        #expect(object["duration_s"] as? Double == 10)
        #expect(object["expected_found"] as? Bool == true)
        #expect(object["expected_delay_ms"] as? Double == 506)
        #expect(object["heard_level_dbov"] as? Double == -26)
    }

    @Test func whatWasNotMeasuredIsNullNotZeroAndNotLeftOut() throws {
        let empty = CallReport(verdict: .unreachable, menuID: 2)
        let object = try object(empty.json)
        #expect(Set(object.keys) == Set(try self.object(report.json).keys))
        for key in ["packets_received", "mos", "round_trip_ms", "heard_s", "expected_found", "company"] {
            #expect(object[key] is NSNull)
        }
    }

    @Test func theKeysAreTheOnesProgramsRelyOn() throws {
        #expect(
            try object(report.json).keys.sorted() == [
                "agent", "call_id", "codec", "company", "concealed_percent", "crypto_suite",
                "datagrams_dropped",
                "duration_s", "end_reason", "exit_code", "expected_at_s", "expected_delay_ms",
                "expected_found",
                "expected_similarity", "heard_level_dbov", "heard_s", "jitter_buffer_ms", "jitter_ms",
                "late_wake_ups",
                "longest_silence_s", "loss_percent", "meaning", "menu_id", "menu_name", "mos", "packets_late",
                "packets_lost", "packets_received", "packets_recovered", "packets_sent", "problem",
                "quality_model",
                "rating", "real_time_priority", "recording", "remote_jitter_ms", "round_trip_ms",
                "sent_level_dbov", "verdict",
            ])
    }

    @Test func theJSONIsOneLine() {
        #expect(report.json.hasSuffix("}\n"))
        #expect(report.json.dropLast().allSatisfy { $0 != "\n" })
    }

    @Test func theTableAlignsItsValuesAndNamesUnits() {
        let lines = report.table.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("Jitter  ") && $0.hasSuffix("  1.3 ms") })
        #expect(lines.contains { $0.hasPrefix("Round trip  ") && $0.hasSuffix("  not measured") })
        #expect(lines.contains { $0.hasPrefix("Expected sound found  ") && $0.hasSuffix("  yes") })
        #expect(lines.contains { $0.hasPrefix("Problem  ") && $0.hasSuffix("  none") })
        #expect(lines.contains { $0.hasPrefix("Agent  ") && $0.hasSuffix("  not known") })
        let columns = Set(
            lines.map { line in
                let label = line.range(of: "  ").map { line[..<$0.lowerBound] } ?? line
                let value = line[label.endIndex...].drop { $0 == " " }
                return line.distance(from: line.startIndex, to: value.startIndex)
            })
        #expect(columns.count == 1)
    }

    @Test func aPlaceIsOnlyGivenForASoundThatWasFound() throws {
        var report = report
        report.expectation = ExpectedSound(match: SoundMatch(lag: .seconds(2), similarity: 0.1, coverage: 0))
        let object = try object(report.json)
        #expect(object["expected_at_s"] is NSNull)
        #expect(object["expected_similarity"] as? Double == 0.1)
        #expect(object["expected_found"] as? Bool == false)
    }

    @Test func plainRTPIsSaidToBeWithoutEncryption() throws {
        var report = report
        report.statistics?.cryptoSuite = nil
        #expect(try object(report.json)["crypto_suite"] as? String == "none")
        report.statistics?.codec = nil
        #expect(try object(report.json)["crypto_suite"] is NSNull)
    }

    @Test func nonsenseIsNotMeasured() throws {
        var report = report
        report.statistics?.jitterMilliseconds = .nan
        report.statistics?.rating = .infinity
        let object = try object(report.json)
        #expect(object["jitter_ms"] is NSNull)
        #expect(object["rating"] is NSNull)
    }
}

@Suite struct ProgressTests {
    private func line(_ milliseconds: Int, status: String = "connected") -> ProgressLine {
        ProgressLine(
            elapsed: .milliseconds(milliseconds), status: status, packetsSent: 3, packetsReceived: 4,
            level: -25.7)
    }

    @Test func aLineSaysTimeStatusPacketsAndLevel() {
        #expect(line(62_900).text == "1:02  connected  3 out  4 in  -26 dBov")
        #expect(
            ProgressLine(elapsed: .zero, status: "waiting").text == "0:00  waiting  0 out  0 in  no sound yet"
        )
    }

    @Test func awayFromATerminalThereIsALineEveryTwoSecondsAndNoCarriageReturn() {
        var printer = ProgressPrinter(isTerminal: false)
        let outputs = stride(from: 0, to: 5_000, by: 200).map { printer.output(for: line($0)) }
        #expect(outputs.filter { !$0.isEmpty }.count == 3)
        #expect(outputs.joined().allSatisfy { $0 != "\r" })
        #expect(printer.end() == "")
    }

    @Test func onATerminalTheLineRewritesItself() {
        var printer = ProgressPrinter(isTerminal: true)
        let first = printer.output(for: line(0, status: "connecting"))
        let second = printer.output(for: line(200, status: "on"))
        #expect(first.hasPrefix("\r") && !first.contains("\n"))
        #expect(first.count == second.count, "the rest of a longer line is wiped out")
        #expect(printer.end() == "\n")
        #expect(printer.end() == "")
    }
}
