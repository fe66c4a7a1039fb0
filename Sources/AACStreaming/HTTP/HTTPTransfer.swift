import CCurl
import Threads

/// One request, from its connection to its end; for the transfer's thread alone.
@safe
final class HTTPTransfer {
  private let address: String
  private let settings: HTTPSettings
  private let shared: Guarded<TransferBuffer>
  private let onEvent: @Sendable (HTTPEvent) -> Void
  /// Bytes of the body that earlier requests brought, to go on behind them; `nil` for a stream that is joined anew.
  private let resumePosition: Int64?
  private(set) var response = HTTPResponse()
  /// Bytes of the body, metadata included.
  private(set) var byteCount: Int64 = 0
  private var metadata = ICYDemultiplexer(interval: nil)
  private var hasBegun = false
  private var lastTitle: String?
  private var sound: [UInt8] = []
  /// When the last byte came, or was taken over by the buffer.
  private var lastSign = ContinuousClock.now
  /// Why the callbacks broke the transfer off.
  private var failure: HTTPError?

  init(
    _ address: String, _ settings: HTTPSettings, resumeAt position: Int64?, lastTitle: String?,
    _ shared: Guarded<TransferBuffer>, _ onEvent: @escaping @Sendable (HTTPEvent) -> Void
  ) {
    self.address = address
    self.settings = settings
    resumePosition = position
    self.lastTitle = lastTitle
    self.shared = shared
    self.onEvent = onEvent
  }

  /// The last title that came.
  var title: String? { lastTitle }

