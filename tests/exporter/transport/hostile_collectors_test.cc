// SPDX-License-Identifier: Apache-2.0
// Tests a whole tracer against collectors that answer maliciously. Each row of the table is an
// answer, and the same checks apply to all. They must not cost time, memory or CPU, and every span
// must be accounted for. Requests must not be redirected, and data planted by the collector must
// not be sent back. Log lines must not contain characters that control a terminal, and an answer
// must not be taken for that of the next request.
//
// The tracer's host is a child of the test, so that its resource use can be measured. The collector
// is in the test's own process.
//
// There are 40 random answers, or TRACEKIN_ATTACK times as many; TRACEKIN_SEED seeds them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/attack.h"
#include "tests/support/fork.h"
#include "tests/support/seed.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using Connection = FaultServer::Connection;
using Act = std::function<void(Connection&)>;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFaults = 2;  // requests that get the row's answer; later ones get a good one
constexpr int kBatches = 3;
constexpr int kBatchSpans = 1;  // so that a refused batch is not divided
constexpr std::uint64_t kSpans = kBatches * kBatchSpans;
constexpr auto kTimeout = 1s;  // time limit of a request

constexpr std::size_t kMemory = 12 << 20;  // the allowed increase
constexpr auto kCpu = 600ms;  // limit for both requests; a busy loop would use kFaults * kTimeout

/// The result for the batches.
enum class Outcome {
  kAccepted,  // the row's answer is an acknowledgement
  kRejected,  // the row's batches are dropped, the others exported
  kFailed,    // sent again and then exported
  kWaiting,   // the collector asks to wait
  kAny,
};

