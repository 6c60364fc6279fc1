// SPDX-License-Identifier: Apache-2.0
// Tests a host that uses libcurl, OpenSSL, Thrift and gRPC itself, together with the plugin, which
// uses the first three as well. Both must work, whether the host uses these libraries as shared
// objects or contains them and exports their symbols. In the latter case the plugin's calls find
// the host's symbols before those of the shared libraries.
#include <curl/curl.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/plugin/host_tls.h"
#include "tests/plugin/host_work.h"
#include "tests/support/fork.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"

#ifdef __SANITIZE_ADDRESS__
// Leaks of c-ares, which gRPC uses to resolve addresses. If it is linked in, its functions identify
// it.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libcares\nleak:ares_\n";
}
#endif

namespace tracekin::testing {
namespace {

using opentracing::DynamicTracingLibraryHandle;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;
using Strings = std::vector<std::string>;

struct Way {
  const char* name;
  const char* format;
  bool https;
};
std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }
constexpr Way kJson{"Json", "json", false};
constexpr Way kThrift{"Thrift", "thrift", false};
constexpr Way kHttps{"Https", "json", true};

void AddNamesOfJson(const std::string& body, Strings* names) {
  const std::string key = R"("name":")";
  for (std::size_t at = body.find(key); at != std::string::npos; at = body.find(key, at)) {
    at += key.size();
    names->push_back(body.substr(at, body.find('"', at) - at));
  }
}

void AddNamesOfThrift(const std::string& body, Strings* names) {
  using namespace apache::thrift::protocol;
  TBinaryProtocol protocol(std::make_shared<apache::thrift::transport::TMemoryBuffer>(
      reinterpret_cast<std::uint8_t*>(const_cast<char*>(body.data())),
      static_cast<std::uint32_t>(body.size())));
  TType type;
  std::uint32_t spans = 0;
  protocol.readListBegin(type, spans);
  for (; spans > 0; --spans) {
    std::string name;
    std::int16_t field = 0;
    while (protocol.readFieldBegin(name, type, field), type != T_STOP) {
      if (field == 3) {
        protocol.readString(names->emplace_back());
      } else {
        protocol.skip(type);
      }
    }
  }
}

/// Accepts spans with each transport, and closes each connection after one request.
class Collector {
 public:
  explicit Collector(const Identity& identity) : front_(identity, server_.port()) {
    std::ofstream(ca_file()) << identity.certificate;
  }

