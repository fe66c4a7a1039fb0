import AACKit
import AudioDevices
import AudioFiles

/// What an error means for people and for the exit status.
enum Failure {
  static func isInterruption(_ error: any Error) -> Bool {
    switch error {
    case let error as AACKitError: error.reason == .cancelled
    case let error as AudioFileError: error.reason == .interrupted
    default: false
    }
  }

  static func status(_ error: any Error) -> Int32 {
    if isInterruption(error) { return ExitStatus.interrupted }
    return error is UsageError ? ExitStatus.usage : ExitStatus.failed
  }

  /// What is wrong, where, and what helps.
  static func message(_ error: any Error) -> String {
    let advice: String? =
      switch error {
      case let error as AACKitError:
        error.reason == .exists ? "choose another name, or replace it with -y" : error.advice
      case let error as AudioFileError: error.advice
      case let error as AudioDeviceError: error.advice
      default: nil
      }
    return "\(error)" + (advice.map { "; \($0)" } ?? "")
  }
}
