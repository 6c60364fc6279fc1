// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/http_transport.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "tracekin/version.h"

namespace tracekin::exporter {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Zipkin's server closes connections that were idle for 15 s.
constexpr long kMaxIdleSeconds = 10;

// libcurl's default is one day. A new file would not be noticed until then.
constexpr long kCaCacheSeconds = 60;

// kAnswerKept is how much of a response body is quoted in messages. kAnswerRead is how much of a
// response is read before the connection is closed. This limit applies to all bytes received
// (status line, headers, body, chunks and trailers), and separately to the body after
// decompression. Normal responses of collectors have a few hundred bytes.
constexpr std::size_t kAnswerKept = 512;
constexpr std::size_t kAnswerRead = 65536;

}  // namespace

HttpTransport::HttpTransport(const ExporterOptions& options, std::string_view content_type,
                             Judge judge, const Proxy& proxy, std::shared_ptr<Resolver> resolver,
                             const std::optional<HttpFiles>& files)
    : options_(options),
      judge_(judge),
      proxy_(proxy),
      resolver_(std::move(resolver)),
      files_(files ? *files : HttpFiles(options)) {
  lines_ = {"Content-Type: " + std::string(content_type),
            "b3: 0",     // do not trace the tracer: b3-propagation asks reporters to send this
            "Expect:"};  // do not wait for a 100 Continue
  for (const auto& [name, value] : options.headers) {
    lines_.emplace_back(name).append(": ").append(value);
  }
  if (options.compression == "gzip") {
    gzip_.emplace();
    lines_.emplace_back("Content-Encoding: gzip");
  }
  answer_.reserve(kAnswerKept);  // because OnBody must not throw
  MakeTransfer();
}

void HttpTransport::MakeTransfer() {
  transfer_.emplace(&sockets_);
  try {
    SetHeaders();
    SetOptions();
    SetProxy();
    SetTlsFiles();
  } catch (...) {
    transfer_.reset();
    throw;
  }
}

void HttpTransport::SetHeaders() {
  std::unique_ptr<curl_slist, Deleter> headers;
  const auto add = [&headers](const std::string& line) {
    curl_slist* list = curl_slist_append(headers.get(), line.c_str());
    if (list == nullptr) throw std::bad_alloc();
    static_cast<void>(headers.release());
    headers.reset(list);
  };
  for (const std::string& line : lines_) add(line);
  if (!authorization_.empty()) add("Authorization: " + authorization_);
  transfer_->Set(CURLOPT_HTTPHEADER, headers.get());
  headers_ = std::move(headers);
}

// Reads the credential file, if there is one, and updates the headers. Returns an error message or
// "".
std::string HttpTransport::RefreshCredential() {
  if (!files_.credential) return {};
  std::string error = files_.credential->Refresh();
  if (!error.empty() || files_.credential->authorization() == authorization_) return error;
  authorization_ = files_.credential->authorization();
  SetHeaders();
  return {};
}

void HttpTransport::SetOptions() {
  const auto set = [this](CURLoption option, auto value) { transfer_->Set(option, value); };
  set(CURLOPT_URL, options_.endpoint.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_USERAGENT, "tracekin/" TRACEKIN_VERSION);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout_ms));
  set(CURLOPT_MAXAGE_CONN, kMaxIdleSeconds);
  set(CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, this);
  // libcurl passes everything that it reads to OnBytes, but only the other callbacks can stop it.
  // It calls OnHeader between two headers or trailers, and OnProgress at least every few hundred
  // KB.
  set(CURLOPT_HEADERFUNCTION, &OnHeader);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_VERBOSE, 1L);
  set(CURLOPT_DEBUGFUNCTION, &OnBytes);
  set(CURLOPT_DEBUGDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
  set(CURLOPT_XFERINFODATA, this);
}

// Always sets both options, because libcurl would look for environment variables otherwise.
void HttpTransport::SetProxy() {
  const bool direct = !options_.unix_socket.empty();
  transfer_->Set(CURLOPT_PROXY, direct ? "" : proxy_.url.c_str());
  transfer_->Set(CURLOPT_NOPROXY, proxy_.exempt.c_str());
  if (direct) transfer_->Set(CURLOPT_UNIX_SOCKET_PATH, options_.unix_socket.c_str());
}

