#include "exporter/http_transport.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "exporter/curl.h"
#include "exporter/http_answer.h"

namespace tracekin {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Zipkin's server closes connections that were idle for 15 s.
constexpr long kMaxIdleSeconds = 10;

// libcurl's own are a day: so long a new file would not be seen.
constexpr long kCaCacheSeconds = 60;

// Of an answer's body so much is kept for the message, and so much is read before the connection is
// given up: a collector's own answers have a few hundred bytes.
constexpr std::size_t kAnswerKept = 512;
constexpr std::size_t kAnswerRead = 65536;

// curl_multi_poll counts in int; libcurl itself knows when it has something to do.
constexpr milliseconds kLongestWait{60000};

}  // namespace

HttpTransport::HttpTransport(const ExporterOptions& options, std::string_view content_type) {
  const CurlAtWork at_work;
  InitialiseCurl();
  multi_.reset(curl_multi_init());
  easy_.reset(curl_easy_init());
  if (!multi_ || !easy_) throw std::runtime_error("libcurl: no handle");
  lines_ = {"Content-Type: " + std::string(content_type),
            "b3: 0",     // do not trace the tracer: b3-propagation asks reporters to say so
            "Expect:"};  // do not wait for a 100 Continue
  for (const auto& [name, value] : options.headers) {
    lines_.emplace_back(name).append(": ").append(value);
  }
  if (options.compression == "gzip") {
    gzip_.emplace();
    lines_.emplace_back("Content-Encoding: gzip");
  }
  if (!options.bearer_file.empty()) {
    credential_.emplace(CredentialFile::Scheme::kBearer, options.bearer_file);
  } else if (!options.basic_file.empty()) {
    credential_.emplace(CredentialFile::Scheme::kBasic, options.basic_file);
  }
  SetHeaders();
  SetOptions(options);
  SetTlsOptions(options);
  answer_.reserve(kAnswerKept);  // for OnBody must not throw
}

HttpTransport::~HttpTransport() {
  const CurlAtWork at_work;
  easy_.reset();
  multi_.reset();
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
  CheckCurl(curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers.get()));
  headers_ = std::move(headers);
}

// What is wrong with the credential's file, if there is one; else the headers have what it holds.
std::string HttpTransport::RefreshCredential() {
  if (!credential_) return {};
  std::string error = credential_->Refresh();
  if (!error.empty() || credential_->authorization() == authorization_) return error;
  authorization_ = credential_->authorization();
  SetHeaders();
  return {};
}

void HttpTransport::SetOptions(const ExporterOptions& options) {
  const auto set = [this](CURLoption option, auto value) {
    CheckCurl(curl_easy_setopt(easy_.get(), option, value));
  };
  set(CURLOPT_URL, options.endpoint.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_USERAGENT, "tracekin/" TRACEKIN_VERSION);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout_ms));
  set(CURLOPT_MAXAGE_CONN, kMaxIdleSeconds);
  set(CURLOPT_NOSIGNAL, 1L);    // signals are the host's
  set(CURLOPT_QUICK_EXIT, 1L);  // no waiting for a name server beyond the deadline
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &OnOpen);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_CLOSESOCKETFUNCTION, &OnClose);
  set(CURLOPT_CLOSESOCKETDATA, this);
  if (options.unix_socket.empty()) return;
  set(CURLOPT_UNIX_SOCKET_PATH, options.unix_socket.c_str());
  set(CURLOPT_PROXY, "");
}

