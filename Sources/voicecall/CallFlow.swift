internal import VoiceEngine

/// What happened in a call.
package struct CallRecord: Hashable, Sendable {
    package var ending: CallEnding
    package var company: String?
    package var menuName: String?
    package var state = CallState()
    /// From the connection to the end; `nil` when it was never connected.
    package var duration: Duration?
}

/// Places one call from sign-in to hang-up.
package struct CallFlow<Line: CallLine, Time: Clock<Duration>>: Sendable {
    /// How often the call is looked at.
    private static var interval: Duration { .milliseconds(200) }
    /// How long the media may take to come.
    private static var connectionLimit: Duration { .seconds(15) }

    private let line: Line
    private let plan: HangUpPlan
    private let clock: Time
    private let showProgress: @Sendable (ProgressLine) -> Void

    /// - Parameters:
    ///   - line: Places the call.
    ///   - plan: When to hang up.
    ///   - clock: The time.
    ///   - showProgress: Called five times a second.
    package init(
        line: Line, plan: HangUpPlan, clock: Time, showProgress: @escaping @Sendable (ProgressLine) -> Void
    ) {
        self.line = line
        self.plan = plan
        self.clock = clock
        self.showProgress = showProgress
    }

    /// Runs the call; cancelling the task hangs up.
    ///
    /// - Returns: What happened, whatever happened.
    package func run() async -> CallRecord {
        var record = CallRecord(ending: .hungUp)
        do throws(CallProblem) {
            try await line.signIn()
            record.company = try await line.company()
            record.menuName = try await line.menuName()
            try await line.start()
        } catch {
            record.ending = Self.ending(of: error)
            record.state = line.state
            return record
        }
        await follow(&record)
        return record
    }

    private func follow(_ record: inout CallRecord) async {
        let begin = clock.now
        var connected: Time.Instant?
        while true {
            let state = line.state
            if connected == nil && state.isConnected { connected = clock.now }
            showProgress(ProgressLine(elapsed: begin.duration(to: clock.now), state))
            if let ending = state.ending {
                // Who hangs up before anything was heard has held no call.
                let isTooEarly = ending == .remoteHungUp && connected == nil
                record.ending =
                    isTooEarly ? .failed("the platform ended the call before any media came") : ending
                break
            }
            let limit = connected?.advanced(by: plan.after) ?? begin.advanced(by: Self.connectionLimit)
            guard clock.now < limit else {
                if connected == nil { record.ending = .mediaMissing }
                break
            }
            do {
                try await clock.sleep(
                    until: min(limit, clock.now.advanced(by: Self.interval)), tolerance: nil)
            } catch {
                record.ending = .interrupted
                break
            }
        }
        record.duration = connected?.duration(to: clock.now)
        // A task of its own, since this one may be cancelled.
        await Task { await line.hangUp() }.value
        record.state = line.state
    }

    private static func ending(of problem: CallProblem) -> CallEnding {
        switch problem {
        case .cannotReach(let text): .cannotReach(text)
        case .refused(let text): .refused(text)
        case .failed(let text): .failed(text)
        case .unusable(let text): .unusable(text)
        case .cancelled: .interrupted
        }
    }
}

extension ProgressLine {
    fileprivate init(elapsed: Duration, _ state: CallState) {
        self.init(
            elapsed: elapsed, status: state.status, packetsSent: state.statistics?.packetsSent ?? 0,
            packetsReceived: state.statistics?.packetsReceived ?? 0, level: state.statistics?.receivedLevel)
    }
}
