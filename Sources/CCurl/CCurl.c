#include "CCurl.h"

CURLcode aac_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode aac_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode aac_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode aac_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode aac_curl_set_write(CURL *handle, CURLoption option, size_t (*function)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, function);
}

CURLcode aac_curl_set_progress(
    CURL *handle, int (*function)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
  CURLcode status = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
  return status == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) : status;
}

CURLcode aac_curl_limit_to_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode status = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  return status == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") : status;
#else
  long protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS;
  CURLcode status = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, protocols);
  return status == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, protocols) : status;
#endif
}

CURLcode aac_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