  std::string Configuration(const Way& way) const {
    const std::string host = way.https ? "https://localhost:" + std::to_string(front_.port())
                                       : "http://127.0.0.1:" + std::to_string(server_.port());
    return R"({"service_name": "host", "exporter": {"batch_spans": 100, "flush_interval_ms": 10,)"
           R"("close_timeout_ms": 20000, "ca_file": ")" +
           ca_file() + R"(", "format": ")" + way.format + R"(", "endpoint": ")" + host +
           R"(/spans"}})";
  }

  /// Returns the names of all spans that have arrived, sorted.
  Strings Names() const {
    Strings names;
    for (const std::string& request : server_.requests()) {
      const std::size_t body = request.find("\r\n\r\n") + 4;
      const bool thrift = request.find("application/x-thrift") < body;
      (thrift ? AddNamesOfThrift : AddNamesOfJson)(request.substr(body), &names);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string ca_file() const { return folder_.path() + "/ca.pem"; }

  static void Take(FaultServer::Connection& connection) {
    connection.Answer("202 Accepted", {}, "Connection: close\r\n");
    connection.Close();
  }

  const TempFolder folder_;
  const FaultServer server_{&Take};
  const TlsFront front_;
};

class Plugin {
 public:
  explicit Plugin(const std::string& configuration) {
    std::string message;
    auto handle = opentracing::DynamicallyLoadTracingLibrary(TRACEKIN_PLUGIN, message);
    if (!handle) throw std::runtime_error(message);
    handle_ = std::make_unique<DynamicTracingLibraryHandle>(std::move(*handle));
    auto tracer = handle_->tracer_factory().MakeTracer(configuration.c_str(), message);
    if (!tracer) throw std::runtime_error(message);
    tracer_ = *tracer;
  }

  /// Makes spans for a fifth of a second, named `name` and a number.
  void MakeSpans(const std::string& name) const {
    for (int i = 0; i < kSpans; ++i) {
      tracer_->StartSpan(name + std::to_string(i))->SetTag("number", i);
      if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void MakeSpan() const { tracer_->StartSpan("span"); }

  /// Returns the names that MakeSpans generated for each of `names`, sorted.
  static Strings NamesOf(const Strings& names) {
    Strings all;
    for (const std::string& name : names) {
      for (int i = 0; i < kSpans; ++i) all.push_back(name + std::to_string(i));
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  void Close() const { tracer_->Close(); }

 private:
  static constexpr int kSpans = 1000;
  std::unique_ptr<DynamicTracingLibraryHandle> handle_;
  std::shared_ptr<opentracing::Tracer> tracer_;
};

// Returns the lines of `log` except the first lines of tracers, which describe them.
std::string Complaints(const std::string& log) {
  std::string complaints;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": version ") == std::string::npos) complaints += line + '\n';
  }
  return complaints;
}

class HostTest : public ::testing::Test {
 protected:
  HostTest() {
    setenv("no_proxy", "*", 1);
    CaptureStderr();
    curl_global_init(CURL_GLOBAL_DEFAULT);
  }
  ~HostTest() override {
    curl_global_cleanup();
    EXPECT_EQ(Complaints(GetCapturedStderr()), "");
  }

  void ExpectArrived(const Strings& names) const {
    const Strings arrived = collector_.Names(), made = Plugin::NamesOf(names);
    EXPECT_EQ(arrived.size(), made.size());
    EXPECT_TRUE(arrived == made);
  }

  const Identity identity_ = MakeIdentity();
  const Collector collector_{identity_};
};

class HostWayTest : public HostTest, public ::testing::WithParamInterface<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, HostWayTest, ::testing::Values(kJson, kThrift, kHttps),
                         [](const auto& way) { return std::string(way.param.name); });

const void* ObjectAt(const void* address) {
  Dl_info info = {};
  dladdr(address, &info);
  return info.dli_fbase;
}

// If this test fails, the results of the other tests are meaningless.
TEST(HostLibraries, AreFoundWhereTheyShouldBe) {
  const void* const program = ObjectAt(reinterpret_cast<const void*>(&ObjectAt));
  for (const char* symbol : {"SSL_CTX_new", "EVP_DigestInit_ex", "grpc_init", "inflate",
                             "_ZN6apache6thrift9transport13TMemoryBuffer8readSlowEPhj"}) {
    const void* const address = dlsym(RTLD_DEFAULT, symbol);
    ASSERT_NE(address, nullptr) << symbol;
    EXPECT_EQ(ObjectAt(address) == program, TRACEKIN_STATIC_HOST) << symbol;
  }
}

TEST_P(HostWayTest, WorksBeforeDuringAndAfterTheExport) {
  const Host host(identity_);
  host.Work();
  {
    const Plugin plugin(collector_.Configuration(GetParam()));
    host.WorkDuring([&] { plugin.MakeSpans("span"); });
    plugin.Close();
  }
  host.Work();
  ExpectArrived({"span"});
}

TEST_P(HostWayTest, EndsWithTheTracerOpen) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  const pid_t child = fork();
  if (child == 0) {
    OpensslWork{identity_}();
    const Plugin plugin(collector_.Configuration(GetParam()));
    plugin.MakeSpans("span");
    std::exit(HasFailure() ? 1 : 0);
  }
  EXPECT_EQ(AwaitChild(child), 0);
  ExpectArrived({"span"});
}

// A host may give libcurl its own allocator only if nothing else in the process uses libcurl,
// because other users allocate their memory elsewhere.
std::atomic<int> own_allocations{0};
CURLcode InitialiseCurlWithOwnAllocator() {
  return curl_global_init_mem(
      CURL_GLOBAL_DEFAULT, [](std::size_t size) { return ++own_allocations, std::malloc(size); },
      &std::free, &std::realloc, &strdup, &std::calloc);
}

TEST_P(HostWayTest, GivesUpLibcurlAndTakesItAgain) {
  {
    const Plugin plugin(collector_.Configuration(GetParam()));
    plugin.MakeSpans("before");
    curl_global_cleanup();
    plugin.MakeSpans("after");
    EXPECT_EQ(InitialiseCurlWithOwnAllocator(), CURLE_OK);
    const Host host(identity_);
    host.Work();
    plugin.MakeSpans("again");
    plugin.Close();
  }
  EXPECT_EQ(own_allocations, 0);
  ExpectArrived({"before", "after", "again"});
}

