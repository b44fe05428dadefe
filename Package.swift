// swift-tools-version: 6.2
import PackageDescription

// Order matters: a manifest is a script, and a `let` used above its line is a crash.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]

/// Sans-I/O: no clock, no system module (`scripts/check-imports` sees to that), and every `unsafe` said out loud.
let core = common + [.strictMemorySafety()]

let package = Package(
    name: "voice",
    products: [
        .library(name: "CCAIKit", targets: ["CCAIKit"]),
        .library(name: "CCAICall", targets: ["CCAICall"]),
        .library(name: "VoiceEngine", targets: ["VoiceEngine"]),
        .executable(name: "voicecall", targets: ["voicecall"]),
        .executable(name: "voiceplatform", targets: ["voiceplatform"]),
    ],
    targets: [
        // C libraries: module maps, and shims for what Swift can't import (macros, varargs).
        .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"])]),
        .systemLibrary(name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSpeexDSP", pkgConfig: "speexdsp", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "CSpanDSP", pkgConfig: "spandsp", providers: [.apt(["libspandsp-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CSRTPCiphers", dependencies: ["CSRTP", "COpenSSL"]),
        .target(name: "CLinux"),

        // Cores: values in, values out, time as an argument.
        .target(name: "MediaTime", swiftSettings: core),
        .target(name: "RTP", dependencies: ["MediaTime"], swiftSettings: core),
        .target(name: "SRTP", dependencies: ["MediaTime", "CSRTP", "CSRTPCiphers"], swiftSettings: core),
        .target(name: "SDP", dependencies: ["MediaTime"], swiftSettings: core),
        .target(name: "JitterBuffer", dependencies: ["MediaTime"], swiftSettings: core),
        .target(name: "QualityModel", dependencies: ["MediaTime"], swiftSettings: core),
        .target(name: "AudioProcessing", dependencies: ["MediaTime", "CSpeexDSP"], swiftSettings: core),
        .target(name: "SoundJudge", dependencies: ["AudioProcessing"], swiftSettings: core),
        .target(
            name: "AudioCodecs", dependencies: ["MediaTime", "AudioProcessing", "COpus", "CSpanDSP"],
            swiftSettings: core),
        .target(
            name: "MediaSession",
            dependencies: [
                "MediaTime", "RTP", "SRTP", "JitterBuffer", "AudioCodecs", "AudioProcessing", "QualityModel",
            ],
            swiftSettings: core),

        // Shells: I/O, clocks, threads.
        .target(name: "LinuxIO", dependencies: ["MediaTime", "RTP", "CLinux"], swiftSettings: common),
        .target(
            name: "AudioFiles", dependencies: ["MediaTime", "AudioProcessing", "CSndfile"],
            swiftSettings: common),

        // Engine, signalling, facade.
        .target(
            name: "VoiceEngine",
            dependencies: [
                "MediaSession", "MediaTime", "RTP", "SRTP", "SDP", "JitterBuffer", "AudioCodecs",
                "AudioProcessing", "QualityModel", "LinuxIO", "AudioFiles",
            ],
            swiftSettings: common),
        .target(name: "PlatformSignalling", dependencies: ["CCurl"], swiftSettings: common),
        .target(name: "CCAIKit", dependencies: ["PlatformSignalling"], swiftSettings: common),
        .target(
            name: "CCAICall", dependencies: ["CCAIKit", "PlatformSignalling", "VoiceEngine"],
            swiftSettings: common),

        // Programs.
        .target(name: "JSONWebToken", dependencies: ["COpenSSL"], swiftSettings: common),
        .executableTarget(
            name: "voicecall",
            dependencies: [
                "CCAICall", "CCAIKit", "VoiceEngine", "SoundJudge", "AudioFiles", "AudioProcessing",
                "JSONWebToken",
            ],
            swiftSettings: common),
        .executableTarget(
            name: "voiceplatform",
            dependencies: ["CMicrohttpd", "COpenSSL", "JSONWebToken", "VoiceEngine"], swiftSettings: common),
        .executableTarget(
            name: "minimal-call", dependencies: ["CCAICall", "CCAIKit", "VoiceEngine"],
            path: "samples/minimal-call", swiftSettings: common),
        .executableTarget(
            name: "bench",
            dependencies: [
                "MediaSession", "MediaTime", "AudioCodecs", "RTP", "SRTP", "TestSupport", "VoiceEngine",
                "CFloor",
                "AllocationCounter",
            ],
            path: "bench", exclude: ["floor"], swiftSettings: common),
        .target(
            name: "CFloor", dependencies: ["COpus", "CSRTP", "CSRTPCiphers"], path: "bench/floor",
            cSettings: [.define("_GNU_SOURCE")]),

        // Tests.
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        .target(
            name: "TestSupport", dependencies: ["MediaTime", "MediaSession", "RTP", "SRTP", "AudioCodecs"],
            path: "Tests/TestSupport", swiftSettings: core),
        .testTarget(
            name: "MediaTimeTests", dependencies: ["MediaTime"], swiftSettings: common),
        .testTarget(
            name: "RTPTests", dependencies: ["RTP", "MediaTime", "TestSupport", "AllocationCounter"],
            swiftSettings: common),
        .testTarget(
            name: "SRTPTests", dependencies: ["SRTP", "MediaTime", "AllocationCounter"], swiftSettings: common
        ),
        .testTarget(
            name: "SDPTests", dependencies: ["SDP", "MediaTime", "TestSupport"], swiftSettings: common),
        .testTarget(
            name: "JitterBufferTests", dependencies: ["JitterBuffer", "MediaTime", "AllocationCounter"],
            swiftSettings: common),
        .testTarget(name: "QualityModelTests", dependencies: ["QualityModel"], swiftSettings: common),
        .testTarget(
            name: "SoundJudgeTests", dependencies: ["SoundJudge", "MediaTime", "AudioFiles", "COpus"],
            swiftSettings: common),
        .testTarget(
            name: "AudioProcessingTests",
            dependencies: [
                "AudioProcessing", "AllocationCounter", "AudioCodecs", "AudioFiles", "MediaTime",
            ],
            swiftSettings: common),
        .testTarget(
            name: "AudioCodecsTests", dependencies: ["AudioCodecs", "MediaTime", "AllocationCounter"],
            swiftSettings: common),
        .testTarget(
            name: "MediaSessionTests",
            dependencies: [
                "MediaSession", "MediaTime", "JitterBuffer", "RTP", "SRTP", "AudioCodecs", "TestSupport",
                "AllocationCounter",
            ],
            swiftSettings: common),
        .testTarget(
            name: "LinuxIOTests", dependencies: ["LinuxIO", "MediaTime", "RTP", "AllocationCounter"],
            swiftSettings: common),
        .testTarget(
            name: "AudioFilesTests",
            dependencies: ["AudioFiles", "AudioProcessing", "CSndfile", "MediaTime"],
            swiftSettings: common),
        .testTarget(
            name: "VoiceEngineTests", dependencies: ["VoiceEngine", "AudioFiles", "SoundJudge"],
            swiftSettings: common),
        .target(name: "ScriptedPlatform", path: "Tests/ScriptedPlatform", swiftSettings: common),
        .testTarget(
            name: "PlatformSignallingTests", dependencies: ["PlatformSignalling", "ScriptedPlatform"],
            swiftSettings: common),
        .testTarget(
            name: "CCAIKitTests", dependencies: ["CCAIKit", "PlatformSignalling", "ScriptedPlatform"],
            swiftSettings: common),
        .testTarget(
            name: "CCAICallTests",
            dependencies: ["CCAICall", "CCAIKit", "PlatformSignalling", "VoiceEngine", "ScriptedPlatform"],
            swiftSettings: common),
        .testTarget(name: "JSONWebTokenTests", dependencies: ["JSONWebToken"], swiftSettings: common),
        .testTarget(
            name: "VoicePlatformTests", dependencies: ["voiceplatform", "JSONWebToken"], swiftSettings: common
        ),
        .testTarget(
            name: "VoiceCallTests",
            dependencies: [
                "voicecall", "CCAIKit", "SoundJudge", "VoiceEngine", "AudioFiles", "JSONWebToken",
            ],
            swiftSettings: common),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "voicecall", "voiceplatform", "CCAICall", "CCAIKit", "VoiceEngine", "SoundJudge",
                "AudioFiles",
            ],
            exclude: ["tls"],
            swiftSettings: common),
    ]
)

