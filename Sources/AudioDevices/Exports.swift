// Times of streams are values of this module.
@_exported public import Threads
