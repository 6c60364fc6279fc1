// SPDX-License-Identifier: Apache-2.0
#include "tests/exporter/zipkin_client.h"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

namespace tracekin {

std::string ServerUrl(const char* variable) {
  const char* url = std::getenv(variable);
  return url == nullptr ? "http://" + std::string(variable) + "-is-not-set" : url;
}

std::string Get(const std::string& path) {
  std::string body;
  CURL* easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, (ServerUrl() + path).c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(
      easy, CURLOPT_WRITEFUNCTION,
      +[](char* data, std::size_t size, std::size_t count, void* text) {
        static_cast<std::string*>(text)->append(data, size * count);
        return size * count;
      });
  EXPECT_EQ(curl_easy_perform(easy), CURLE_OK);
  curl_easy_cleanup(easy);
  return body;
}

rapidjson::Document StoredSpans(std::uint64_t trace_id_high, std::uint64_t trace_id_low,
                                std::size_t count) {
  char id[33];
  const int high = trace_id_high == 0 ? 0 : snprintf(id, sizeof id, "%016" PRIx64, trace_id_high);
  snprintf(id + high, sizeof id - static_cast<std::size_t>(high), "%016" PRIx64, trace_id_low);
  rapidjson::Document spans;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    const std::string body = Get("/api/v2/trace/" + std::string(id));
    spans.Parse(body.data(), body.size());
    if (spans.IsArray() && spans.Size() >= count) break;
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(spans.IsArray() && spans.Size() == count);
  return spans;
}

std::uint64_t RandomTraceId() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

}  // namespace tracekin
