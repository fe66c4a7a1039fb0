// One import for applications: the modules whose types callers meet come along.
@_exported public import AAC
@_exported public import AACContainers
@_exported public import AACStreaming
@_exported public import AudioDevices
@_exported public import AudioFiles
@_exported public import PCM
