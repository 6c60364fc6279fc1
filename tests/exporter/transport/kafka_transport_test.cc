// SPDX-License-Identifier: Apache-2.0
// Tests the Kafka transport without a broker; kafka_server_test.cc tests it with one.
#include "exporter/transport/kafka_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/listener.h"

namespace tracekin::exporter {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr milliseconds kSlack{200};

Transport::Clock::time_point In(milliseconds time) { return Transport::Clock::now() + time; }

std::set<std::string> Threads() {
  std::set<std::string> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    threads.insert(entry.path().filename());
  }
  return threads;
}

class KafkaTransportTest : public ::testing::Test {
 protected:
  KafkaTransportTest()
      : path_(::testing::TempDir() + "tracekin-kafka-" + std::to_string(getpid())) {
    options_.type = "kafka";
    options_.kafka_brokers = "127.0.0.1:1";
  }
  ~KafkaTransportTest() override { std::filesystem::remove(path_); }

  SendResult Send(milliseconds time) {
    const auto start = Transport::Clock::now();
    const SendResult result = transport_->Send("[]", start + time);
    elapsed_ = Transport::Clock::now() - start;
    return result;
  }

  // Returns the error for a file with `properties`.
  std::string FileError(const std::string& properties) {
    std::ofstream(path_) << properties;
    options_.kafka_config_file = path_;
    try {
      KafkaTransport::Check(options_);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  const std::string path_;
  ExporterOptions options_;
  Transport::Clock::duration elapsed_{};
  std::optional<KafkaTransport> transport_;
};

TEST_F(KafkaTransportTest, SaysThatNobodyListens) {
  transport_.emplace(options_);
  const SendResult result = Send(milliseconds(1000));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, AllOf(StartsWith("no acknowledgement within 1"),
                                    HasSubstr("127.0.0.1:1"), HasSubstr("Connection refused")));
  EXPECT_GE(elapsed_, milliseconds(1000));
  EXPECT_LE(elapsed_, milliseconds(1000) + kSlack);
}

TEST_F(KafkaTransportTest, GivesUpAtTheDeadlineWhenNoAnswerComes) {
  const testing::Listener silence(16);  // connections wait in the backlog and are never answered
  options_.kafka_brokers = silence.address();
  transport_.emplace(options_);
  for (int i = 0; i < 3; ++i) {
    const SendResult result = Send(milliseconds(300));
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, StartsWith("no acknowledgement within 3"));
    EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
  }
  const auto start = Transport::Clock::now();
  transport_.reset();
  EXPECT_LE(Transport::Clock::now() - start, milliseconds(1000) + kSlack);
}

TEST_F(KafkaTransportTest, SaysThatANameIsNotKnown) {
  options_.kafka_brokers = "broker.invalid";
  transport_.emplace(options_);
  const SendResult result = Send(milliseconds(1000));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("broker.invalid:9092"));
}

TEST_F(KafkaTransportTest, DeadlineThatHasPassedSendsNothing) {
  transport_.emplace(options_);
  const SendResult result = Send(milliseconds(0));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "no time left to send the batch");
}

TEST_F(KafkaTransportTest, InterruptMovesTheDeadlineOfASendUnderWay) {
  transport_.emplace(options_);
  std::thread interrupter([this] {
    std::this_thread::sleep_for(milliseconds(200));
    transport_->Interrupt(In(milliseconds(100)));
  });
  EXPECT_EQ(Send(milliseconds(60000)).status, SendStatus::kFailed);
  interrupter.join();
  EXPECT_GE(elapsed_, milliseconds(290));
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
}

TEST_F(KafkaTransportTest, WritesNothingToStandardError) {
  ::testing::internal::CaptureStderr();
  transport_.emplace(options_);
  EXPECT_EQ(Send(milliseconds(500)).status, SendStatus::kFailed);
  transport_.reset();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(KafkaTransportTest, ItsThreadsTakeNoSignalsAndEndWithIt) {
  const std::set<std::string> before = Threads();
  transport_.emplace(options_);
  EXPECT_EQ(Send(milliseconds(100)).status, SendStatus::kFailed);
  int others = 0;
  for (const std::string& thread : Threads()) {
    if (before.count(thread) != 0) continue;
    ++others;
    std::ifstream status("/proc/self/task/" + thread + "/status");
    std::uint64_t blocked = 0;
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigBlk:", 0) == 0) blocked = std::stoull(line.substr(7), nullptr, 16);
    }
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGCHLD, SIGALRM, SIGIO}) {
      EXPECT_TRUE(blocked >> (signal - 1) & 1) << signal;
    }
  }
  EXPECT_GE(others, 2);
  transport_.reset();
  EXPECT_EQ(Threads(), before);
}

TEST_F(KafkaTransportTest, TakesPropertiesFromAFile) {
  EXPECT_EQ(FileError("# secured\n\nsecurity.protocol = ssl\r\nssl.ca.location=/ca.pem\nacks=1"),
            "none");
  EXPECT_EQ(FileError(""), "none");
}

TEST_F(KafkaTransportTest, RefusesAFileThatLibrdkafkaDoesNotTake) {
  const std::string file = "exporter.kafka_config_file: " + path_;
  EXPECT_EQ(FileError("client.id=a\nsasl.passwrod=secret\n"),
            file + ", line 2: No such configuration property: \"sasl.passwrod\"");
  EXPECT_THAT(FileError("security.protocol=tls"),
              AllOf(StartsWith(file + ", line 1: "), HasSubstr("security.protocol")));
  EXPECT_EQ(FileError("sasl.password: secret"), file + ", line 1: expected property=value");
  EXPECT_EQ(FileError("bootstrap.servers=a"),
            file + ", line 1: the property \"bootstrap.servers\" must not be set here");
  options_.kafka_config_file = "/nonexistent/kafka";
  EXPECT_THROW(KafkaTransport::Check(options_), std::runtime_error);
}

TEST_F(KafkaTransportTest, DoesNotWaitForTheWriterOfAFifo) {
  options_.kafka_config_file = path_ + ".fifo";
  ASSERT_EQ(mkfifo(options_.kafka_config_file.c_str(), 0600), 0);
  std::string words;
  try {
    KafkaTransport::Check(options_);
  } catch (const std::runtime_error& error) {
    words = error.what();
  }
  std::filesystem::remove(options_.kafka_config_file);
  EXPECT_EQ(words,
            "exporter.kafka_config_file: " + options_.kafka_config_file + ": not a regular file");
}

TEST_F(KafkaTransportTest, TriesAgainWhatCannotBeSetUp) {
  EXPECT_EQ(FileError("security.protocol=ssl\nssl.ca.location=/nonexistent/ca.pem"), "none");
  transport_.emplace(options_);
  for (int i = 0; i < 2; ++i) {
    const SendResult result = Send(milliseconds(1000));
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, HasSubstr("ssl.ca.location"));
  }
  std::ofstream(path_, std::ios::trunc) << "security.protocol=plaintext";
  EXPECT_THAT(Send(milliseconds(500)).message, HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace tracekin::exporter
