import PlatformSignalling
import Testing

struct PlatformAddressTests {
    @Test(arguments: [
        ("company.example.com", "https://company.example.com/ccai/v1"),
        ("host:8443", "https://host:8443/ccai/v1"),
        ("https://host/", "https://host/ccai/v1"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/ccai/v1"),
        ("http://localhost:1", "http://localhost:1/ccai/v1"),
        ("http://[::1]:80", "http://[::1]:80/ccai/v1"),
    ])
    func takesAHost(text: String, base: String) throws {
        #expect(try PlatformAddress(parsing: text).base == base)
    }

    // SEC-10
    @Test(arguments: ["http://example.com", "http://127.0.0.1.example.com", "http://10.0.0.1:80"])
    func refusesClearTextToOtherMachines(text: String) {
        #expect {
            try PlatformAddress(parsing: text)
        } throws: { error in
            guard case .insecure = error as? PlatformAddress.ParseError else { return false }
            return true
        }
    }

    @Test(arguments: ["host/path", "https://user:secret@host", "host?x=1", "host#x"])
    func refusesMoreThanAHost(text: String) {
        #expect(throws: PlatformAddress.ParseError.notOnlyAHost) { try PlatformAddress(parsing: text) }
    }

    @Test(arguments: [
        "", " ", "ho st", "ftp://host", "https://", "host:0", "host:99999", "://", "host\r\nX: y", "[::1",
    ])
    func refusesWhatIsNoHost(text: String) {
        #expect(throws: PlatformAddress.ParseError.malformed) { try PlatformAddress(parsing: text) }
    }
}
