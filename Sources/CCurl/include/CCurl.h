#ifndef AAC_CCURL_H
#define AAC_CCURL_H

#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo with fixed arguments, which Swift can call. */
CURLcode aac_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode aac_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode aac_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode aac_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
/* For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, which have one signature. */
CURLcode aac_curl_set_write(CURL *handle, CURLoption option, size_t (*function)(char *, size_t, size_t, void *));
CURLcode aac_curl_set_progress(
    CURL *handle, int (*function)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t));
/* Nothing but HTTP and HTTPS, neither asked for nor by way of a redirect. */
CURLcode aac_curl_limit_to_http(CURL *handle);
CURLcode aac_curl_get_long(CURL *handle, CURLINFO info, long *value);

#endif
