// SPDX-License-Identifier: Apache-2.0
// Tests the names of collectors: which thread resolves them, and what happens when that is no
// longer possible.
//
// Calls of getaddrinfo() first look in a table of this test.
#include "exporter/transport/resolver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include "exporter/encoding/zipkin_answer.h"
#include "exporter/transport/http_transport.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/support/fork.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace {

using GetAddrInfo = int (*)(const char*, const char*, const struct addrinfo*, struct addrinfo**);

// The test's names, each with the address that replaces it, with "" if it fails, or with "hang". In
// a forked child no other thread holds the lock, because only the test's own thread forks.
std::mutex names_mutex;
std::map<std::string, std::string> names;
std::set<std::string> askers;  // names of threads
std::size_t questions_asked = 0;

std::optional<std::string> Lookup(const char* node) {
  const std::lock_guard<std::mutex> lock(names_mutex);
  const auto found = names.find(node == nullptr ? "" : node);
  if (found == names.end()) return std::nullopt;
  char thread[16] = "";
  pthread_getname_np(pthread_self(), thread, sizeof thread);
  askers.insert(thread);
  ++questions_asked;
  return found->second;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node,
                                                                  const char* service,
                                                                  const struct addrinfo* hints,
                                                                  struct addrinfo** result) {
  static const auto real = reinterpret_cast<GetAddrInfo>(dlsym(RTLD_NEXT, "getaddrinfo"));
  std::optional<std::string> address = Lookup(node);
  while (address == "hang") {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    address = Lookup(node);
  }
  if (!address) return real(node, service, hints, result);
  return address->empty() ? EAI_AGAIN : real(address->c_str(), service, hints, result);
}

namespace tracekin::testing {
namespace {

using namespace exporter;

using namespace std::chrono_literals;
using Clock = Transport::Clock;
using Connection = FaultServer::Connection;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const EarliestDeadline kNever;

// A reply to Scribe's Log whose field 0, an i32, is OK.
const std::string kScribeOk("\0\0\0\x14\0\0\0\x03Log\x02\0\0\0\0\x08\0\0\0\0\0\0\0", 24);

void Name(const std::string& name, const std::string& address) {
  const std::lock_guard<std::mutex> lock(names_mutex);
  names[name] = address;
}

std::size_t Questions() {
  const std::lock_guard<std::mutex> lock(names_mutex);
  return questions_asked;
}

class ResolverTest : public ::testing::Test {
 protected:
  ResolverTest() {
    for (const char* variable : {"http_proxy", "all_proxy", "ALL_PROXY"}) unsetenv(variable);
    Name("collector.test", "127.0.0.1");
  }
  ~ResolverTest() override {
    const std::lock_guard<std::mutex> lock(names_mutex);
    names.clear();
    askers.clear();
  }

