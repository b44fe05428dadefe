import Testing
import voiceplatform

@Suite("Configuration and command line")
struct ConfigurationTests {
    private func complaint(_ json: JSONValue, files: [String: String] = [:]) -> String? {
        do throws(JSONShapeError) {
            _ = try PlatformConfiguration(json: json, folder: "/etc/x") { path in
                files[path].map { Array($0.utf8) }
            }
            return nil
        } catch { return "\(error)" }
    }

    private static let company = Fixture.json["company"] ?? .null

    @Test(
        arguments: [
            (JSONValue.array([]), "expected an object, found an array"),
            (Fixture.json.replacing("prot", with: 1), "prot: unknown key"),
            (
                Fixture.json.replacing("port", with: 65_536),
                "port: expected an integer from 0 to 65535, found 65536"
            ),
            (Fixture.json.replacing("port", with: "x"), "port: expected an integer, found \"x\""),
            (Fixture.json.replacing("address", with: "::1"), "address: expected a numeric IPv4"),
            (Fixture.json.replacing("address", with: "1.2.3.+4"), "address: expected a numeric IPv4"),
            (Fixture.json.replacing("address", with: "0.0.0.0"), "tls: missing"),
            (
                Fixture.json.replacing("tls", with: ["certificate": "c", "key": "k"]),
                "tls.certificate: cannot read the file /etc/x/c"
            ),
            (Fixture.json.replacing("company", with: nil), "company: missing"),
            (
                Fixture.json.replacing("company", with: company.replacing("secret", with: "short")),
                "company.secret: expected at least 32 octets for HS256, 48 for HS384, 64 for HS512, found 5"
            ),
            (
                Fixture.json.replacing("company", with: company.replacing("secret", with: 123_456)),
                "company.secret: expected a string"
            ),
            (
                Fixture.json.replacing("company", with: company.replacing("languages", with: [])),
                "company.languages: expected at least one"
            ),
            (
                Fixture.json.replacing("company", with: company.replacing("algorithms", with: ["RS256"])),
                "company.algorithms[0]: expected one of HS256, HS384, HS512"
            ),
            (Fixture.json.replacing("menus", with: []), "menus: expected at least one menu"),
            (
                Fixture.json.replacing("menus", with: [["id": 1, "name": "a"], ["id": 1, "name": "b"]]),
                "menus: two menus have the id 1"
            ),
            (
                Fixture.json.replacing("menus", with: [["id": 1, "name": "a"], ["id": "x", "name": "b"]]),
                "menus[1].id: expected an integer, found \"x\""
            ),
            (
                Fixture.json.replacing("menus", with: [["id": 1, "name": "a", "children": [["id": 2]]]]),
                "menus[0].children[0].name: missing"
            ),
            (
                Fixture.json.replacing("virtual_agent", with: ["greeting": "g.flac"]),
                "virtual_agent.greeting: cannot read the sound file /etc/x/g.flac"
            ),
            (
                Fixture.json.replacing("virtual_agent", with: ["echo_delay_ms": 10_001]),
                "virtual_agent.echo_delay_ms: expected an integer from 0 to 10000"
            ),
            (
                Fixture.json.replacing("virtual_agent", with: ["muted": "yes"]),
                "virtual_agent.muted: expected true or false, found \"yes\""
            ),
            (
                Fixture.json.replacing("limits", with: ["max_call_seconds": 0]),
                "limits.max_call_seconds: expected an integer from 1"
            ),
        ] as [(JSONValue, String)])
    func aMistakeIsToldWithThePathOfItsKey(json: JSONValue, start: String) throws {
        let message = try #require(complaint(json))
        #expect(message.hasPrefix(start), "\(message)")
        #expect(!message.contains("123456"))
    }

    @Test func namesOfFilesAreRelativeToTheFolder() throws {
        let json = Fixture.json.replacing("virtual_agent", with: ["greeting": "g.flac"])
        #expect(complaint(json, files: ["/etc/x/g.flac": "sound"]) == nil)
        let absolute = Fixture.json.replacing("virtual_agent", with: ["greeting": "/g.flac"])
        #expect(complaint(absolute, files: ["/g.flac": "sound"]) == nil)
    }

