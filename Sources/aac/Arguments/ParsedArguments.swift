/// What a command line says, taken apart by a command's options.
struct ParsedArguments: Equatable {
  private(set) var operands: [String] = []
  /// Values by the option's first name, in order; a switch has one empty value each time.
  private var values: [String: [String]] = [:]

  /// Accepts `--name value`, `--name=value`, `-n value` and `-nvalue`. `--` ends the options; `-` is an
  /// operand.
  init(_ arguments: [String], options: [CommandOption]) throws(UsageError) {
    var byName: [String: CommandOption] = [:]
    for option in options { for name in option.names { byName[name] = option } }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      if argument == "-" || !argument.hasPrefix("-") {
        operands.append(argument)
        continue
      }
      let (name, attached) = Self.split(argument, byName)
      guard let option = byName[name] else { throw Self.unknown(name, byName.keys.sorted()) }
      try add(option, name, attached, &rest, byName)
    }
  }

  private mutating func add(
    _ option: CommandOption, _ name: String, _ attached: String?, _ rest: inout ArraySlice<String>,
    _ byName: [String: CommandOption]
  ) throws(UsageError) {
    var value = ""
    if let placeholder = option.placeholder {
      if let attached {
        value = attached
      } else if let next = rest.first, byName[next] == nil, next != "--" {
        value = next
        rest.removeFirst()
      } else {
        throw UsageError("\(name) needs a value: \(name) \(placeholder)")
      }
    } else if let attached {
      throw UsageError("\(name) takes no value ('\(attached)')")
    }
    if !option.repeats, option.placeholder != nil, values[option.name] != nil {
      throw UsageError("\(name) is given twice")
    }
    values[option.name, default: []].append(value)
  }

  /// The name and what hangs on it.
  private static func split(
    _ argument: String, _ byName: [String: CommandOption]
  ) -> (name: String, value: String?) {
    if argument.hasPrefix("--") {
      guard let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
      return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }
    let short = String(argument.prefix(2))
    guard byName[argument] == nil, let option = byName[short], argument.count > 2 else {
      return (argument, nil)
    }
    return option.placeholder == nil ? (argument, nil) : (short, String(argument.dropFirst(2)))
  }

  private static func unknown(_ name: String, _ known: [String]) -> UsageError {
    let near = known.map { (name: $0, distance: distance($0, name)) }.min { $0.distance < $1.distance }
    if let near, near.distance <= max(1, name.count / 3) {
      return UsageError("unknown option \(name): did you mean \(near.name)?")
    }
    return UsageError("unknown option \(name): there are \(known.joined(separator: " "))")
  }

  /// Insertions, deletions and changes that lead from one word to the other.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = [Character](right)
    var row = [Int](0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let change = diagonal + (right[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, min(row[column], diagonal) + 1)
      }
    }
    return row[right.count]
  }
}

extension ParsedArguments {
  func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

  func string(_ option: CommandOption) -> String? { values[option.name]?.last }

  func strings(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

  /// A whole number within a range.
  func integer(_ option: CommandOption, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = string(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .value(option.name, text, "give a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number not below zero.
  func number(_ option: CommandOption) throws(UsageError) -> Double? {
    guard let text = string(option) else { return nil }
    guard let number = Double(text), number.isFinite, number >= 0 else {
      throw .value(option.name, text, "give a number, 0 or more")
    }
    return number
  }

  /// One of some words.
  func choice<Value>(
    _ option: CommandOption, _ choices: [(name: String, value: Value)]
  ) throws(UsageError) -> Value? {
    guard let text = string(option) else { return nil }
    guard let choice = choices.first(where: { $0.name == text }) else {
      throw .value(option.name, text, "choose \(UsageError.list(choices.map(\.name)))")
    }
    return choice.value
  }

  /// A bit rate: `128k`, `128000`, `0.3M`.
  func bitRate(_ option: CommandOption) throws(UsageError) -> Int? {
    guard let text = string(option) else { return nil }
    guard let (number, digits) = Self.scaled(text, by: ["k": 1e3, "K": 1e3, "M": 1e6]), number <= 1e8 else {
      throw .value(option.name, text, "give bits a second, as 128k or 128000")
    }
    let rate = Int(number.rounded())
    guard rate >= 1000 else {
      throw .value(option.name, text, "that is \(rate) bits a second; did you mean \(digits)k?")
    }
    return rate
  }

  /// A number above zero with or without a letter that scales it, and its digits.
  static func scaled(_ text: String, by letters: [Character: Double]) -> (number: Double, digits: String)? {
    let factor = text.last.flatMap { letters[$0] }
    let digits = factor == nil ? text : String(text.dropLast())
    guard let number = Double(digits), number.isFinite, number > 0 else { return nil }
    return (number * (factor ?? 1), digits)
  }

  /// Exactly these operands.
  func operands(_ names: String...) throws(UsageError) -> [String] {
    if operands.count < names.count {
      throw UsageError("\(names[operands.count]) is missing")
    }
    if operands.count > names.count {
      throw UsageError("'\(operands[names.count])' is one operand too many")
    }
    return operands
  }
}
