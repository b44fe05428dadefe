// Calls a menu, says a sentence, listens for ten seconds, and hangs up.
//
//   minimal-call URL COMPANY-KEY MENU TOKEN SOUND-FILE
import CCAICall
import CCAIKit
import Foundation
import VoiceEngine

func placeCall(url: String, key: String, menu: Int, token: String, sound: String) async throws {
    try CCAI.shared.initialize(options: InitOptions(key: key, urlHost: url))
    _ = try await CCAI.shared.authService?.authenticate(token)

    var options = CallOptions()
    options.media.input = .clip(try AudioClip(contentsOf: sound))
    options.media.recordingPath = "minimal-call.wav"
    CCAI.shared.initializeCall(options)

    guard let service = CCAI.shared.callService else { return }
    let states = service.stateChanged.sink { print("media: \($0)") }
    let calls = service.callReceived.sink { print("call \($0.id): \($0.status)") }
    try await service.startInstantCall(InstantCallRequest(menuId: menu))
    try await Task.sleep(for: .seconds(10))
    try await service.endCall()
    print(service.statistics?.meanOpinionScore.map { "estimated MOS: \($0)" } ?? "nothing was heard")
    withExtendedLifetime((states, calls)) {}
}

let arguments = CommandLine.arguments
guard arguments.count == 6, let menu = Int(arguments[3]) else {
    print("usage: minimal-call URL COMPANY-KEY MENU TOKEN SOUND-FILE")
    exit(2)
}
do {
    try await placeCall(
        url: arguments[1], key: arguments[2], menu: menu, token: arguments[4], sound: arguments[5])
} catch {
    print("the call failed: \(error)")
    exit(1)
}
