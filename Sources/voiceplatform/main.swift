import Glibc

exit(await PlatformProgram.run(Array(CommandLine.arguments.dropFirst())).rawValue)
