internal import CSndfile

/// An open file of libsndfile's.
struct SoundFile: ~Copyable, @unchecked Sendable {  // owns its handle alone
    let path: String
    let rate: Int
    let channels: Int
    /// What the header promises, or `nil` where the format doesn't say.
    let promisedFrames: Int?
    private let handle: OpaquePointer

    init(readingFrom path: String) throws(AudioFileError) {
        let descriptor = try openForReading(path)
        var info = SF_INFO()
        guard let handle = sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
            throw .notAudio(path: path, reason: failureReason(of: nil))
        }
        self.handle = handle
        self.path = path
        rate = Int(info.samplerate)
        channels = Int(info.channels)
        promisedFrames = info.frames >= 0 && info.frames < Int64.max ? Int(info.frames) : nil
    }

    // `format` is libsndfile's major and minor format.
    init(writingTo path: String, format: Int32, rate: Int, channels: Int) throws(AudioFileError) {
        var info = SF_INFO()
        info.samplerate = Int32(clamping: rate)
        info.channels = Int32(clamping: channels)
        info.format = format
        guard sf_format_check(&info) != 0 else {
            throw .cannotCreate(path: path, reason: "no such rate, channel count or format")
        }
        let descriptor = try openForWriting(path)
        guard let handle = sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 1) else {
            throw .cannotCreate(path: path, reason: failureReason(of: nil))
        }
        csndfile_set_clipping(handle, Int32(SF_TRUE))
        self.handle = handle
        self.path = path
        self.rate = rate
        self.channels = channels
        promisedFrames = nil
    }

    deinit { sf_close(handle) }

    /// The reason of the last failure, or `nil` if there was none.
    var failure: String? {
        sf_error(handle) == 0 ? nil : failureReason(of: handle)
    }

    /// Makes each write leave a header that is true: the file is whole at any moment.
    func keepHeaderTrue() {
        csndfile_set_update_header_auto(handle, Int32(SF_TRUE))
    }

    /// Reads up to `buffer.count / channels` frames, interleaved, `-1...1` at full scale; 0 at the end.
    mutating func read(into buffer: inout [Float]) -> Int {
        let room = Int64(buffer.count / channels)
        return buffer.withUnsafeMutableBufferPointer { pointer in
            guard let base = pointer.baseAddress else { return 0 }
            return Int(sf_readf_float(handle, base, room))
        }
    }

    /// Writes a whole number of frames, interleaved.
    func write(_ samples: Span<Int16>) throws(AudioFileError) {
        let written = samples.withUnsafeBufferPointer { pointer -> Int in
            guard let base = pointer.baseAddress else { return 0 }
            return Int(sf_write_short(handle, base, Int64(pointer.count)))
        }
        guard written == samples.count, sf_error(handle) == 0 else {
            throw .writeFailed(path: path, reason: failureReason(of: handle))
        }
    }

    /// Writes what is left and says whether all of it reached the system; the deinitialiser can't.
    func synchronize() throws(AudioFileError) {
        csndfile_update_header_now(handle)
        guard sf_error(handle) == 0 else {
            throw .writeFailed(path: path, reason: failureReason(of: handle))
        }
        sf_write_sync(handle)
    }
}

/// libsndfile's words for the last failure, or the system's own, without a full stop.
private func failureReason(of handle: OpaquePointer?) -> String {
    var text = String(cString: sf_strerror(handle))
    let systemPrefix = "System error : "
    if text.hasPrefix(systemPrefix) { text.removeFirst(systemPrefix.count) }
    while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
    return text
}
