import FuzzDriver
import Glibc

nonisolated(unsafe) private var check: ([UInt8]) -> Void = { _ in }  // set once; one thread

/// Runs `body` with one input after the other, as libFuzzer's options in the command line say, and exits.
///
/// What `body` finds wrong it says with `precondition`, and libFuzzer keeps the input.
package func fuzz(_ body: @escaping ([UInt8]) -> Void) -> Never {
    check = body
    let status = fuzz_driver_run(CommandLine.argc, CommandLine.unsafeArgv) { octets, count in
        check(Array(UnsafeBufferPointer(start: octets, count: count)))
        return 0
    }
    exit(status)
}

/// Keeps the optimiser from leaving out what computed `value`.
@inline(never)
package func observe<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