// Files are read for each new connection, those of authorities with a memory of kCaCacheSeconds.
void HttpTransport::SetTlsOptions(const ExporterOptions& options) {
  const auto set = [this](CURLoption option, auto value) {
    CheckCurl(curl_easy_setopt(easy_.get(), option, value));
  };
  set(CURLOPT_CA_CACHE_TIMEOUT, kCaCacheSeconds);
  if (!options.ca_file.empty()) {
    set(CURLOPT_CAINFO, options.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // these and no others
  }
  if (options.client_certificate.empty()) return;
  const std::string& key =
      options.client_key.empty() ? options.client_certificate : options.client_key;
  set(CURLOPT_SSLCERT, options.client_certificate.c_str());
  set(CURLOPT_SSLKEY, key.c_str());
  // An encrypted key then fails, rather than that OpenSSL asks at the terminal.
  set(CURLOPT_KEYPASSWD, "");
}

SendResult HttpTransport::Send(const std::string& body, std::size_t /*spans*/,
                               Clock::time_point deadline) {
  const Clock::time_point start = Clock::now();
  if (start >= interrupt_.Or(deadline)) return {SendStatus::kFailed, "no time left to send it"};
  if (std::string error = RefreshCredential(); !error.empty()) {
    return {SendStatus::kFailed, std::move(error)};
  }
  const std::string& sent = gzip_ ? gzip_->Compress(body) : body;
  answer_.clear();
  answer_size_ = 0;
  error_[0] = 0;
  curl_easy_setopt(easy_.get(), CURLOPT_POSTFIELDS, sent.data());
  curl_easy_setopt(easy_.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(sent.size()));
  const CURLMcode added = curl_multi_add_handle(multi_.get(), easy_.get());
  if (added != CURLM_OK) return {SendStatus::kFailed, curl_multi_strerror(added)};

  const std::optional<CURLcode> code = Run(deadline);
  long status = 0;
  curl_off_t retry_after = 0;  // of either form, in seconds from now
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &retry_after);
  {
    const CurlAtWork at_work;
    curl_multi_remove_handle(multi_.get(), easy_.get());
  }

  // Whatever becomes of its body, an answer is an answer.
  if (status >= 200) return JudgeAnswer(status, answer_, seconds(retry_after));
  if (code) return {SendStatus::kFailed, Words(*code)};
  const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  return {SendStatus::kFailed, "no answer within " + std::to_string(waited.count()) + " ms"};
}

bool HttpTransport::Perform() noexcept {
  const CurlAtWork at_work;
  int running = 0;
  return curl_multi_perform(multi_.get(), &running) == CURLM_OK;
}

// How the request ended, or nothing if its time was up first.
std::optional<CURLcode> HttpTransport::Run(Clock::time_point deadline) noexcept {
  for (;;) {
    if (!Perform()) return CURLE_FAILED_INIT;
    int more = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &more);
    if (message != nullptr) return message->data.result;

    const auto left = interrupt_.Or(deadline) - Clock::now();
    if (left <= left.zero()) return std::nullopt;
    const auto wait = std::min(std::chrono::ceil<milliseconds>(left), kLongestWait);
    if (curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(wait.count()), nullptr) !=
        CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
}

// What went wrong before there was an answer. libcurl's texts name the host, never the user or
// password.
std::string HttpTransport::Words(CURLcode code) const {
  std::string words = OneLine(error_[0] != 0 ? error_.data() : curl_easy_strerror(code));
  long error = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &error);
  if (error != 0) words += ": " + std::generic_category().message(static_cast<int>(error));
  return words;
}

void HttpTransport::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
  curl_multi_wakeup(multi_.get());
}

// The handles are leaked: libcurl would speak to the peer, or wait for a lock that no thread holds
// here.
void HttpTransport::AbandonAfterFork() noexcept { sockets_.CloseAll(); }

curl_socket_t HttpTransport::OnOpen(void* self, curlsocktype /*purpose*/,
                                    curl_sockaddr* address) noexcept {
  const int descriptor = static_cast<HttpTransport*>(self)->sockets_.Open(
      address->family, address->socktype, address->protocol);
  return descriptor == -1 ? CURL_SOCKET_BAD : descriptor;
}

int HttpTransport::OnClose(void* self, curl_socket_t descriptor) noexcept {
  static_cast<HttpTransport*>(self)->sockets_.Close(descriptor);
  return 0;
}

std::size_t HttpTransport::OnBody(char* data, std::size_t size, std::size_t count,
                                  void* self) noexcept {
  auto* transport = static_cast<HttpTransport*>(self);
  const std::size_t bytes = size * count;
  std::string& answer = transport->answer_;
  answer.append(data, std::min(bytes, kAnswerKept - answer.size()));
  transport->answer_size_ += bytes;
  return transport->answer_size_ <= kAnswerRead ? bytes : 0;  // 0 ends the transfer
}

}  // namespace tracekin
