import Foundation

/// What can be measured, by the names that the command line takes.
let benchmarks: [(name: String, summary: String, run: () async throws -> [Figure])] = [
    ("allocations", "allocations of a running session per frame", { try measureAllocations() }),
    ("virtual-time", "a ten-minute call of two in virtual time", { try measureVirtualTime() }),
    ("flood", "100,000 hostile packets a second", { try measureFlood() }),
    ("wire", "reading RTP headers and opening SRTP, against C", { try measureWire() }),
    ("call-cpu", "CPU of a call end against a plain C loop", { try await measureCallCPU(calls: 1) }),
]

let usage = """
    usage: bench [--list] [NAME…]

    Prints one line of JSON for each figure, and a table on standard error. Without a name: all.
    Build it with optimisation: swift run -c release bench
    Exits with 1 if a figure is over its limit.

    """

var names = Array(CommandLine.arguments.dropFirst())
if names.contains("--help") || names.contains("-h") {
    print(usage, terminator: "")
    exit(0)
}
if names.contains("--list") {
    for benchmark in benchmarks { print("\(benchmark.name)\t\(benchmark.summary)") }
    exit(0)
}
if let unknown = names.first(where: { name in !benchmarks.contains { $0.name == name } }) {
    FileHandle.standardError.write(Data("bench: no benchmark \"\(unknown)\"; bench --list names them\n".utf8))
    exit(2)
}
if names.isEmpty { names = benchmarks.map(\.name) }

var figures: [Figure] = []
for benchmark in benchmarks where names.contains(benchmark.name) {
    FileHandle.standardError.write(Data("measuring \(benchmark.name) …\n".utf8))
    do {
        for figure in try await benchmark.run() {
            try figure.printLine()
            figures.append(figure)
        }
    } catch {
        FileHandle.standardError.write(
            Data("bench: \(benchmark.name) could not be measured: \(error)\n".utf8))
        exit(3)
    }
}
Figure.printTable(figures)
exit(figures.allSatisfy(\.isWithinLimit) ? 0 : 1)