    // SEC-11
    @Test func unlessItIsToldOtherwiseItListensToThisMachineOnly() throws {
        let json = Fixture.json.replacing("address", with: nil)
        let configuration = try PlatformConfiguration(json: json, folder: "/") { _ in nil }
        #expect(configuration.address == "127.0.0.1")
    }

    // SEC-11
    @Test func anOpenAddressNeedsTLSAndAMediaAddress() throws {
        let pem = ["/etc/x/c": "-----BEGIN CERTIFICATE-----", "/etc/x/k": "-----BEGIN PRIVATE KEY-----"]
        let open = Fixture.json.replacing("address", with: "0.0.0.0")
            .replacing("tls", with: ["certificate": "c", "key": "k"])
        #expect(complaint(open, files: pem)?.hasPrefix("media_address: expected") == true)
        #expect(complaint(open.replacing("media_address", with: "192.0.2.1"), files: pem) == nil)
    }

    @Test func theSampleThatIsPrintedIsAConfiguration() throws {
        let json = try JSONValue(parsing: Array(HelpText.sampleConfiguration.utf8))
        #expect(complaint(json) == nil)
        let configuration = try PlatformConfiguration(json: json, folder: "") { _ in nil }
        #expect(configuration.port == 8480)
        #expect(configuration.company.algorithms.count == 3)
    }

    @Test(arguments: [
        ("{\n \"a\": 1,\n \"b\" 2}", "line 3, column 6: "), ("", "the text is empty"),
        ("{", "Unexpected end"),
        ("{} x", "line 1, column 4: "),
    ])
    func aSyntaxErrorIsToldWithItsPlace(text: String, start: String) {
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: Array(text.utf8))
            Issue.record("read \(text)")
        } catch {
            #expect(error.description.hasPrefix(start), "\(error)")
        }
    }

    @Test func deepNestingIsAnErrorAndNoCrash() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 200_000)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0xFF, 0xFE, 0x22]) }
    }

    @Test func jsonKeepsItsKinds() throws {
        let text = #"{"a":[null,true,false,0,1,-9223372036854775808,1.5,"x"],"b":{}}"#
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(String(decoding: value.octets, as: UTF8.self) == text)
        #expect(value["a"] == [nil, true, false, 0, 1, .integer(.min), .number(1.5), "x"])
    }

    @Test(arguments: [
        ([], "--config FILE is missing"), (["--check"], "--config FILE is missing"),
        (["--config"], "--config needs a value"), (["--config="], "--config needs a value"),
        (["--config", "f", "--port", "65536"], "--port: expected a number from 0 to 65535, found \"65536\""),
        (["--config", "f", "--quiet", "--verbose"], "--quiet and --verbose exclude each other"),
        (["--quiet=1", "--config", "f"], "--quiet takes no value"), (["f"], "unknown argument \"f\""),
    ])
    func aWrongCommandLineIsTold(arguments: [String], message: String) {
        #expect(throws: CommandLineOptions.Misuse(message: message)) { try CommandLineOptions(arguments) }
    }

    @Test func theOptionsAreRead() throws {
        let options = try CommandLineOptions(["--config=f", "--port", "0", "--verbose"])
        #expect(options.configurationPath == "f")
        #expect(options.port == 0)
        #expect(options.isVerbose)
        #expect(try CommandLineOptions(["--help"]).action == .help)
        #expect(try CommandLineOptions(["--print-config"]).action == .printConfiguration)
    }

    @Test(arguments: [
        (0 as Int64, "1970-01-01T00:00:00.000Z"), (1_709_210_096_007, "2024-02-29T12:34:56.007Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (1_800_000_000_999, "2027-01-15T08:00:00.999Z"),
    ])
    func timesAreWrittenToTheMillisecond(milliseconds: Int64, text: String) {
        #expect(WallTime(millisecondsSince1970: milliseconds).text == text)
    }
}
