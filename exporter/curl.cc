#include "exporter/curl.h"

#include <mutex>
#include <stdexcept>
#include <string>

namespace tracekin {

void CheckCurl(CURLcode code) {
  if (code == CURLE_OK) return;
  throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

void InitialiseCurl() {
  // Of the kind that a fork during another thread's first use does not leave locked for ever.
  static std::once_flag once;
  static CURLcode code;
  std::call_once(once, [] { code = curl_global_init(CURL_GLOBAL_DEFAULT); });
  CheckCurl(code);
}

}  // namespace tracekin
