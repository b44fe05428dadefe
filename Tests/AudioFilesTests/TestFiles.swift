import CSndfile
import Foundation
import Testing

/// A directory that goes away with its owner.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/audio-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}

func bytes(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

/// A file format of libsndfile's, by its own name.
struct FileFormat: Sendable, CustomTestStringConvertible {
    let name: String
    let code: Int32
    let rate: Int
    let channels: Int
    /// How far a sample may be off, as a share of full scale.
    let tolerance: Double

    var testDescription: String { "\(name) \(rate) Hz × \(channels)" }

    init(_ name: String, _ code: Int, rate: Int, channels: Int, tolerance: Double) {
        self.name = name
        self.code = Int32(code)
        self.rate = rate
        self.channels = channels
        self.tolerance = tolerance
    }
}

struct CannotWrite: Error { let reason: String }

/// Writes `samples` (-1...1, interleaved) with libsndfile.
func write(_ samples: [Float], as format: FileFormat, clipping: Bool = true, to path: String) throws {
    var info = SF_INFO()
    info.samplerate = Int32(format.rate)
    info.channels = Int32(format.channels)
    info.format = format.code
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else {
        throw CannotWrite(reason: String(cString: sf_strerror(nil)))
    }
    defer { sf_close(file) }
    csndfile_set_clipping(file, clipping ? 1 : 0)
    // In pieces: libsndfile 1.2.0's Vorbis encoder overflows its stack on one long write.
    for start in stride(from: 0, to: samples.count, by: 4_800 * format.channels) {
        let piece = Array(samples[start..<min(start + 4_800 * format.channels, samples.count)])
        guard sf_write_float(file, piece, Int64(piece.count)) == Int64(piece.count) else {
            throw CannotWrite(reason: String(cString: sf_strerror(file)))
        }
    }
}

/// A sine of `amplitude` (of full scale 1) on every channel.
func sine(frequency: Double, amplitude: Double, rate: Int, frames: Int, channels: Int = 1) -> [Float] {
    (0..<frames * channels).map { index in
        Float(amplitude * sin(2 * .pi * frequency * Double(index / channels) / Double(rate)))
    }
}
