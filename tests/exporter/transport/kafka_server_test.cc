// SPDX-License-Identifier: Apache-2.0
// Tests our batches with a real Kafka broker, and with a Zipkin server that reads from it.
// with_kafka.sh sets their addresses.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <rapidjson/document.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "exporter/destination.h"
#include "exporter/encoding/zipkin_answer.h"
#include "exporter/transport/http_transport.h"
#include "exporter/transport/kafka_transport.h"
#include "tests/exporter/zipkin_client.h"
#include "tracekin/tracer.h"

namespace tracekin::exporter {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Strings = std::vector<std::string>;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string(name) + "-is-not-set" : value;
}

/// Runs scripts/kafka WHAT for the broker of this test.
void Broker(const std::string& what, const std::string& signal = {}) {
  const std::string command = Environment("TRACEKIN_KAFKA") + ' ' + what + ' ' +
                              Environment("TRACEKIN_KAFKA_DIR") + ' ' + signal + " >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

pid_t BrokerProcess() {
  pid_t process = 0;
  std::ifstream(Environment("TRACEKIN_KAFKA_DIR") + "/pid") >> process;
  return process;
}

/// Returns the messages of a topic, read by another client.
Strings Messages(const std::string& topic) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char error[512];
  const std::string broker = Environment("TRACEKIN_KAFKA_BROKER");
  rd_kafka_conf_set(conf, "bootstrap.servers", broker.c_str(), error, sizeof error);
  rd_kafka_conf_set(conf, "group.id", topic.c_str(), error, sizeof error);
  rd_kafka_conf_set(conf, "enable.partition.eof", "true", error, sizeof error);
  rd_kafka_t* consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, error, sizeof error);
  rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(all, topic.c_str(), 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  EXPECT_EQ(rd_kafka_assign(consumer, all), RD_KAFKA_RESP_ERR_NO_ERROR);
  Strings messages;
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  for (bool done = false; !done && std::chrono::steady_clock::now() < end;) {
    rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer, 1000);
    if (message == nullptr) continue;
    done = message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      messages.emplace_back(static_cast<const char*>(message->payload), message->len);
    }
    rd_kafka_message_destroy(message);
  }
  rd_kafka_topic_partition_list_destroy(all);
  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  return messages;
}

class KafkaServerTest : public ::testing::Test {
 protected:
  KafkaServerTest() {
    options_.type = "kafka";
    options_.kafka_brokers = Environment("TRACEKIN_KAFKA_BROKER");
    options_.kafka_topic = ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                           std::to_string(std::random_device()());
  }

  SendResult Send(const std::string& body, milliseconds time = seconds(20)) {
    if (!transport_) transport_.emplace(options_);
    const auto start = Transport::Clock::now();
    const SendResult result = transport_->Send(body, start + time);
    elapsed_ = Transport::Clock::now() - start;
    return result;
  }

  void ExpectAccepted(const std::string& body) {
    const SendResult result = Send(body);
    EXPECT_EQ(result.status, SendStatus::kAccepted) << body.substr(0, 80) << ": " << result.message;
  }

  // Sends "body0", "body1" and so on until a message is accepted. Returns those that were not
  // accepted.
  Strings SendUntilAccepted(const std::string& body, milliseconds time) {
    Strings failed;
    for (int i = 0; i < 100; ++i) {
      std::string numbered = body + std::to_string(i);
      if (Send(numbered, time).status == SendStatus::kAccepted) return failed;
      failed.push_back(std::move(numbered));
    }
    ADD_FAILURE() << "the broker takes nothing any more";
    return failed;
  }

  ExporterOptions options_;
  Transport::Clock::duration elapsed_{};
  std::optional<KafkaTransport> transport_;
};