// The fuzz targets, which `scripts/fuzz` builds: only then has the package unsafe flags, which one that others depend on
// must not have.
if Context.environment["FUZZ"] == "1" {
    let instrumented: [SwiftSetting] = [
        .unsafeFlags([
            "-sanitize=address", "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp",
            // Else an optimised `precondition` traps without its sentence.
            "-assert-config", "Debug",
        ])
    ]
    for target in package.targets where target.type == .regular {
        target.swiftSettings = (target.swiftSettings ?? []) + instrumented
    }
    let fuzzed: [(name: String, dependencies: [Target.Dependency])] = [
        ("RTP", ["RTP"]), ("RTCP", ["RTP"]), ("SDP", ["SDP"]), ("SRTP", ["SRTP"]),
        ("MediaSession", ["MediaSession", "MediaTime", "AudioCodecs", "RTP", "SRTP"]),
        ("TelephoneEvent", ["RTP", "MediaTime"]), ("EventStream", ["PlatformSignalling"]),
        ("JSONWebToken", ["JSONWebToken"]),
    ]
    package.targets += [
        .target(name: "FuzzDriver", path: "Tests/Fuzz/Driver"),
        .target(
            name: "FuzzSupport", dependencies: ["FuzzDriver"], path: "Tests/Fuzz/Support",
            swiftSettings: common + instrumented),
    ]
    package.targets += fuzzed.map { target in
        .executableTarget(
            name: "Fuzz\(target.name)", dependencies: ["FuzzSupport"] + target.dependencies,
            path: "Tests/Fuzz/\(target.name)", swiftSettings: common + instrumented,
            // Gold dies of the coverage sections.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
    }
}