  static Resolver::Answer Get(Resolver* resolver, Clock::duration time = 30s) {
    return resolver->Get(kNever, Clock::now() + time);
  }
};

std::shared_ptr<Resolver> For(const std::string& endpoint, const std::string& proxy = {}) {
  ExporterOptions options;
  options.endpoint = endpoint;
  return Resolver::For(options, proxy);
}

TEST_F(ResolverTest, IsOnlyMadeForNames) {
  for (const char* url : {"http://127.0.0.1:9411/", "http://[::1]/", "https://localhost/",
                          "http://a.LocalHost:1/", "scribe://10.0.0.1", "", "http://"}) {
    EXPECT_EQ(For(url), nullptr) << url;
  }
  ExporterOptions options;
  options.endpoint = "http://collector.test/";
  options.unix_socket = "/run/zipkin.sock";
  EXPECT_EQ(Resolver::For(options), nullptr);
}

TEST_F(ResolverTest, NamesTheHostAndPortThatLibcurlConnectsTo) {
  Name("proxy.test", "127.0.0.2");
  const auto addresses = [](const std::string& endpoint, const std::string& proxy = {}) {
    return Get(For(endpoint, proxy).get()).addresses;
  };
  EXPECT_EQ(addresses("http://collector.test/x"), "collector.test:80:127.0.0.1");
  EXPECT_EQ(addresses("https://me:pw@collector.test/x"), "collector.test:443:127.0.0.1");
  EXPECT_EQ(addresses("http://collector.test:9411/"), "collector.test:9411:127.0.0.1");
  EXPECT_EQ(addresses("scribe://collector.test"), "collector.test:9410:127.0.0.1");
  EXPECT_EQ(addresses("http://a/", "proxy.test:3128"), "proxy.test:3128:127.0.0.2");
  EXPECT_EQ(addresses("http://a/", "http://proxy.test"), "proxy.test:1080:127.0.0.2");
}

TEST_F(ResolverTest, KnowsIpv6) {
  Name("collector.test", "2001:db8::1");
  EXPECT_EQ(Get(For("http://collector.test/").get()).addresses, "collector.test:80:[2001:db8::1]");
}

TEST_F(ResolverTest, SaysWhyAHostIsNotResolved) {
  Name("collector.test", "");
  const auto resolver = For("http://collector.test/");
  EXPECT_THAT(Get(resolver.get()).error, HasSubstr("Could not resolve host: collector.test: Temp"));
  Name("collector.test", "127.0.0.1");
  EXPECT_EQ(Get(resolver.get()).error, "");
}

TEST_F(ResolverTest, NeverForgetsTheLastAddresses) {
  const auto resolver = For("http://collector.test/");
  EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.1");
  for (const char* fault : {"", "hang"}) {
    Name("collector.test", fault);
    resolver->Doubt();
    EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.1");
  }
}

TEST_F(ResolverTest, KnowsWhatWasResolvedBeforeItWasMade) {
  Name("early.test", "127.0.0.3");
  ExporterOptions options;
  options.endpoint = "http://early.test/";
  EXPECT_EQ(Resolver::Preload(options), "");
  Name("early.test", "");
  EXPECT_EQ(Get(For(options.endpoint).get()).addresses, "early.test:80:127.0.0.3");
  Name("early.test", "127.0.0.4");
  EXPECT_EQ(Get(For(options.endpoint).get()).addresses, "early.test:80:127.0.0.4");
  Name("never.test", "");
  options.endpoint = "http://never.test/";
  EXPECT_THAT(Resolver::Preload(options), HasSubstr("cannot resolve host never.test: Temp"));
}

TEST_F(ResolverTest, FollowsANameToItsNewAddress) {
  const auto resolver = For("http://collector.test/");
  EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.1");
  Name("collector.test", "127.0.0.2");
  EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.1") << "it is fresh";
  resolver->Doubt();
  EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.2");
}

TEST_F(ResolverTest, IsNotHeldByAHangingNameServer) {
  Name("collector.test", "hang");
  {
    const auto resolver = For("http://collector.test/");
    const Stopwatch watch;
    EXPECT_THAT(Get(resolver.get(), 100ms).error, HasSubstr("no response in time"));
    EarliestDeadline interrupt;
    interrupt.MoveForward(Clock::now() + 100ms);
    EXPECT_THAT(resolver->Get(interrupt, Clock::now() + 600s).error, HasSubstr("in time"));
    resolver->AwaitFirst(Clock::now() + 100ms);
    EXPECT_LE(watch.elapsed(), 10s);
  }
  Name("collector.test", "");
  EXPECT_TRUE(Eventually([] { return ThreadCount() == 1; }));
}

TEST_F(ResolverTest, ChildOfAForkHasItsParentsAddresses) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const auto resolver = For("http://collector.test/");
  EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.1");
  Name("collector.test", "");
  InFork([&] {
    resolver->AfterForkInChild();
    resolver->Start();
    EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.1");
    Name("collector.test", "127.0.0.2");
    resolver->Doubt();
    EXPECT_EQ(Get(resolver.get()).addresses, "collector.test:80:127.0.0.2");
    resolver->Stop();
  });
}

// The second batch is not sent while libcurl still has the first one's status.
TEST_F(ResolverTest, ABatchIsNeverAcceptedByTheAnswerToTheOneBefore) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  FaultServer server([](Connection& c) { c.Answer("202 Accepted", "", "Connection: close\r\n"); });
  InFork([&] {
    ExporterOptions options;
    options.endpoint = "http://collector.test:" + std::to_string(server.port()) + "/";
    const std::shared_ptr<Resolver> resolver = Resolver::For(options);
    HttpTransport transport(options, "application/json", JudgeZipkinAnswer, Proxy{}, resolver);
    EXPECT_EQ(transport.Send("[1]", Clock::now() + 20s).status, SendStatus::kAccepted);
    Name("collector.test", "hang");
    const std::size_t questions = Questions();
    resolver->Doubt();
    SendResult result{SendStatus::kAccepted};
    std::thread sender([&] { result = transport.Send("[2]", Clock::now() + 20s); });
    EXPECT_TRUE(Eventually([&] { return Questions() > questions; }));
    close_range(3, ~0U, 0);
    sender.join();
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, HasSubstr("the host process has closed"));
    Name("collector.test", "");
  });
  EXPECT_EQ(server.requests().size(), 1u);
}