TEST_F(KafkaServerTest, EachBatchIsOneMessage) {
  const Strings bodies = {"[]", "[{\"binary\": \"\x01\xff\"}]", std::string(500'000, 'x')};
  for (const std::string& body : bodies) ExpectAccepted(body);
  EXPECT_EQ(Messages(options_.kafka_topic), bodies);
}

TEST_F(KafkaServerTest, AcknowledgementsComeAtOnce) {
  ExpectAccepted("[]");
  auto total = Transport::Clock::duration::zero();
  for (int i = 0; i < 50; ++i) {
    ExpectAccepted("[]");
    total += elapsed_;
  }
  EXPECT_LE(total / 50, milliseconds(20));
}

TEST_F(KafkaServerTest, ConsumersSeeNothingOfTheCompression) {
  options_.compression = "gzip";
  const std::string body(3 << 20, 'x');  // too large without compression
  ExpectAccepted(body);
  EXPECT_THAT(Messages(options_.kafka_topic), ElementsAre(body));
}

TEST_F(KafkaServerTest, WhatIsTooLargeIsTold) {
  const SendResult result = Send(std::string(3 << 20, 'x'));
  EXPECT_EQ(result.status, SendStatus::kTooLarge) << result.message;
  EXPECT_THAT(result.message, HasSubstr("too large"));
  EXPECT_EQ(Send(std::string(65 << 20, 'x')).status, SendStatus::kTooLarge);
  ExpectAccepted("small");
  EXPECT_THAT(Messages(options_.kafka_topic), ElementsAre("small"));
}

TEST_F(KafkaServerTest, ATopicThatThereCannotBeIsTold) {
  options_.kafka_topic = "no topic!";
  const SendResult result = Send("[]");
  EXPECT_EQ(result.status, SendStatus::kRejected);
  EXPECT_NE(result.message, "");
}

TEST_F(KafkaServerTest, ATopicThatIsNotThereIsTold) {
  const std::string path = ::testing::TempDir() + "tracekin-no-topic-" + std::to_string(getpid());
  std::ofstream(path) << "allow.auto.create.topics=false\n";
  options_.kafka_config_file = path;
  options_.timeout_ms = 2000;
  const SendResult result = Send("[]", milliseconds(5000));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("Unknown topic"));
  EXPECT_LE(elapsed_, milliseconds(4000));
  unlink(path.c_str());
}

TEST_F(KafkaServerTest, AnOutageLosesNothingThatWasAcknowledged) {
  ExpectAccepted("before");
  for (const char* signal : {"TERM", "KILL"}) {
    Broker("down", signal);
    const SendResult result = Send(std::string("lost ") + signal, milliseconds(1500));
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, HasSubstr("Connection refused"));
    EXPECT_LE(elapsed_, milliseconds(1700));
    Broker("up");
    SendUntilAccepted(std::string("after ") + signal + ' ', milliseconds(5000));
  }
  // Messages that were given up without a connection were not sent later, and no message was sent
  // twice.
  Strings messages = Messages(options_.kafka_topic);
  EXPECT_THAT(messages, Contains("before").Times(1));
  EXPECT_THAT(messages, Not(Contains(HasSubstr("lost"))));
  EXPECT_THAT(messages, Contains(HasSubstr("after TERM")).Times(1));
  EXPECT_THAT(messages, Contains(HasSubstr("after KILL")).Times(1));
}

TEST_F(KafkaServerTest, ABrokerThatHangsLosesNothingThatWasAcknowledged) {
  ExpectAccepted("before");
  const pid_t broker = BrokerProcess();
  ASSERT_EQ(kill(broker, SIGSTOP), 0);
  for (const char* body : {"hung 1", "hung 2", "hung 3"}) {
    const SendResult result = Send(body, milliseconds(500));
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, HasSubstr("no acknowledgement within 5"));
    EXPECT_LE(elapsed_, milliseconds(700));
  }
  ASSERT_EQ(kill(broker, SIGCONT), 0);
  const Strings more = SendUntilAccepted("after ", milliseconds(5000));
  for (int i = 0; i < 3; ++i) ExpectAccepted("last " + std::to_string(i));
  const Strings messages = Messages(options_.kafka_topic);
  for (const std::string& message : messages) {
    EXPECT_EQ(std::count(messages.begin(), messages.end(), message), 1) << message;
  }
  // The first message was sent to the broker. The others were not, because it had not answered.
  EXPECT_THAT(messages, Not(Contains("hung 2")));
  EXPECT_THAT(messages, Not(Contains("hung 3")));
  EXPECT_THAT(messages, IsSupersetOf({"before", "last 0", "last 1", "last 2"}));
  EXPECT_THAT(messages, Contains("after " + std::to_string(more.size())));
}