// libcurl reads the files for each new connection, but caches authorities for kCaCacheSeconds.
void HttpTransport::SetTlsFiles() {
  transfer_->Set(CURLOPT_CA_CACHE_TIMEOUT, kCaCacheSeconds);
  if (const auto& file = files_.authorities) {
    SetTlsFile(*file, CURLOPT_CAINFO, CURLOPT_CAINFO_BLOB);
    const bool only_this_file = !options_.ca_file.empty() || !file->error().empty();
    if (only_this_file) transfer_->Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (!files_.certificate) return;
  SetTlsFile(*files_.certificate, CURLOPT_SSLCERT, CURLOPT_SSLCERT_BLOB);
  SetTlsFile(*files_.key, CURLOPT_SSLKEY, CURLOPT_SSLKEY_BLOB);
  // Makes an encrypted key fail. Otherwise, OpenSSL would ask for the password at the terminal.
  transfer_->Set(CURLOPT_KEYPASSWD, "");
}

// Lets libcurl read the file, or passes the last known content if the file cannot be read.
void HttpTransport::SetTlsFile(const KeptFile& file, CURLoption path, CURLoption content) {
  std::string kept = file.content().value_or("");
  curl_blob blob{kept.data(), kept.size(), CURL_BLOB_COPY};
  const bool use_kept = !file.error().empty() && file.content();
  transfer_->Set(path, use_kept ? nullptr : file.path().c_str());
  transfer_->Set(content, use_kept ? &blob : nullptr);
}

// Reads changed files again. Returns an error message or "".
std::string HttpTransport::RefreshTlsFiles() {
  bool changed = false;
  for (std::optional<KeptFile>* file : {&files_.authorities, &files_.certificate, &files_.key}) {
    if (!*file) continue;
    changed = (*file)->Refresh() || changed;
    const bool needed = file != &files_.authorities || !options_.ca_file.empty();
    if (needed && !(*file)->content()) {
      return "cannot read " + (*file)->path() + ": " + (*file)->error();
    }
  }
  if (changed) SetTlsFiles();
  return {};
}

SendResult HttpTransport::Send(const std::string& body, Clock::time_point deadline) {
  if (Clock::now() >= interrupt_.Or(deadline)) {
    return {SendStatus::kFailed, "no time left to send the batch"};
  }
  if (!transfer_ || !transfer_->IsOurs()) MakeTransfer();
  if (std::string error = RefreshCredential(); !error.empty()) {
    return {SendStatus::kFailed, std::move(error)};
  }
  if (std::string error = RefreshTlsFiles(); !error.empty()) {
    return {SendStatus::kFailed, std::move(error)};
  }
  if (std::string error = transfer_->Resolve(resolver_.get(), interrupt_, deadline);
      !error.empty()) {
    return {SendStatus::kFailed, std::move(error)};
  }
  return Post(gzip_ ? gzip_->Compress(body) : body, deadline);
}

SendResult HttpTransport::Post(const std::string& body, Clock::time_point deadline) {
  const Clock::time_point start = Clock::now();
  answer_.clear();
  bytes_read_ = body_size_ = 0;
  transfer_->Set(CURLOPT_POSTFIELDS, body.data());
  transfer_->Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  const std::optional<CURLcode> code = transfer_->Run(interrupt_, deadline);
  long status = 0;
  curl_off_t retry_after = 0;  // seconds from now, from either form of the header
  curl_easy_getinfo(transfer_->easy(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(transfer_->easy(), CURLINFO_RETRY_AFTER, &retry_after);
  transfer_->End();

  // The status counts even if the body fails. A status without any bytes read belongs to the
  // previous request, because the host closed our descriptors before this one began.
  if (bytes_read_ != 0 && status >= 200) return judge_(status, answer_, seconds(retry_after));
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (resolver_) resolver_->Doubt();
  if (code) return {SendStatus::kFailed, Words(*code)};
  const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  return {SendStatus::kFailed, "no response within " + std::to_string(waited.count()) + " ms"};
}

// Returns the message for an error that occurred before there was a response.
std::string HttpTransport::Words(CURLcode code) const {
  if (bytes_read_ <= kAnswerRead) return transfer_->Words(code);
  return "the response is longer than " + std::to_string(kAnswerRead) + " bytes";
}

void HttpTransport::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
}

// The handles are leaked: libcurl would send to the peer, or wait for a lock that was held by a
// thread of the parent.
void HttpTransport::AbandonAfterFork() noexcept { sockets_.CloseAll(); }

std::size_t HttpTransport::OnBody(char* data, std::size_t size, std::size_t count,
                                  void* self) noexcept {
  auto* transport = static_cast<HttpTransport*>(self);
  const std::size_t bytes = size * count;
  std::string& answer = transport->answer_;
  answer.append(data, std::min(bytes, kAnswerKept - answer.size()));
  transport->body_size_ += bytes;
  return transport->body_size_ <= kAnswerRead ? bytes : 0;  // 0 aborts the transfer
}

std::size_t HttpTransport::OnHeader(char* /*data*/, std::size_t size, std::size_t count,
                                    void* self) noexcept {
  return static_cast<HttpTransport*>(self)->bytes_read_ <= kAnswerRead ? size * count : 0;
}

int HttpTransport::OnBytes(CURL* /*easy*/, curl_infotype type, char* /*data*/, std::size_t size,
                           void* self) noexcept {
  if (type == CURLINFO_HEADER_IN || type == CURLINFO_DATA_IN) {
    static_cast<HttpTransport*>(self)->bytes_read_ += size;
  }
  return 0;
}

int HttpTransport::OnProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<HttpTransport*>(self)->bytes_read_ > kAnswerRead ? 1 : 0;  // 1: abort
}

}  // namespace tracekin::exporter
