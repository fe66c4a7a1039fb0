import AACContainers
import AACKit
import Foundation
import PCM
import Testing

private let sharedFolder: String? = {
  if let path = ProcessInfo.processInfo.environment["AAC_SHARED"], !path.isEmpty { return path }
  var package = URL(fileURLWithPath: #filePath)
  for _ in 0..<4 { package.deleteLastPathComponent() }
  let beside = package.appendingPathComponent("shared").path
  return FileManager.default.fileExists(atPath: beside) ? beside : nil
}()

/// `info` and `decode` agree on what a stream is.
@Suite(.enabled(if: sharedFolder != nil, "needs the shared vectors"))
struct InspectionTests {
  /// Parametric stereo that is not announced, and in the first of them not in the first access unit either.
  @Test(
    "B011, B047, B062",
    arguments: [
      ("iso-conformance/al_sbr_ps_04_new.mp4", "HEv2", 2),
      ("iso-conformance/al_sbr_ps_06_new.mp4", "HEv2", 2),
      ("signalling/sbr_i-ps_i.aac", "HEv2", 2), ("peers/fdk-he32-32k-1_pop_gm.aac", "HE", 1),
      ("peers/fdk-he48-44k-2_pop_gm.aac", "HE", 2), ("peers/fdk-lc64-44k-1_pop_gm.aac", "LC", 1),
    ])
  func streamsAreWhatTheyDecodeTo(file: String, objectType: String, channels: Int) throws {
    let path = try #require(sharedFolder) + "/vectors/" + file
    let inspection = try Inspection(FileSource(path: path))
    #expect(inspection.objectType == objectType)
    #expect(inspection.layout.channelCount == channels)
    let reader = try AACReader(path: path)
    #expect(reader.format.channelCount == channels)
    #expect(reader.format.sampleRate == inspection.sampleRate)
    // Whole streams are decoded where the file does not tell their length; `make conformance` decodes all.
    let frames = try reader.frameCount ?? Int64(AudioFile.decode(path).frameCount)
    #expect(frames == inspection.samples)
  }

  /// Low-delay replication stays ELD, with the rate of the sound and that of the core.
  @Test(arguments: [
    ("noise_1ch_48khz_aot39_dr_sbr_fl480_mp4", 48000, 24000, 960),
    ("noise_1ch_32khz_aot39_dr_sbr_fl480_mp4", 32000, 16000, 960),
    ("noise_2ch_48khz_aot39_ds_sbr_fl512_mp4", 48000, 48000, 512),
  ])
  func lowDelayReplicationIsToldOf(file: String, rate: Int, coreRate: Int, frameLength: Int) throws {
    let path = try #require(sharedFolder) + "/vectors/encoders/\(file).m4a"
    var tools: Set<AccessUnitSummary.Tool> = []
    let inspection = try Inspection(FileSource(path: path)) { tools.formUnion($0.summary?.tools ?? []) }
    #expect(inspection.objectType == "ELD" && inspection.signalling == "hierarchical")
    #expect(inspection.sampleRate == rate && inspection.coreSampleRate == coreRate)
    #expect(inspection.frameLength == frameLength && inspection.warnings == [])
    #expect(tools.contains(.spectralBandReplication))
    let sound = try AudioFile.decode(path)
    #expect(sound.format.sampleRate == rate && Int64(sound.frameCount) == inspection.samples)
  }
}
