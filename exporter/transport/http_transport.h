// SPDX-License-Identifier: Apache-2.0
// Posts batches to an HTTP collector with libcurl, over one connection that is kept alive.
//
// The URL may be http or https (certificates are verified) and may contain a user and password.
// Redirects are not followed, so that credentials never reach a host that was not configured.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_HTTP_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_HTTP_TRANSPORT_H

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/transport/curl_transfer.h"
#include "exporter/transport/earliest_deadline.h"
#include "exporter/transport/gzip.h"
#include "exporter/transport/http_files.h"
#include "exporter/transport/proxy.h"
#include "exporter/transport/resolver.h"
#include "exporter/transport/sockets.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// Sends a batch a second time only if the kept connection turns out to be closed before any byte
/// of a response arrived. To keep that rare, connections that were idle for 10 s are not reused.
///
/// After a fork, the child closes its copies of the sockets. A connected pair of sockets that
/// libcurl made for itself stays open in the child, and in programs that the host runs. When the
/// host has closed our descriptors, the current batch fails, and the next one gets new descriptors
/// (curl_transfer.h).
class HttpTransport final : public Transport {
 public:
  /// Returns the result of a batch, given the response's status, the beginning of its body, and the
  /// delay that it requests. Each encoding has its own function.
  using Judge = SendResult (*)(long status, std::string_view text,
                               std::chrono::seconds retry_after);

  /// Uses `endpoint`, `connect_timeout_ms` and the HTTP settings of ExporterOptions. Also uses
  /// `proxy`, unless `unix_socket` is set. `resolver` resolves names. If it is null, libcurl
  /// resolves them. `files` are the files of `options`, which may have been read earlier. By
  /// default they are read now. Throws std::runtime_error if libcurl cannot be set up.
  HttpTransport(const ExporterOptions& options, std::string_view content_type, Judge judge,
                const Proxy& proxy = {}, std::shared_ptr<Resolver> resolver = nullptr,
                const std::optional<HttpFiles>& files = std::nullopt);

  SendResult Send(const std::string& body, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override;
  void AbandonAfterFork() noexcept override;

 private:
  struct Deleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  void MakeTransfer();
  void SetOptions();
  void SetProxy();
  void SetTlsFiles();
  void SetTlsFile(const KeptFile& file, CURLoption path, CURLoption content);
  void SetHeaders();
  std::string RefreshCredential();
  std::string RefreshTlsFiles();
  SendResult Post(const std::string& body, Clock::time_point deadline);
  std::string Words(CURLcode code) const;

  // libcurl's callbacks.
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) noexcept;
  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) noexcept;
  static int OnBytes(CURL* easy, curl_infotype type, char* data, std::size_t size,
                     void* self) noexcept;
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept;

  const ExporterOptions options_;
  const Judge judge_;
  const Proxy proxy_;
  const std::shared_ptr<Resolver> resolver_;  // may be null
  EarliestDeadline interrupt_;
  Sockets sockets_;
  std::string answer_;          // the beginning of the response body
  std::size_t bytes_read_ = 0;  // size of the response, as received
  std::size_t body_size_ = 0;   // size of the decoded response body
  std::optional<Gzip> gzip_;
  HttpFiles files_;
  std::string authorization_;       // the credential that `headers_` contains
  std::vector<std::string> lines_;  // the other headers
  std::unique_ptr<curl_slist, Deleter> headers_;
  std::optional<CurlTransfer> transfer_;  // owns the kept connection
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_HTTP_TRANSPORT_H