TEST_F(KafkaServerTest, ChildOfAForkClosesItsCopiesAndParentGoesOn) {
  ExpectAccepted("parent");
  const auto connections = [] {
    std::string port = Environment("TRACEKIN_KAFKA_BROKER");
    port.erase(0, port.find(':') + 1);
    int found = 0;
    for (int descriptor = 0; descriptor < 1000; ++descriptor) {
      struct sockaddr_in peer = {};
      socklen_t size = sizeof peer;
      if (getpeername(descriptor, reinterpret_cast<struct sockaddr*>(&peer), &size) == 0 &&
          peer.sin_family == AF_INET && std::to_string(ntohs(peer.sin_port)) == port) {
        ++found;
      }
    }
    return found;
  };
  EXPECT_GE(connections(), 1);
  const pid_t child = fork();
  if (child == 0) {
    transport_->AbandonAfterFork();
    const bool closed = connections() == 0;
    KafkaTransport own(options_);
    const bool sent =
        own.Send("child", Transport::Clock::now() + seconds(20)).status == SendStatus::kAccepted;
    _exit(closed && sent ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ExpectAccepted("parent again");
  EXPECT_THAT(Messages(options_.kafka_topic), ElementsAre("parent", "child", "parent again"));
}

TEST_F(KafkaServerTest, ATracerPublishesItsSpans) {
  Options options;
  options.service_name = "a";
  options.exporter = options_;
  options.exporter.flush_interval_ms = 60'000;
  std::string error;
  const auto tracer = MakeTracer(options, &error);
  ASSERT_NE(tracer, nullptr) << error;
  for (int i = 0; i < 10; ++i) tracer->StartSpan("name");
  EXPECT_TRUE(tracer->Flush(seconds(20)));
  EXPECT_EQ(tracer->counters().exported, 10u);
  const Strings messages = Messages(options_.kafka_topic);
  ASSERT_EQ(messages.size(), 1u);
  rapidjson::Document spans;
  spans.Parse(messages[0].data(), messages[0].size());
  ASSERT_TRUE(spans.IsArray());
  EXPECT_EQ(spans.Size(), 10u);
}

// HAProxy denies itself new threads before it serves its first request.
TEST_F(KafkaServerTest, WorksWhereNoThreadMayBeStartedLater) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    transport_.emplace(options_);
    const struct rlimit none = {0, 0};
    bool good = setrlimit(RLIMIT_NPROC, &none) == 0 && (geteuid() != 0 || setuid(kNobody) == 0);
    try {
      std::thread([] {}).join();
      good = false;
    } catch (const std::system_error&) {
    }
    for (int i = 0; i < 3; ++i) {
      good = good && Send("child " + std::to_string(i)).status == SendStatus::kAccepted;
    }
    transport_.reset();
    _exit(good ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Messages(options_.kafka_topic), ElementsAre("child 0", "child 1", "child 2"));
}

TEST_F(KafkaServerTest, EndsSoonEvenIfTheBrokerHangs) {
  ExpectAccepted("[]");
  auto start = Transport::Clock::now();
  transport_.reset();
  EXPECT_LE(Transport::Clock::now() - start, milliseconds(500));
  ExpectAccepted("[]");
  const pid_t broker = BrokerProcess();
  ASSERT_EQ(kill(broker, SIGSTOP), 0);
  EXPECT_EQ(Send("[]", milliseconds(200)).status, SendStatus::kFailed);
  start = Transport::Clock::now();
  transport_.reset();
  EXPECT_LE(Transport::Clock::now() - start, milliseconds(1200));
  ASSERT_EQ(kill(broker, SIGCONT), 0);
}

// Compares spans that pass through the broker and Zipkin's collector with the same spans posted to
// Zipkin.
class KafkaToZipkinTest : public KafkaServerTest {
 protected:
  KafkaToZipkinTest() {
    options_.kafka_topic = "zipkin";
    options_.endpoint = Environment("TRACEKIN_ZIPKIN_URL") + "/api/v2/spans";
  }

  // Returns the body that a tracer with these options sends.
  static std::string Encode(const ExporterOptions& options, const std::vector<SpanRecord>& spans) {
    const std::unique_ptr<Encoder> encoder = FormatOf(options)->make_encoder(options);
    std::string body;
    const Resource resource;
    encoder->Begin(resource, &body);
    for (const SpanRecord& span : spans) encoder->Add(span, &body);
    encoder->End(spans.size(), &body);
    return body;
  }

  // Returns the `count` spans of a trace, by their ids, without the trace's id.
  static rapidjson::Document Stored(std::uint64_t trace, std::size_t count) {
    char id[17];
    snprintf(id, sizeof id, "%016lx", trace);
    rapidjson::Document spans;
    const auto end = std::chrono::steady_clock::now() + seconds(60);
    do {
      const std::string body = Get("/api/v2/trace/" + std::string(id));
      spans.Parse(body.data(), body.size());
    } while ((!spans.IsArray() || spans.Size() < count) && std::chrono::steady_clock::now() < end);
    EXPECT_TRUE(spans.IsArray() && spans.Size() == count);
    for (auto& span : spans.GetArray()) span.RemoveMember("traceId");
    std::sort(spans.Begin(), spans.End(), [](const auto& a, const auto& b) {
      return std::string_view(a["id"].GetString()) < std::string_view(b["id"].GetString());
    });
    return spans;
  }

  static std::uint64_t SpansFromKafka() {
    const std::string text = Get("/metrics");
    rapidjson::Document metrics;
    metrics.Parse(text.data(), text.size());
    const char* const name = "counter.zipkin_collector.spans.kafka";
    return metrics.HasMember(name) ? static_cast<std::uint64_t>(metrics[name].GetDouble()) : 0;
  }
};

TEST_F(KafkaToZipkinTest, SpansAreThoseThatHttpBrings) {
  constexpr std::size_t kSpans = 1000;
  std::random_device random;
  const std::uint64_t trace = (std::uint64_t{random()} << 32 | random()) & ~std::uint64_t{1};
  const std::int64_t now = std::chrono::system_clock::now().time_since_epoch().count();
  std::vector<SpanRecord> spans(kSpans);
  const std::string texts[] = {"", "plain", "caf\xc3\xa9 \xf0\x9f\x98\x80", "\"\\\n\x01"};
  for (std::size_t i = 0; i < kSpans; ++i) {
    SpanRecord& span = spans[i];
    span.trace_id_low = trace;
    span.span_id = i + 1;
    span.parent_span_id = i / 2;
    span.name = "name";
    span.start_ns = now + static_cast<std::int64_t>(i) * 1000;
    span.duration_ns = static_cast<std::int64_t>(i * i) * 1000 + 1000;
    span.kind = static_cast<SpanKind>(i % 5);
    span.debug = i % 7 == 0;
    span.local = {"frontend", "10.0.0.1", "", 80};
    if (i % 3 == 0) span.remote = {"backend", "", "2001:db8::1", 443};
    span.tags = {{"text", texts[i % 4]}};
    span.annotations = {{now, texts[1 + i % 3]}};
  }
  // Zipkin 3.6.1 garbles a character of a message whose bytes are on both sides of a multiple of
  // 8 KiB. The borders divide two of three of these characters.
  std::string euros;
  while (euros.size() < 60'000) euros += "\xE2\x82\xAC";
  spans.front().tags.push_back({"euros", euros});
  const std::uint64_t before = SpansFromKafka();
  options_.type = "kafka";
  ExpectAccepted(Encode(options_, spans));
  for (SpanRecord& span : spans) span.trace_id_low = trace | 1;
  options_.type = "zipkin";
  HttpTransport http(options_, "application/json", JudgeZipkinAnswer);
  ASSERT_EQ(http.Send(Encode(options_, spans), Transport::Clock::now() + seconds(20)).status,
            SendStatus::kAccepted);

  const rapidjson::Document by_kafka = Stored(trace, kSpans);
  const rapidjson::Document by_http = Stored(trace | 1, kSpans);
  ASSERT_EQ(by_kafka.Size(), by_http.Size());
  for (rapidjson::SizeType i = 0; i < by_http.Size(); ++i) {
    EXPECT_TRUE(by_kafka[i] == by_http[i]) << by_http[i]["id"].GetString();
  }
  EXPECT_EQ(SpansFromKafka() - before, kSpans) << "each span once";
}

}  // namespace
}  // namespace tracekin::exporter
