// SPDX-License-Identifier: Apache-2.0
// Posts batches to an HTTP collector with libcurl, over one connection that is kept alive.
//
// The URL may be http or https (certificates are verified) and may carry a user and password.
// Redirects are not followed, so that no credential goes where nobody has sent it.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_HTTP_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_HTTP_TRANSPORT_H

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/transport/credential_file.h"
#include "exporter/transport/curl_transfer.h"
#include "exporter/transport/earliest_deadline.h"
#include "exporter/transport/gzip.h"
#include "exporter/transport/proxy.h"
#include "exporter/transport/resolver.h"
#include "exporter/transport/sockets.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin {

/// A batch is sent a second time only if the kept connection turns out to be closed before any byte
/// of an answer came; connections that were idle for 10 s are not used again, to keep that rare.
///
/// After a fork the child closes its copies of the sockets; two descriptors of libcurl's own, a
/// pair of sockets connected to each other, stay open in it, and in programs that the host runs. When
/// the host has closed our descriptors, the batch that is under way fails, and the next one gets new
/// ones (curl_transfer.h).
class HttpTransport final : public Transport {
 public:
  /// Uses `endpoint`, `connect_timeout_ms` and what ExporterOptions says of HTTP; and `proxy`, unless
  /// there is a Unix socket to connect to. Names are asked of `resolver`; without one libcurl resolves
  /// them. Throws std::runtime_error if libcurl cannot be set up.
  HttpTransport(const ExporterOptions& options, std::string_view content_type,
                const Proxy& proxy = {}, std::shared_ptr<Resolver> resolver = nullptr);

  SendResult Send(const std::string& body, std::size_t spans, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override;
  void AbandonAfterFork() noexcept override;

 private:
  struct Deleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  void MakeTransfer();
  void SetOptions();
  void SetProxy();
  void SetTlsOptions();
  void SetHeaders();
  std::string RefreshCredential();
  std::string CheckTlsFiles() const;
  SendResult Post(const std::string& body, Clock::time_point deadline);
  std::string Words(CURLcode code) const;

  // Callbacks of libcurl.
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) noexcept;
  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) noexcept;
  static int OnBytes(CURL* easy, curl_infotype type, char* data, std::size_t size,
                     void* self) noexcept;
  static int OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept;

  const ExporterOptions options_;
  const Proxy proxy_;
  const std::shared_ptr<Resolver> resolver_;  // or null
  EarliestDeadline interrupt_;
  Sockets sockets_;
  std::string answer_;          // the beginning of the body that came back
  std::size_t bytes_read_ = 0;  // of the answer, as it came
  std::size_t body_size_ = 0;   // of its body, decoded
  std::optional<Gzip> gzip_;
  std::optional<CredentialFile> credential_;
  std::string authorization_;       // what `headers_` has of the credential
  std::vector<std::string> lines_;  // the other headers
  std::unique_ptr<curl_slist, Deleter> headers_;
  std::optional<CurlTransfer> transfer_;  // keeps the connection
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_HTTP_TRANSPORT_H
