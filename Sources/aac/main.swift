import AudioFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

Interrupts.install()
exit(run([String](CommandLine.arguments.dropFirst()), Console(cancellation: Interrupts.cancellation)))
