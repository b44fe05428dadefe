import CCAIKit
import Foundation
import Testing

struct QueueMenuTests {
    private func menu(_ channels: String) throws -> QueueMenu {
        try JSONDecoder().decode(QueueMenu.self, from: Data(#"{"id":1,"channels":\#(channels)}"#.utf8))
    }

    @Test(arguments: [
        (#"{"voice_call":{"instant_enabled":true}}"#, [ChannelType.voiceCall]),
        (#"{"voice_call":{"instant_enabled":true,"deflected":true}}"#, []),
        (#"{"voice_call":{}}"#, []),
        (#"{"voice_call":null}"#, []),
        (
            #"{"voice_call":{"instant_enabled":false,"voicemail_reason":"x","phone_number":"+1"}}"#,
            [.voicemail]
        ),
        (
            #"{"voice_call":{"schedule_enabled":true,"schedule_deflection_type":"after_hours"}}"#,
            [.scheduleCall(deflectionType: .afterHours)]
        ),
        (
            #"{"voice_call":{"schedule_enabled":true,"schedule_deflection_type":"new"}}"#,
            [.scheduleCall(deflectionType: nil)]
        ),
        (#"{"email":{"email":"a@b"}}"#, [.email]),
        (
            #"{"external_deflection_link":{"enabled":true,"links":[{"enabled":true,"url":"u","display_name":"d"},"#
                + #"{"enabled":false,"url":"v","display_name":"e"},{"enabled":true}]}}"#,
            [.externalDeflection(url: "u", displayName: "d")]
        ),
        (#"{"external_deflection_link":{"links":[{"enabled":true,"url":"u","display_name":"d"}]}}"#, []),
    ])
    func offersWhatIsEnabled(channels: String, expected: [ChannelType]) throws {
        #expect(try menu(channels).getEnabledChannels() == expected)
    }

    @Test(arguments: [
        (#""always""#, RecordingOption.always), (#""never""#, .never), (#""ask_user""#, .askUser),
        (#""perhaps""#, .askUser), ("7", .askUser),
    ])
    func anUnknownRecordingOptionAsks(word: String, option: RecordingOption) throws {
        let menu = try menu(#"{"voice_call":{"recording_option":\#(word)}}"#)
        #expect(menu.channels?.voiceCall?.recordingOption == option)
    }

    @Test func noRecordingOptionIsNone() throws {
        #expect(try menu(#"{"voice_call":{}}"#).channels?.voiceCall?.recordingOption == nil)
        #expect(
            try menu(#"{"voice_call":{"recording_option":null}}"#).channels?.voiceCall?.recordingOption == nil
        )
    }

    @Test func aBadChildDoesNotHideItsSiblings() throws {
        let text =
            #"{"id":1,"children":[{"id":2,"name":7},{"name":"no id"},{"id":3,"name":"C"}],"hidden":"yes"}"#
        let menu = try JSONDecoder().decode(QueueMenu.self, from: Data(text.utf8))
        #expect(menu.children?.map(\.id) == [2, 3])
        #expect(menu.children?.map(\.name) == [nil, "C"])
        #expect(menu.hidden == nil)
    }
}
