internal import Glibc

/// A descriptor of `path` for reading, closed on exec.
func openForReading(_ path: String) throws(AudioFileError) -> Int32 {
    var status = stat()
    guard stat(path, &status) == 0 else {
        if errno == ENOENT { throw .missing(path: path) }
        throw .cannotOpen(path: path, reason: systemReason())
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw .isDirectory(path: path)
    case S_IFREG: break
    default: throw .notAudio(path: path, reason: "it is a pipe or a device, not a file")
    }
    guard status.st_size > 0 else { throw .empty(path: path) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: systemReason()) }
    return descriptor
}

/// A descriptor of the new or emptied file `path`, closed on exec.
func openForWriting(_ path: String) throws(AudioFileError) -> Int32 {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
        throw .cannotCreate(path: path, reason: "it is a pipe, and a WAV header is written last")
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: systemReason()) }
    return descriptor
}

/// The text for `errno`.
private func systemReason() -> String {
    String(cString: strerror(errno))
}
