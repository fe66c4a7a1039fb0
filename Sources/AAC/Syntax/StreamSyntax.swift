/// What a stream's configuration decides about its syntax. The default is that of low-complexity streams.
struct StreamSyntax: Equatable, Sendable {
  var objectType: AudioObjectType = .lowComplexity
  var sectionResilience = false  // aacSectionDataResilienceFlag
  var scaleFactorResilience = false  // aacScalefactorDataResilienceFlag
  var spectralResilience = false  // aacSpectralDataResilienceFlag
  /// Bands that the predictors of Main reach.
  var predictionBands = 0  // PRED_SFB_MAX
  /// The channel elements of an access unit where only the configuration tells them.
  var elements: [ChannelElement.Kind] = []
  /// Behind the channel elements there is data of low-delay replication, whose length only its reader knows.
  var hasLowDelayReplication = false

  init() {}

  init(_ configuration: AudioSpecificConfig) {
    objectType = configuration.objectType
    sectionResilience = configuration.sectionDataResilience
    scaleFactorResilience = configuration.scaleFactorDataResilience
    spectralResilience = configuration.spectralDataResilience
    predictionBands = ScaleFactorBandTables.predictionBands[configuration.samplingRate.tableIndex]
    elements = configuration.elements.map(\.kind)
    hasLowDelayReplication = configuration.lowDelaySBR != nil
  }

  /// Access units are er_raw_data_block()s.
  var isErrorResilient: Bool { objectType.isErrorResilient }

  /// Streams may carry ltp_data.
  var hasLongTermPrediction: Bool {
    objectType == .longTermPrediction || objectType == .errorResilientLongTermPrediction
      || objectType == .lowDelay
  }
}