struct Row {
  std::string name;
  Outcome outcome;
  Act act;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

/// Sends `text` and closes.
Act Says(const std::string& text) {
  return [text](Connection& c) {
    c.Write(text);
    c.Close();
  };
}

/// Sends `text` and keeps the connection open.
Act Keeps(const std::string& text) {
  return [text](Connection& c) { c.Write(text); };
}

/// Sends `begin`, and then `part` until the peer closes.
Act Endless(const std::string& begin, const std::string& part) {
  return [begin, part](Connection& c) {
    std::string block;
    while (block.size() < 100000) block += part;
    c.Write(begin);
    while (c.Write(block)) {
    }
    c.Close();
  };
}

/// Sends `begin`, and then `part` every `interval_ms`.
Act Drips(const std::string& begin, const std::string& part, int interval_ms) {
  return [=](Connection& c) {
    c.Write(begin);
    while (!c.WaitForPeer(interval_ms) && c.Write(part)) {
    }
    c.Close();
  };
}

std::string Answer(const std::string& status, const std::string& headers = {},
                   const std::string& body = {}) {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string Gzipped(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Bomb(const std::string& encoding, bool twice) {
  std::string body = Gzipped(std::string(32 << 20, '\0'));
  if (twice) body = Gzipped(body);
  return "HTTP/1.1 202 A\r\n" + encoding + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string Authenticate(const std::string& status, const std::string& header) {
  return Answer(status, header + ": NTLM\r\n" + header + ": Negotiate\r\n" + header +
                            ": Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n" + header +
                            ": Basic realm=\"r\"\r\n");
}

/// Returns a valid answer in which some bytes were changed, removed or repeated.
std::string Mutated(std::mt19937_64* random) {
  std::string text =
      (*random)() % 2 == 0
          ? Answer("202 Accepted", "Retry-After: 1\r\nConnection: keep-alive\r\n", "ok")
          : "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n"s;
  for (std::uint64_t i = 0, count = 1 + (*random)() % 8; i < count; ++i) {
    const std::size_t at = (*random)() % text.size();
    switch ((*random)() % 4) {
      case 0:
        text[at] = static_cast<char>((*random)());
        break;
      case 1:
        text.erase(at, 1 + (*random)() % 8);
        break;
      case 2:
        text.insert(at, text.substr((*random)() % text.size(), 1 + (*random)() % 16));
        break;
      default:
        text.insert(at, 1 + (*random)() % 300, text[at]);
    }
    if (text.empty()) return "\r\n";
  }
  return text;
}

std::vector<Row> Rows() {
  const std::string kChunked = "HTTP/1.1 202 A\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string kLong(200000, 'x');
  std::vector<Row> rows = {
      {"Informational", Outcome::kFailed, Endless("", "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n")},
      {"Continue", Outcome::kFailed, Endless("", "HTTP/1.1 100 Continue\r\n\r\n")},
      {"Headers", Outcome::kAccepted, Endless("HTTP/1.1 202 A\r\n", "X-T: y\r\n")},
      {"HeadersOfAnError", Outcome::kFailed, Endless("HTTP/1.1 503 A\r\n", "X-T: y\r\n")},
      {"HeaderLine", Outcome::kAccepted, Endless("HTTP/1.1 202 A\r\nX: ", "y")},
      {"HeaderName", Outcome::kAccepted, Endless("HTTP/1.1 202 A\r\n", "y")},
      {"FoldedHeader", Outcome::kAccepted, Endless("HTTP/1.1 202 A\r\nX: y\r\n", " y\r\n")},
      {"StatusLine", Outcome::kAny, Endless("HTTP/1.1 202 ", "y")},
      {"BlankLines", Outcome::kFailed, Endless("", "\r\n")},
      {"Body", Outcome::kAccepted, Endless("HTTP/1.1 202 A\r\n\r\n", "y")},
      {"BodyOfAnError", Outcome::kRejected, Endless("HTTP/1.1 400 A\r\n\r\n", "y")},
      {"Chunks", Outcome::kAccepted, Endless(kChunked, "1\r\ny\r\n")},
      {"ChunkSize", Outcome::kAccepted, Endless(kChunked, "0")},
      {"ChunkExtension", Outcome::kAccepted, Endless(kChunked + "1;", "y")},
      {"ChunkExtensions", Outcome::kAccepted, Endless(kChunked, "1;a=b\r\ny\r\n")},
      {"Trailers", Outcome::kAccepted, Endless(kChunked + "0\r\n", "X-T: y\r\n")},
      {"TrailerLine", Outcome::kAccepted, Endless(kChunked + "0\r\nX-T: ", "y")},
      {"TrailersOfAnError", Outcome::kFailed,
       Endless("HTTP/1.1 503 A\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-T: y\r\n")},
      {"NegativeLength", Outcome::kAny, Says("HTTP/1.1 202 A\r\nContent-Length: -1\r\n\r\n")},
      {"HugeLength", Outcome::kAccepted,
       Says("HTTP/1.1 202 A\r\nContent-Length: 9223372036854775807\r\n\r\nabc")},
      {"OverflowingLength", Outcome::kAny,
       Says("HTTP/1.1 202 A\r\nContent-Length: 99999999999999999999999\r\n\r\n")},
      {"TwoLengths", Outcome::kAny,
       Says("HTTP/1.1 202 A\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nabcde")},
      {"HugeChunk", Outcome::kAccepted, Says(kChunked + "7FFFFFFFFFFFFFFF\r\nabc")},
      {"OverflowingChunk", Outcome::kAccepted, Says(kChunked + "FFFFFFFFFFFFFFFFFFFFFF\r\nabc")},
      {"NegativeChunk", Outcome::kAccepted, Says(kChunked + "-1\r\nabc")},
      {"GzipContent", Outcome::kAccepted, Says(Bomb("Content-Encoding: gzip", false))},
      {"GzipContentTwice", Outcome::kAccepted, Says(Bomb("Content-Encoding: gzip, gzip", true))},
      {"GzipTransfer", Outcome::kAccepted, Says(Bomb("Transfer-Encoding: gzip", false))},
      {"GzipTransferTwice", Outcome::kAccepted, Says(Bomb("Transfer-Encoding: gzip, gzip", true))},
      {"ManyEncodings", Outcome::kAny,
       Says("HTTP/1.1 202 A\r\nTransfer-Encoding: gzip" +
            [] {
              std::string more;
              for (int i = 0; i < 1000; ++i) more += ", gzip";
              return more;
            }() +
            "\r\n\r\nabc")},
      {"Redirect", Outcome::kFailed, Keeps(Answer("302 Found", "Location: /elsewhere\r\n"))},
      {"PermanentRedirect", Outcome::kFailed,
       Keeps(Answer("308 Permanent", "Location: /elsewhere\r\nRefresh: 0; url=/elsewhere\r\n"))},
      {"AltSvc", Outcome::kAccepted,
       Keeps(Answer("202 A", "Alt-Svc: h3=\":1\", h2=\":1\"; persist=1\r\n"))},
      {"Unauthorized", Outcome::kFailed, Keeps(Authenticate("401 U", "WWW-Authenticate"))},
      {"ProxyAuthentication", Outcome::kRejected,
       Keeps(Authenticate("407 P", "Proxy-Authenticate"))},
      {"SwitchingProtocols", Outcome::kFailed,
       Says("HTTP/1.1 101 S\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + kLong)},
      {"Http09", Outcome::kFailed, Says("<html>welcome</html>")},
      {"Http10", Outcome::kAccepted, Says("HTTP/1.0 202 A\r\n\r\nfine")},
      {"Http2", Outcome::kFailed,
       Says("\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64"s + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")},
      {"Http3Version", Outcome::kFailed, Says("HTTP/3.7 202 A\r\n\r\n")},
      {"StatusZero", Outcome::kAny, Says("HTTP/1.1 000 A\r\n\r\n")},
      {"StaleRefusal", Outcome::kAccepted,
       Keeps(Answer("202 A") + Answer("400 stale", "", "stale"))},
      {"StaleAcceptance", Outcome::kRejected, Keeps(Answer("400 no") + Answer("202 stale"))},
      {"StaleBytes", Outcome::kAccepted, Keeps(Answer("202 A") + "\r\n\r\nHTTP/1.1 400 stale\r\n")},
      {"Cookies", Outcome::kFailed,
       Keeps(Answer("503 S", "Set-Cookie: a=b; Path=/\r\nSet-Cookie2: c=d\r\n"))},
      {"HugeCookie", Outcome::kFailed,
       Keeps(Answer("503 S", "Set-Cookie: a=" + kLong.substr(9000) + "\r\n"))},
      {"StrictTransport", Outcome::kFailed,
       Keeps(Answer("503 S", "Strict-Transport-Security: max-age=31536000\r\n"))},
      {"RetryAfterNever", Outcome::kWaiting,
       Keeps(Answer("503 S", "Retry-After: 99999999999999\r\n"))},
      {"RetryAfterDate", Outcome::kWaiting,
       Keeps(Answer("429 S", "Retry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\n"))},
      {"RetryAfterPast", Outcome::kFailed,
       Keeps(Answer("503 S", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"))},
      {"RetryAfterNegative", Outcome::kFailed, Keeps(Answer("503 S", "Retry-After: -1\r\n"))},
      {"RetryAfterNonsense", Outcome::kFailed, Keeps(Answer("503 S", "Retry-After: \x1B[2J\r\n"))},
      {"DrippingStatus", Outcome::kFailed, Drips("HTTP/1.1 20", "", 100)},
      {"DrippingHeaders", Outcome::kAny, Drips("HTTP/1.1 100 C\r\n", "X: y\r\n", 20)},
      {"DrippingBody", Outcome::kAccepted,
       Drips("HTTP/1.1 202 A\r\nContent-Length: 100000\r\n\r\n", "x", 20)},
      {"DrippingTrailers", Outcome::kAccepted, Drips(kChunked + "0\r\n", "X: y\r\n", 20)},
      {"Silence", Outcome::kFailed,
       [](Connection& c) {
         c.WaitForPeer();
         c.Close();
       }},
      {"Reset", Outcome::kFailed, [](Connection& c) { c.Reset(); }},
      {"ResetInTheAnswer", Outcome::kAccepted,
       [](Connection& c) {
         c.Write("HTTP/1.1 202 A\r\nContent-Length: 9\r\n\r\nx");
         c.Reset();
       }},
      {"EscapesInTheBody", Outcome::kRejected,
       Keeps(Answer("400 B", "",
                    "\x1B[2J\x1B]0;title\x07 \u202Egnp.exe\u2066\u200F \xC2\x9B"
                    "31m\r\nforged line\x7F"))},
      {"EscapesInTheReason", Outcome::kRejected, Keeps(Answer("400 \x1B[31m\u202E"))},
      {"NulBytes", Outcome::kAny, Says("HTTP/1.1 202 \0A\r\nX\0: y\r\n\r\n\0\0\0"s)},
  };
  const auto random = std::make_shared<std::mt19937_64>(Seed(23));
  for (int i = 0; i < Attacks(40); i += 10) {
    rows.push_back({"Mutated" + std::to_string(i), Outcome::kAny,
                    [random](Connection& c) { Says(Mutated(random.get()))(c); }});
  }
  return rows;
}

/// Answers the first requests with the row's answer, and all others with success.
class HostileCollector {
 public:
  explicit HostileCollector(const Row& row)
      : faults_(row.name.rfind("Mutated", 0) == 0 ? 10 : kFaults),
        row_(row),
        server_([this](Connection& c) { faults_-- > 0 ? row_.act(c) : c.Answer("202 Accepted"); }) {
  }

  std::string url() const { return server_.url(); }
  std::vector<std::string> requests() const { return server_.requests(); }

 private:
  std::atomic<int> faults_;
  const Row row_;
  FaultServer server_;  // last, because its thread uses the others
};

std::size_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoul(line.substr(6)) << 10;
  }
  return 0;
}

std::chrono::microseconds CpuTime() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto time = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

/// Expects neither control characters nor characters that change the text direction.
void ExpectHarmless(const std::string& line) {
  for (const char c : line) EXPECT_FALSE((c >= 0 && c < ' ') || c == 0x7F) << line;
  for (const char* turns :
       {"\xC2\x9B", "\u200E", "\u200F", "\u2028", "\u202A", "\u202E", "\u2066"}) {
    EXPECT_THAT(line, Not(HasSubstr(turns)));
  }
}

/// A program with a tracer that continues to work while the collector is hostile.
class Host {
 public:
  explicit Host(const std::string& url) {
    Options options;
    options.service_name = "host";
    options.exporter.endpoint = url;
    options.exporter.batch_spans = kBatchSpans;
    options.exporter.flush_interval_ms = 10;
    options.exporter.timeout_ms = std::chrono::milliseconds(kTimeout).count();
    options.exporter.retry_backoff_ms = 10;
    options.exporter.retry_max_backoff_ms = 20;
    options.exporter.retry_max_tries = 1000;
    options.exporter.close_timeout_ms = 1000;
    options.logger = [this](LogLevel, const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    };
    std::string error;
    tracer_ = MakeTracer(options, &error);
    EXPECT_NE(tracer_, nullptr) << error;
  }

  void FinishSpans(Outcome outcome) {
    for (int batch = 0; batch < kBatches; ++batch) {
      for (int i = 0; i < kBatchSpans; ++i) tracer_->StartSpan("a");
      tracer_->Flush(30s);
    }
    if (outcome == Outcome::kWaiting || outcome == Outcome::kAny) return;
    EXPECT_TRUE(Eventually([&] {
      const Counters counters = tracer_->counters();
      return counters.exported + counters.TotalDropped() == kSpans;
    }));
  }

  Counters Close() {
    tracer_->Close();
    return tracer_->counters();
  }

  void ExpectHarmlessLog() const {
    const std::lock_guard lock(mutex_);
    for (const std::string& line : lines_) ExpectHarmless(line);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::shared_ptr<Tracer> tracer_;  // destroyed first
};

void ExpectOutcome(Outcome outcome, const Counters& counters) {
  EXPECT_EQ(counters.started, kSpans);
  EXPECT_EQ(counters.open + counters.queued + counters.in_flight, 0u);
  EXPECT_EQ(counters.exported + counters.TotalDropped(), kSpans);
  switch (outcome) {
    case Outcome::kAccepted:
    case Outcome::kFailed:
      EXPECT_EQ(counters.exported, kSpans);
      break;
    case Outcome::kRejected:
      EXPECT_EQ(counters.dropped.rejected, static_cast<std::uint64_t>(kFaults * kBatchSpans));
      EXPECT_EQ(counters.exported, static_cast<std::uint64_t>((kBatches - kFaults) * kBatchSpans));
      break;
    case Outcome::kWaiting:
      EXPECT_EQ(counters.exported + counters.dropped.closed, kSpans);
      break;
    case Outcome::kAny:
      break;
  }
}

class HostileCollectors : public ::testing::TestWithParam<Row> {};

INSTANTIATE_TEST_SUITE_P(All, HostileCollectors, ::testing::ValuesIn(Rows()),
                         [](const auto& test) { return test.param.name; });

TEST_P(HostileCollectors, CostNothingButTheirSpans) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const Outcome outcome = GetParam().outcome;
  HostileCollector collector(GetParam());
  const Stopwatch watch;
  InFork([&] {
    [[maybe_unused]] const std::size_t memory = PeakMemory();
    Host host(collector.url());
    host.FinishSpans(outcome);
    ExpectOutcome(outcome, host.Close());
    host.ExpectHarmlessLog();
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer needs more of both
    EXPECT_LE(PeakMemory() - memory, kMemory);
    EXPECT_LE(CpuTime() / 1ms, kCpu / 1ms);
#endif
  });
  EXPECT_LE(watch.elapsed(), 20s);
  for (const std::string& request : collector.requests()) {
    EXPECT_THAT(request, AllOf(HasSubstr("POST /api/v2/spans "), Not(HasSubstr("elsewhere")),
                               Not(HasSubstr("\r\nCookie")), Not(HasSubstr("uthorization:"))));
  }
  const std::size_t requests = collector.requests().size();
  if (outcome == Outcome::kAccepted || outcome == Outcome::kRejected) {
    EXPECT_EQ(requests, static_cast<std::size_t>(kBatches))
        << "what has an answer is not sent again";
  } else if (outcome == Outcome::kFailed) {
    EXPECT_GE(requests, static_cast<std::size_t>(kBatches + kFaults));
  }
}

}  // namespace
}  // namespace tracekin::testing