/// A tracer whose collector is known by name. The collector closes the connection after each
/// request.
class NamedCollectorTest : public ResolverTest, public ::testing::WithParamInterface<std::string> {
 protected:
  NamedCollectorTest()
      : server_([this](Connection& c) {
          if (faults_-- > 0) return c.Reset();
          if (GetParam() == "scribe") {
            c.Write(kScribeOk);
          } else {
            c.Answer("202 Accepted");
          }
          c.Close();
        }) {}

  std::shared_ptr<Tracer> Make() {
    Options options;
    options.service_name = "named";
    options.exporter.endpoint = GetParam() + "://collector.test:" + std::to_string(server_.port());
    options.exporter.retry_backoff_ms = 10;
    options.exporter.flush_interval_ms = 10;
    options.exporter.close_timeout_ms = 1000;
    options.logger = [](LogLevel, const std::string&) {};
    std::string error;
    auto tracer = MakeTracer(options, &error);
    EXPECT_NE(tracer, nullptr) << error;
    return tracer;
  }

  static void ExpectExported(Tracer* tracer, std::uint64_t spans) {
    for (std::uint64_t i = 0; i < spans; ++i) {
      tracer->StartSpan("a");
      EXPECT_TRUE(Eventually([&] { return tracer->counters().exported == i + 1; }));
    }
  }

  /// Confines the process like HAProxy does before it serves: changes to an empty root and forbids
  /// new threads. Names cannot be resolved then.
  void Confine() const {
    ASSERT_EQ(chroot(root_.path().c_str()), 0);
    ASSERT_EQ(chdir("/"), 0);
    Name("collector.test", "");
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_NPROC, &none), 0);
    ASSERT_EQ(setuid(65534), 0);  // the limit does not apply to root
    ASSERT_THROW(std::thread([] {}).join(), std::system_error);
  }

  const TempFolder root_;
  std::atomic<int> faults_{0};
  FaultServer server_;
};

INSTANTIATE_TEST_SUITE_P(Over, NamedCollectorTest,
#ifdef TRACEKIN_HAVE_THRIFT
                         ::testing::Values("http", "scribe"),
#else
                         ::testing::Values("http"),
#endif
                         [](const auto& test) { return test.param; });

#define SKIP_UNLESS_ROOT() \
  if (geteuid() != 0) GTEST_SKIP() << "only root may change the root folder"

#ifdef TRACEKIN_HAVE_KAFKA
// Documents a limit: librdkafka resolves names on its own threads at any time, while tracekin
// occupies the descriptors 0, 1 and 2 only during calls of librdkafka.
TEST(HostWithoutStandardDescriptorsLimit, MayFindThemTakenByLibrdkafkasThreads) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  InFork([] {
    Name("collector.test", "hang");
    close(0);
    Options options;
    options.service_name = "closed";
    options.exporter.type = "kafka";
    options.exporter.kafka_brokers = "collector.test:1";
    options.exporter.close_timeout_ms = 100;
    const auto tracer = MakeTracer(options);
    ASSERT_NE(tracer, nullptr);
    EXPECT_TRUE(Eventually([] { return Questions() != 0; }));
    EXPECT_TRUE(Eventually([] { return fcntl(0, F_GETFD) == -1; }));
    Name("collector.test", "");
  });
}

// Documents a limit: librdkafka itself opens the files that its properties name.
TEST(KafkaPropertiesLimit, AFifoThatTheyNameStopsTheSenderAndNotTheHost) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const TempFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  const std::string properties = folder.path() + "/properties";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::ofstream(properties) << "security.protocol=ssl\nssl.ca.location=" << fifo << '\n';
  InFork([&] {
    Options options;
    options.service_name = "fifo";
    options.exporter.type = "kafka";
    options.exporter.kafka_brokers = "127.0.0.1:1";
    options.exporter.kafka_config_file = properties;
    options.exporter.close_timeout_ms = 100;
    options.logger = [](LogLevel, const std::string&) {};
    const auto tracer = MakeTracer(options);
    ASSERT_NE(tracer, nullptr);
    tracer->StartSpan("a");
    tracer->Close();
    EXPECT_EQ(tracer->counters().exported, 0u);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  });
}

