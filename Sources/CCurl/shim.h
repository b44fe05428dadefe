/* libcurl, plus plain functions for its variadic options. */
#pragma once
#include <curl/curl.h>

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*ccurl_data_function)(char *data, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_write_function(CURL *handle, ccurl_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}
static inline CURLcode ccurl_set_header_function(CURL *handle, ccurl_data_function function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}
typedef int (*ccurl_progress_function)(
    void *context, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total, curl_off_t uploaded);
static inline CURLcode ccurl_set_progress_function(CURL *handle, ccurl_progress_function function, void *context) {
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}
static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
