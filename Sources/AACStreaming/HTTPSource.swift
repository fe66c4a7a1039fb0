import AACContainers
import CCurl

enum HTTP { static var version: Int { Int(LIBCURL_VERSION_NUM) } }
