/// What `--help` and `--version` print.
package enum HelpText {
    package static let version = "voicecall 0.1.0\n"

    package static let overview = """
        voicecall places a real voice call without a phone around it, and judges the sound.

        Usage:
          voicecall call --platform URL --key KEY --menu N [options]
          voicecall call --help      what a call can do, with examples
          voicecall --version

        """

    package static let call = """
        Calls a menu of a contact centre, says what is in a sound file, records both sides, and reports how it was.

        Usage:
          voicecall call --platform URL --key KEY --menu N [options]

        Where to:
          --platform URL       the platform, https://… (http://… on this machine only)
          --key KEY            the company's key
          --menu N             the number of the menu to call
          --ca-file FILE       certificates (PEM) to trust besides the system's

        Signing in (one of them):
          --jwt TOKEN          a JSON Web Token; - reads it from standard input, out of sight of ps
          --dev-secret SECRET  signs a token itself, for a platform of your own
          VOICECALL_JWT, VOICECALL_DEV_SECRET in the environment do the same

        Sound:
          --mic FILE           what is said: WAV, FLAC, Ogg (Opus, Vorbis) or MP3; without it, silence
          --record FILE        stereo WAV of the call: ours left, theirs right; readable at any moment
          --expect FILE        a sound that has to be heard from the other side

        When to hang up:
          --max-duration S     after so many seconds, 1 to 3600; otherwise 6 s after --mic and --expect would be
                               over, at least after 8 s and at most after 60 s

        Report:
          --json               one JSON object instead of the table; null is what was not measured
          The report goes to standard output, the progress to standard error.

        Exit codes, and the verdicts that they stand for:
        \(Verdict.allCases.map(exitCodeLine).joined(separator: "\n"))

        Examples:
          # Does the line echo what I say?
          voicecall call --platform http://127.0.0.1:8080 --key demo --menu 1 --dev-secret "$SECRET" \\
              --mic sentence.flac --expect sentence.flac --record call.wav

          # A token from a vault, the report to a program
          get-token | voicecall call --platform https://voice.example.com --key K-17 --menu 4 --jwt - \\
              --mic hello.wav --max-duration 20 --json | jq .verdict

        """

    private static func exitCodeLine(_ verdict: Verdict) -> String {
        let code = String(verdict.exitCode)
        let name = verdict.rawValue
        return "  " + String(repeating: " ", count: 3 - code.count) + code
            + "  " + name + String(repeating: " ", count: 18 - name.count) + verdict.meaning
    }
}