  /// Runs the request to its end; `nil` where the body is complete by what the server says.
  func perform() -> HTTPError? {
    guard CurlLibrary.isReady, let handle = unsafe curl_easy_init() else {
      return HTTPError(.outOfResources("memory"))
    }
    // unsafe: made above and cleaned up once; the lists live until then.
    defer { unsafe curl_easy_cleanup(handle) }
    guard let driver = unsafe curl_multi_init() else { return HTTPError(.outOfResources("memory")) }
    defer {
      unsafe curl_multi_remove_handle(driver, handle)
      unsafe curl_multi_cleanup(driver)
    }
    let headers = unsafe curl_slist_append(nil, "Icy-MetaData: 1")
    let aliases = unsafe curl_slist_append(nil, "ICY 200 OK")
    defer {
      unsafe curl_slist_free_all(headers)
      unsafe curl_slist_free_all(aliases)
    }
    let text =
      [
        (CURLOPT_URL, address), (CURLOPT_USERAGENT, settings.userAgent),
      ] + (settings.certificates.map { [(CURLOPT_CAINFO, $0)] } ?? [])
      + (resumePosition.map { [(CURLOPT_RANGE, "\($0)-")] } ?? [])
    let numbers = [
      // Signals would come to any thread.
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_FAILONERROR, 1),
      (CURLOPT_MAXREDIRS, max(0, settings.redirectLimit)),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(0.001, settings.connectTimeout), 1e6) * 1000)),
      // A window of HTTP/2 would hold more than the buffer.
      (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_TCP_KEEPALIVE, 1),
    ]
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    var isSet = unsafe aac_curl_limit_to_http(handle) == CURLE_OK
    for (option, value) in text {
      isSet = unsafe isSet && aac_curl_set_text(handle, option, value) == CURLE_OK
    }
    for (option, value) in numbers {
      isSet = unsafe isSet && aac_curl_set_long(handle, option, value) == CURLE_OK
    }
    // unsafe: the callbacks run within `run` only, while this object lives.
    isSet =
      unsafe isSet && aac_curl_set_list(handle, CURLOPT_HTTPHEADER, headers) == CURLE_OK
      && aac_curl_set_list(handle, CURLOPT_HTTP200ALIASES, aliases) == CURLE_OK
      && aac_curl_set_write(handle, CURLOPT_HEADERFUNCTION, headerCame) == CURLE_OK
      && aac_curl_set_pointer(handle, CURLOPT_HEADERDATA, this) == CURLE_OK
      && aac_curl_set_write(handle, CURLOPT_WRITEFUNCTION, bodyCame) == CURLE_OK
      && aac_curl_set_pointer(handle, CURLOPT_WRITEDATA, this) == CURLE_OK
      && aac_curl_set_progress(handle, timePassed) == CURLE_OK
      && aac_curl_set_pointer(handle, CURLOPT_XFERINFODATA, this) == CURLE_OK
    guard isSet else { return HTTPError(.transfer("libcurl lacks what is needed")) }
    lastSign = .now
    guard unsafe curl_multi_add_handle(driver, handle) == CURLM_OK else {
      return HTTPError(.outOfResources("memory"))
    }
    return error(unsafe Self.run(driver))
  }

  /// Looks after the transfer until it has ended. A cancellation is seen within a twentieth of a second.
  private static func run(_ driver: UnsafeMutableRawPointer) -> CURLcode {
    var running: Int32 = 1
    while true {
      // unsafe: the calls use the driver and fill the numbers while they run.
      guard unsafe curl_multi_perform(driver, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      if running == 0 { break }
      guard unsafe curl_multi_poll(driver, nil, 0, 50, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
    }
    var left: Int32 = 0
    // unsafe: the message is valid until the next call.
    guard let message = unsafe curl_multi_info_read(driver, &left) else { return CURLE_FAILED_INIT }
    return unsafe message.pointee.data.result
  }

  /// What libcurl's status means; its status alone does not tell of all refusals.
  private func error(_ status: CURLcode) -> HTTPError? {
    let position = byteCount > 0 ? byteCount : nil
    if shared.withLock({ $0.isCancelled }) { return HTTPError(.cancelled) }
    if let failure { return failure }
    if response.status >= 400 { return HTTPError(.status(response.status, response.reason)) }
    switch status {
    case CURLE_OK:
      return response.status < 300 ? nil : HTTPError(.status(response.status, response.reason))
    case CURLE_OPERATION_TIMEDOUT: return HTTPError(.timedOut, at: position)
    case CURLE_TOO_MANY_REDIRECTS: return HTTPError(.tooManyRedirects)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: return HTTPError(.cutOff, at: position)
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return HTTPError(.noConnection(Self.words(status)))
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
      return HTTPError(.notTrusted(Self.words(status)))
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      return HTTPError(.badAddress(Self.words(status)))
    default: return HTTPError(.transfer(Self.words(status)), at: position)
    }
  }

  private static func words(_ status: CURLcode) -> String {
    // unsafe: a static text of the library.
    unsafe curl_easy_strerror(status).map { unsafe String(cString: $0) } ?? "error \(status.rawValue)"
  }

  // MARK: Called by libcurl

  func takeHeader(_ line: [UInt8]) {
    lastSign = .now
    response.take(line)
  }

  /// False: no more is wanted.
  func takeBody(_ chunk: [UInt8]) -> Bool {
    guard begin() else { return false }
    sound.removeAll(keepingCapacity: true)
    metadata.take(chunk, into: &sound) { block in
      guard let title = ICYMetadata(block.bytes).title, title != lastTitle else { return }
      lastTitle = title
      shared.withLock { $0.add(TransferBuffer.Title(position: block.position, text: title)) }
    }
    byteCount += Int64(chunk.count)
    var done = 0
    while done < sound.count {
      // Where the reader is slow the server waits.
      let isGoing = shared.wait { buffer -> Bool? in
        if buffer.isCancelled { return false }
        guard buffer.room > 0 else { return nil }
        done += buffer.put(sound, from: done)
        return true
      }
      guard isGoing == true else { return false }
    }
    lastSign = .now
    return true
  }

  private func begin() -> Bool {
    guard !hasBegun else { return true }
    hasBegun = true
    if resumePosition != nil, response.status != 206 {
      failure = HTTPError(.cannotResume, at: resumePosition)
      return false
    }
    let total = shared.withLock { $0.total }
    metadata = ICYDemultiplexer(interval: response.metadataInterval, position: total)
    announce()
    return true
  }

  /// Tells of the answer, once the body begins or where it has none.
  func announce() {
    guard (200..<300).contains(response.status) else { return }
    let response = response
    shared.withLock { buffer in
      if buffer.response == nil { buffer.response = response }
    }
    onEvent(.connected(response))
  }

  /// False: it has taken too long, or nobody waits any more.
  func goesOn() -> Bool {
    if shared.withLock({ $0.isCancelled }) { return false }
    let silence = (ContinuousClock.now - lastSign).seconds
    guard silence < settings.stallTimeout else {
      failure = HTTPError(hasBegun ? .stalled(seconds: silence) : .timedOut, at: hasBegun ? byteCount : nil)
      return false
    }
    return true
  }
}

/// The library's own preparations, once for the process.
private enum CurlLibrary {
  // libcurl guards the call against other threads.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

// C callbacks are functions of the file: a closure that is formed in isolated code would trap on this thread.

@unsafe
private func transfer(_ data: UnsafeMutableRawPointer?) -> HTTPTransfer? {
  // unsafe: the object whose `perform` runs.
  unsafe data.map { unsafe Unmanaged<HTTPTransfer>.fromOpaque($0).takeUnretainedValue() }
}

@unsafe
private func bytes(_ memory: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int) -> [UInt8] {
  guard let memory = unsafe memory else { return [] }
  // unsafe: libcurl gives `size * count` bytes there.
  return unsafe [UInt8](UnsafeRawBufferPointer(start: memory, count: size &* count))
}

private func headerCame(
  _ memory: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  unsafe transfer(data)?.takeHeader(bytes(memory, size, count))
  return size &* count
}

private func bodyCame(
  _ memory: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  let chunk = unsafe bytes(memory, size, count)
  let isWanted = unsafe transfer(data)?.takeBody(chunk) == true
  // Any other number than that of the bytes ends the transfer.
  return isWanted ? size &* count : size &* count == 0 ? 1 : 0
}

private func timePassed(
  _ data: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
  unsafe transfer(data)?.goesOn() == true ? 0 : 1
}