// In all fork tests the child does not use gRPC, which supports that only if its environment
// enables it.

TEST_F(HostTest, ForksWhileItWorks) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  const Host host(identity_);
  const Plugin json(collector_.Configuration(kJson)), thrift(collector_.Configuration(kThrift));
  const auto make_spans = [&](const std::string& process) {
    json.MakeSpans(process + " json");
    thrift.MakeSpans(process + " thrift");
  };
  Strings names;
  host.WorkDuring([&] {
    for (const char* turn : {"1", "2", "3"}) {
      const std::string child = std::string("child ") + turn;
      const std::string parent = std::string("parent ") + turn;
      InFork([&] {
        make_spans(child);
        json.Close();
        thrift.Close();
      });
      make_spans(parent);
      for (const std::string& process : {child, parent}) {
        names.insert(names.end(), {process + " json", process + " thrift"});
      }
    }
  });
  json.Close();
  thrift.Close();
  host.Work();
  ExpectArrived(names);
}

/// A Collector in another process, so that its handshakes do not run in this one. It only receives.
class CollectorProcess {
 public:
  explicit CollectorProcess(const Identity& identity) {
    int from[2], until[2];
    if (pipe(from) != 0 || pipe(until) != 0) throw std::runtime_error("pipe");
    child_ = fork();
    if (child_ == 0) {
      close(until[1]);
      _exit(Serve(identity, from[1], until[0]) ? 0 : 1);
    }
    close(from[1]);
    close(until[0]);
    until_ = until[1];
    char bytes[1000];
    for (ssize_t size; (size = read(from[0], bytes, sizeof bytes)) > 0;) {
      configuration_.append(bytes, static_cast<std::size_t>(size));
    }
    close(from[0]);
  }
  ~CollectorProcess() {
    close(until_);
    AwaitChild(child_);
  }
  CollectorProcess(const CollectorProcess&) = delete;
  CollectorProcess& operator=(const CollectorProcess&) = delete;

  const std::string& configuration() const { return configuration_; }

 private:
  /// Writes the configuration to one pipe and ends when the other is closed.
  static bool Serve(const Identity& identity, int to, int until) {
    const Collector collector(identity);
    const std::string configuration = collector.Configuration(kHttps);
    const auto size = static_cast<ssize_t>(configuration.size());
    const bool said = write(to, configuration.data(), configuration.size()) == size;
    close(to);
    char byte;
    return read(until, &byte, 1) == 0 && said;
  }

  pid_t child_ = -1;
  int until_ = -1;
  std::string configuration_;
};

// A child that inherits a lock of OpenSSL, held by another thread at the fork, can never send.
// Forks must wait for the exporters to prevent this. TRACEKIN_FORKS sets the number of forks.
TEST_F(HostTest, ForksAmidThePluginsHandshakes) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  const CollectorProcess collector(identity_);
  ASSERT_NE(collector.configuration(), "");
  std::vector<std::unique_ptr<Plugin>> plugins;
  for (int i = 0; i < 6; ++i)
    plugins.push_back(std::make_unique<Plugin>(collector.configuration()));
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      for (const auto& plugin : plugins) plugin->MakeSpan();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const char* const asked = std::getenv("TRACEKIN_FORKS");
  for (int forks = asked == nullptr ? 50 : std::atoi(asked); forks > 0 && !HasFailure(); --forks) {
    InFork([&] {
      plugins[0]->MakeSpan();
      const auto start = std::chrono::steady_clock::now();
      plugins[0]->Close();  // immediately, unless the span cannot be sent
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    });
  }
  stop = true;
  busy.join();
}

// OpenSSL does not reinitialise its locks in a child: a lock that another thread held at the fork,
// for example in a handshake, is held forever. Therefore no thread may be in OpenSSL at the fork.
TEST_F(HostTest, ForksBetweenHandshakes) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  const Host host(identity_);
  const Plugin https(collector_.Configuration(kHttps));
  host.WorkDuring([&] { https.MakeSpans("before"); });
  EXPECT_TRUE(Eventually([&] { return collector_.Names() == Plugin::NamesOf({"before"}); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the connection closes
  InFork([&] {
    https.MakeSpans("child");
    OpensslWork{identity_}();
    https.Close();
  });
  host.WorkDuring([&] { https.MakeSpans("parent"); });
  https.Close();
  ExpectArrived({"before", "child", "parent"});
}

}  // namespace
}  // namespace tracekin::testing