// librdkafka starts a thread for itself and one for each broker of the list.
TEST(KafkaInAConfinedHost, StartsItsThreadsBeforeTheHostForbidsItNewOnes) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  SKIP_UNLESS_ROOT();
  InFork([] {
    std::mutex mutex;
    std::string log;
    Options options;
    options.service_name = "confined";
    options.exporter.type = "kafka";
    options.exporter.kafka_brokers = "127.0.0.1:1";
    options.exporter.timeout_ms = 500;
    options.exporter.close_timeout_ms = 100;
    options.logger = [&](LogLevel, const std::string& line) {
      const std::lock_guard<std::mutex> lock(mutex);
      log += line + '\n';
    };
    std::string error;
    const auto tracer = MakeTracer(options, &error);
    ASSERT_NE(tracer, nullptr) << error;
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_NPROC, &none), 0);
    ASSERT_EQ(setuid(65534), 0);  // the limit does not apply to root
    tracer->StartSpan("a");
    tracer->Flush(5s);
    tracer->Close();
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_THAT(log, HasSubstr("127.0.0.1:1"));
    EXPECT_THAT(log, ::testing::Not(HasSubstr("thread")));
  });
}
#endif

// Documents a limit: if some hosts bypass the proxy, only libcurl knows which name must be
// resolved.
TEST_P(NamedCollectorTest, WithAProxyAndExceptionsIsAskedForByAThreadOfLibcurlsWhichIsALimit) {
  if (GetParam() != "http") GTEST_SKIP() << "Scribe has no proxy";
  setenv("http_proxy", ("http://collector.test:" + std::to_string(server_.port())).c_str(), 1);
  setenv("no_proxy", "other.test", 1);
  const auto tracer = Make();
  unsetenv("http_proxy");
  unsetenv("no_proxy");
  ExpectExported(tracer.get(), 1);
  tracer->Close();
  const std::lock_guard<std::mutex> lock(names_mutex);
  EXPECT_THAT(askers, ElementsAre("tracekin-send"));  // libcurl's threads inherit this name
}

TEST_P(NamedCollectorTest, IsAskedForByOneThreadOfOurs) {
  const auto tracer = Make();
  ExpectExported(tracer.get(), 3);
  tracer->Close();
  const std::lock_guard<std::mutex> lock(names_mutex);
  EXPECT_THAT(askers, ElementsAre("tracekin-names"));
}

TEST_P(NamedCollectorTest, IsNotLostByChrootAndTheLastThread) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  SKIP_UNLESS_ROOT();
  InFork([this] {
    const auto tracer = Make();
    Confine();
    ExpectExported(tracer.get(), 3);
  });
  EXPECT_EQ(server_.connections(), 3);
}

TEST_P(NamedCollectorTest, IsNotLostByAFailedRequestAfterChroot) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  SKIP_UNLESS_ROOT();
  faults_ = 2;
  InFork([this] {
    const auto tracer = Make();
    Confine();
    ExpectExported(tracer.get(), 3);
  });
  EXPECT_GE(server_.connections(), 5);
}

// HAProxy's workers are in this situation, because their master makes the tracer.
TEST_P(NamedCollectorTest, IsNotLostByChrootInTheChildOfAFork) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  SKIP_UNLESS_ROOT();
  InFork([this] {
    const auto tracer = Make();
    InFork([&] {
      Confine();
      ExpectExported(tracer.get(), 3);
    });
  });
}

// Uses the real resolver and a name that only the real /etc/hosts contains.
TEST_P(NamedCollectorTest, OfTheHostsFileIsNotLostByChroot) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  SKIP_UNLESS_ROOT();
  const TempFolder folder;
  const std::string hosts = folder.path() + "/hosts";
  std::ofstream(hosts) << "127.0.0.1 collector.test\n";
  InFork([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0) {
      std::puts("no mount namespace to be had");
      return;
    }
    names.clear();
    const auto tracer = Make();
    Confine();
    names.clear();
    ExpectExported(tracer.get(), 3);
  });
}

TEST_P(NamedCollectorTest, HoldsMakeTracerForASecondOnly) {
  Name("collector.test", "hang");
  const Stopwatch watch;
  const auto tracer = Make();
  EXPECT_GE(watch.elapsed(), 1s);
  tracer->StartSpan("a");
  tracer->Close();
  EXPECT_LE(watch.elapsed(), 15s);
  EXPECT_EQ(tracer->counters().dropped.closed, 1u);
  Name("collector.test", "127.0.0.1");
  EXPECT_TRUE(Eventually([] { return ThreadCount() == 2; })) << "the server's, and this one";
}

}  // namespace
}  // namespace tracekin::testing
