/// What `--help` and `--print-config` write.
package enum HelpText {
    package static let usage = """
        Usage: voiceplatform --config FILE [--port N] [--quiet | --verbose] [--check]
               voiceplatform --print-config
               voiceplatform --help

        A reference platform for voice calls: callers sign in, pick a menu and call; a virtual agent greets
        them and repeats what it hears. HTTP and server-sent events; media is Opus or G.711 in SRTP.

          --config FILE    the configuration, JSON; file names in it are relative to its folder
          --port N         listen there instead; 0 takes any free port
          --check          check the configuration and exit
          --print-config   write a configuration to begin with
          --quiet          log errors only
          --verbose        log each request: method, path, status, request id

        Once it listens it writes one line to standard output, and logs to standard error:
          voiceplatform ready at http://127.0.0.1:8480/ccai/v1
        SIGINT, SIGTERM and SIGHUP end all calls and then the program; a second one ends it at once.

        Configuration (defaults in brackets):
          address, port            where to listen, IPv4 [127.0.0.1, 8480]; not loopback only with tls
          media_address            where callers send media, IPv4 [address]
          tls                      certificate, key: PEM files
          company                  key, secret (at least 32 octets for HS256, 48 for HS384, 64 for HS512),
                                   algorithms [all that the secret is long enough for], display_name,
                                   support_email, phone_number, languages [en], disabled [false]
          menus                    a list: id, name, key, hidden, children (menus again),
                                   channels.voice_call: instant_enabled [true], deflected [false],
                                   deflected_reason [over_capacity]
          virtual_agent            name [Echo], greeting (a sound file), echo_delay_ms [4000], muted [false];
                                   a delay at least as long as the greeting keeps the two apart
          limits                   max_call_seconds [600], media_start_seconds [20],
                                   media_timeout_seconds [10], token_seconds [3600], body_octets [262144]

        Exit codes:
          0  stopped by a signal, or --check found nothing wrong
          2  wrong arguments
          3  wrong configuration
          4  cannot listen: the port is taken, or the address is not this machine's
          5  the media engine could not start
          128 + the signal's number  ended by a second signal

        Examples:
          voiceplatform --print-config > platform.json
          voiceplatform --config platform.json --check
          voiceplatform --config platform.json --port 0 --verbose

        """

    package static let sampleConfiguration = """
        {
          "address": "127.0.0.1",
          "port": 8480,
          "company": {
            "key": "demo",
            "secret": "for demonstrations only: replace this by a secret of your own, at random",
            "display_name": "Demo Company",
            "support_email": "support@example.com",
            "languages": ["en", "de"]
          },
          "menus": [
            {
              "id": 1,
              "name": "Echo",
              "channels": { "voice_call": { "instant_enabled": true } }
            },
            {
              "id": 2,
              "name": "Closed",
              "channels": { "voice_call": { "deflected": true, "deflected_reason": "after_hours" } }
            }
          ],
          "virtual_agent": { "name": "Echo", "echo_delay_ms": 4000, "muted": false },
          "limits": { "max_call_seconds": 600 }
        }

        """
}
