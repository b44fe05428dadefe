import Foundation

Console.ignoreBrokenPipes()
let arguments = Array(CommandLine.arguments.dropFirst())
exit(await runProgram(arguments: arguments, environment: ProcessInfo.processInfo.environment))
