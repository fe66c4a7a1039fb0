import AACKit
import Dispatch
import Synchronization

/// Something that went wrong with one file.
struct BatchFailure: Sendable, Equatable {
  var path: String
  var message: String
}

/// Works through many files, several at a time.
struct Batch: Sendable {
  let plan: BatchPlan
  let request: BatchRequest
  let console: Console
  let report: BatchReport

  init(
    _ plan: BatchPlan, _ request: BatchRequest, _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) {
    self.plan = plan
    self.request = request
    self.console = console
    report = BatchReport(
      plan, mode: try ProgressReport.mode(arguments, console), isQuiet: arguments.has(SharedOptions.quiet),
      console)
  }

  /// Does `items` and tells what came of all; returns the exit status.
  ///
  /// - Parameter work: does one file and returns seconds of its sound.
  func run(
    _ items: [BatchItem], _ work: @escaping @Sendable (BatchItem, (Progress) -> Void) throws -> Double
  ) -> Int32 {
    forEach(items) { index, item in
      do {
        try makeFolder(of: item)
        let seconds = try work(item) { report.update(index, item, $0) }
        report.finish(index, item, .done, seconds: seconds)
      } catch {
        report.finish(index, item, error)
      }
    }
    return report.end(isInterrupted: console.cancellation.isCancelled)
  }

  /// The files whose outputs are missing, broken or older than their inputs. Others are reported as skipped, and
  /// what dead runs have left of the outputs is removed.
  func remaining(isWhole: @escaping @Sendable (String) -> Bool) -> [BatchItem] {
    guard request.resumes else { return plan.items }
    AtomicFile.removeAbandoned(beside: plan.items.map(\.output))
    let isDone = Mutex([Bool](repeating: false, count: plan.items.count))
    forEach(plan.items) { index, item in
      guard let made = Files.modified(item.output), let changed = Files.modified(item.input),
        made >= changed, isWhole(item.output)
      else { return }
      isDone.withLock { $0[index] = true }
      report.finish(index, item, .skipped, seconds: nil)
    }
    let done = isDone.withLock { $0 }
    return zip(plan.items, done).filter { !$1 }.map(\.0)
  }

  /// Calls `body` for each item with its place, from several threads, until the work is cancelled.
  func forEach(_ items: [BatchItem], _ body: @escaping @Sendable (Int, BatchItem) -> Void) {
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: max(1, min(request.jobs, items.count))) { @Sendable _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < items.count, !console.cancellation.isCancelled else { return }
        body(index, items[index])
      }
    }
  }

  func makeFolder(of item: BatchItem) throws(AACKitError) {
    guard let slash = item.output.lastIndex(of: "/") else { return }
    let folder = String(item.output[...slash])
    guard Files.makeFolders(folder) else {
      throw AACKitError(.cannotWrite("the folder \(folder) cannot be made"), path: item.output)
    }
  }
}
