import AACContainers
import Foundation
import Testing

@testable import AACStreaming

/// Encrypted connections, with a server of Python's and a certificate of its own.
@Suite struct HTTPSTests {
  private static let program = """
    import http.server, ssl, subprocess, sys
    folder = sys.argv[1]
    key, certificate = folder + "/key.pem", folder + "/certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    class Handler(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        if self.path == "/away":
          self.send_response(302)
          self.send_header("Location", "/there")
          self.end_headers()
          return
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(bytes(i % 251 for i in range(100000)))
      def log_message(self, *rest): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  @Test func certificatesCount() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "aac-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.program, folder.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { kill(process.processIdentifier, SIGKILL) }
    let told = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(Int(told.trimmingCharacters(in: .whitespacesAndNewlines)))

    let stranger = try HTTPSource("https://localhost:\(port)/x")
    let error = #expect(throws: HTTPError.self) { try stranger.open() }
    guard case .notTrusted = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    var settings = HTTPSettings()
    settings.certificates = folder.path + "/certificate.pem"
    let friend = try HTTPSource("https://localhost:\(port)/away", settings: settings)
    #expect(try friend.open().contentLength == 100_000)
    #expect(try friend.read(at: 0, count: 100_000) == (0..<100_000).map { UInt8($0 % 251) })
    // The certificate is another host's.
    let other = try HTTPSource("https://127.0.0.1:\(port)/x", settings: settings)
    #expect(throws: HTTPError.self) { try other.open() }
  }
}
