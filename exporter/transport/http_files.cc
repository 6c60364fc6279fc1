// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/http_files.h"

#include <curl/curl.h>
#include <strings.h>

namespace tracekin::exporter {

namespace {

// The system's authorities have some 220 KB.
constexpr std::size_t kMaxPemBytes = 4 << 20;

bool IsHttps(const std::string& url) { return strncasecmp(url.c_str(), "https://", 8) == 0; }

std::string SystemAuthorities() {
  const curl_version_info_data* version = curl_version_info(CURLVERSION_NOW);
  return version->age >= CURLVERSION_SEVENTH && version->cainfo != nullptr ? version->cainfo : "";
}

std::string AuthoritiesPath(const ExporterOptions& options) {
  if (!options.ca_file.empty()) return options.ca_file;
  return IsHttps(options.endpoint) ? SystemAuthorities() : "";
}

const std::string& KeyPath(const ExporterOptions& options) {
  return options.client_key.empty() ? options.client_certificate : options.client_key;
}

}  // namespace

HttpFiles::HttpFiles(const ExporterOptions& options) {
  if (!options.bearer_file.empty()) {
    credential.emplace(CredentialFile::Scheme::kBearer, options.bearer_file);
  } else if (!options.basic_file.empty()) {
    credential.emplace(CredentialFile::Scheme::kBasic, options.basic_file);
  }
  const std::string trusted = AuthoritiesPath(options);
  if (!trusted.empty()) authorities.emplace(trusted, kMaxPemBytes);
  if (options.client_certificate.empty()) return;
  certificate.emplace(options.client_certificate, kMaxPemBytes);
  key.emplace(KeyPath(options), kMaxPemBytes);
}

std::string PreloadHttpFiles(const ExporterOptions& options) {
  std::string first_error;
  const auto preload = [&](const std::string& path, std::size_t max_bytes) {
    const std::string error = path.empty() ? "" : PreloadFile(path, max_bytes);
    if (first_error.empty()) first_error = error;
  };
  preload(options.bearer_file, CredentialFile::kMaxBytes);
  preload(options.basic_file, CredentialFile::kMaxBytes);
  preload(options.ca_file, kMaxPemBytes);
  preload(options.client_certificate, kMaxPemBytes);
  preload(KeyPath(options), kMaxPemBytes);
  if (options.ca_file.empty()) {
    const std::string path = AuthoritiesPath(options);
    if (!path.empty()) PreloadFile(path, kMaxPemBytes);
  }
  return first_error;
}

}  // namespace tracekin::exporter
