extension PlatformState {
    func menus(_ request: HTTPRequest) throws(Problem) -> JSONValue {
        if let language = request.query["lang"], !language.isEmpty { _ = try availableLanguage(language) }
        guard let key = request.query["key"], !key.isEmpty else {
            return ["menus": .array(configuration.menus.json), "direct_access": false]
        }
        guard let menu = configuration.menu(key: key) else {
            throw Problem(.menuNotFound, "No menu has this key.")
        }
        return ["menus": .array([menu].json), "direct_access": true]
    }

    func waitTimes(menu id: Int64) throws(Problem) -> JSONValue {
        guard let menu = configuration.menu(id: id) else {
            throw Problem(.menuNotFound, "No menu has the id \(id).")
        }
        // The virtual agent has no queue.
        guard let voice = menu.voiceCall, voice.deflectedReason == nil else {
            return ["voice_call": nil, "chat": nil]
        }
        return ["voice_call": 0, "chat": nil]
    }

    /// The company's language that `wanted` means: the same, or the same but for the region.
    func availableLanguage(_ wanted: String) throws(Problem) -> String {
        let tag = wanted.lowercased()
        let languages = configuration.company.languages
        let primary = tag.prefix { $0 != "-" && $0 != "_" }
        if let exact = languages.first(where: { $0.lowercased() == tag }) { return exact }
        if let near = languages.first(where: { $0.lowercased() == primary }) { return near }
        throw Problem(.languageUnavailable, "Available: \(languages.joined(separator: ", ")).")
    }
}

extension PlatformConfiguration.Company {
    var json: JSONValue {
        [
            "display_name": .string(displayName), "support_email": JSONValue(supportEmail),
            "languages": .array(languages.map(JSONValue.string)), "phone_number": JSONValue(phoneNumber),
            "phone_number_threshold": nil, "prevent_direct_pstn_call": true,
            "pstn_fallback_enabled": false,
        ]
    }
}

extension [PlatformConfiguration.Menu] {
    fileprivate var json: [JSONValue] {
        enumerated().map { position, menu in
            [
                "id": .integer(menu.id), "name": .string(menu.name), "hidden": .bool(menu.isHidden),
                "position": .integer(Int64(position)), "children": .array(menu.children.json),
                "settings": ["allow_skip_virtual_agent": false],
                "channels": ["voice_call": menu.voiceCall?.json ?? nil],
            ]
        }
    }
}

extension PlatformConfiguration.VoiceCall {
    fileprivate var json: JSONValue {
        [
            "instant_enabled": .bool(isInstantEnabled), "schedule_enabled": false,
            "pre_session_smart_action": nil, "recording_option": "never", "voicemail_reason": nil,
            "phone_number": nil, "deflected": .bool(deflectedReason != nil),
            "deflected_reason": JSONValue(deflectedReason), "schedule_deflection_type": nil,
        ]
    }
}
