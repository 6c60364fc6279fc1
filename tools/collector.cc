// SPDX-License-Identifier: Apache-2.0
#include "tools/collector.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/terminal.h"
#include "exporter/destination.h"

namespace tracekin::tools {

namespace {

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

std::size_t Discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

Curl Connection(const ExporterOptions& options, const std::string& url) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Curl curl(curl_easy_init(), curl_easy_cleanup);
  if (curl == nullptr) return curl;
  const auto set = [&](CURLoption option, const std::string& value) {
    if (!value.empty()) curl_easy_setopt(curl.get(), option, value.c_str());
  };
  set(CURLOPT_URL, url);
  set(CURLOPT_CAINFO, options.ca_file);
  set(CURLOPT_SSLCERT, options.client_certificate);
  set(CURLOPT_SSLKEY, options.client_key);
  set(CURLOPT_UNIX_SOCKET_PATH, options.unix_socket);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(options.connect_timeout_ms));
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout_ms));
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, Discard);
  return curl;
}

std::string Took(CURL* curl) {
  double seconds = 0;
  curl_easy_getinfo(curl, CURLINFO_TOTAL_TIME, &seconds);
  return std::to_string(std::lround(seconds * 1000)) + " ms";
}

Reached Failed(const std::string& name, CURLcode code) {
  return {false, name + ": " + curl_easy_strerror(code)};
}

Reached Connect(const ExporterOptions& options, const std::string& name, const std::string& url) {
  const Curl curl = Connection(options, url);
  if (curl == nullptr) return {false, "libcurl cannot be used"};
  curl_easy_setopt(curl.get(), CURLOPT_CONNECT_ONLY, 1L);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) return Failed(name, code);
  return {true, name + " accepts connections, " + Took(curl.get())};
}

Reached Judge(const std::string& name, long status, const std::string& took) {
  const std::string answer = name + " answers with HTTP " + std::to_string(status);
  if (status / 100 == 2) return {true, answer + ", " + took};
  if (status == 401 || status == 403) {
    return {false, answer + ": set exporter.bearer_file or exporter.basic_file"};
  }
  if (status == 404 || status == 405) {
    return {false, answer + ": is the path right? Zipkin's is /api/v2/spans"};
  }
  return {false, answer};
}

// Zipkin accepts a list without spans. Its answer shows that the address and the path are right.
Reached PostNothing(const ExporterOptions& options, const std::string& name) {
  const Curl curl = Connection(options, options.endpoint);
  if (curl == nullptr) return {false, "libcurl cannot be used"};
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(
      curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, "[]");
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) return Failed(name, code);
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  return Judge(name, status, Took(curl.get()));
}

// Tries the brokers one after the other, because some of them may be down.
Reached ConnectToBrokers(const ExporterOptions& options) {
  Reached reached{false, "no broker"};
  for (std::size_t at = 0; at < options.kafka_brokers.size() && !reached.good;) {
    const std::size_t end =
        std::min(options.kafka_brokers.find(',', at), options.kafka_brokers.size());
    std::string broker = options.kafka_brokers.substr(at, end - at);
    if (broker.find(':') == std::string::npos) broker += ":9092";  // librdkafka's default
    reached = Connect(options, ForTerminal(broker), "http://" + broker);
    at = end + 1;
  }
  return reached;
}

// Returns the URL of a collector without the user and the password that it may contain.
std::string NameOf(std::string url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t at = url.find('@', host);
  if (at != std::string::npos && at < url.find('/', host)) url.erase(host, at + 1 - host);
  return ForTerminal(url);
}

bool HasCredentials(const ExporterOptions& options) {
  return !options.headers.empty() || !options.bearer_file.empty() || !options.basic_file.empty();
}

Reached LookAtFile(const std::string& path) {
  const std::filesystem::path file = std::filesystem::absolute(path);
  std::error_code ignored;
  const bool there = std::filesystem::exists(file, ignored);
  const std::string needed = there ? file.string() : file.parent_path().string();
  if (access(needed.c_str(), W_OK) == 0) return {true, "file " + ForTerminal(file.string())};
  return {false, "cannot write to " + ForTerminal(needed) + ": " + std::strerror(errno)};
}

}  // namespace

Reached ReachCollector(const ExporterOptions& options) {
  const exporter::Destination& destination = exporter::DestinationOf(options);
  if (!destination.sends()) return {true, "spans are not exported"};
  if (destination.type == "file") return LookAtFile(options.path);
  if (destination.type == "kafka") return ConnectToBrokers(options);
  const std::string name = NameOf(options.endpoint);
  if (destination.type == "scribe") {
    const std::string address = options.endpoint.substr(options.endpoint.find("://") + 3);
    return Connect(options, name, "http://" + address);
  }
  const exporter::Format* const format = exporter::FormatOf(options);
  const bool json = format != nullptr && format->name == "json";
  if (json && !HasCredentials(options)) return PostNothing(options, name);
  Reached reached = Connect(options, name, options.endpoint);
  if (reached.good) reached.text += "; its path and the credentials were not tried";
  return reached;
}

}  // namespace tracekin::tools
