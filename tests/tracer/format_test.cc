// SPDX-License-Identifier: Apache-2.0
// Tests what a tracer sends, and where to, for each exporter.type and exporter.format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/recording_tracer.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns a tracer that has made one span, named "name".
std::shared_ptr<Tracer> MakeTracerAndSpan(const ExporterOptions& exporter) {
  Options options;
  options.service_name = "service";
  options.exporter = exporter;
  std::string error;
  auto tracer = MakeTracer(options, &error);
  EXPECT_NE(tracer, nullptr) << error;
  if (tracer != nullptr) tracer->StartSpan("name")->Finish();
  return tracer;
}

struct Form {
  const char* format;
  const char* path;
  const char* content_type;
  std::string begin;  // the beginning of a list with one span
};

const Form kForms[] = {
    {"", "/api/v2/spans", "application/json", "[{\"traceId\":"},
    {"json", "/api/v2/spans", "application/json", "[{\"traceId\":"},
    {"proto3", "/api/v2/spans", "application/x-protobuf", "\x0A"},
#ifdef TRACEKIN_HAVE_THRIFT
    {"thrift", "/api/v1/spans", "application/x-thrift", "\x0C\0\0\0\1\x0A\0\1"s},
#endif
};

TEST(FormatTest, RequestsSayWhatTheyHold) {
  for (const Form& form : kForms) {
    FaultServer server([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
    ExporterOptions exporter;
    exporter.format = form.format;
    exporter.endpoint = "http://127.0.0.1:" + std::to_string(server.port()) + form.path;
    MakeTracerAndSpan(exporter)->Close();
    ASSERT_EQ(server.requests().size(), 1u) << form.format;
    const std::string request = server.requests()[0];
    EXPECT_THAT(request, StartsWith("POST "s + form.path + " "));
    EXPECT_THAT(request, HasSubstr("\r\nContent-Type: "s + form.content_type + "\r\n"));
    EXPECT_THAT(request.substr(request.find("\r\n\r\n") + 4), StartsWith(form.begin));
    EXPECT_THAT(request, HasSubstr("name"));
  }
}

#ifdef TRACEKIN_HAVE_THRIFT
TEST(FormatTest, ScribeIsTheEndpointsScheme) {
  FaultServer server([](FaultServer::Connection& c) {
    c.Write("\0\0\0\x14\0\0\0\3Log\2\0\0\0\0\x08\0\0\0\0\0\0\0"s);
  });
  ExporterOptions exporter;
  exporter.endpoint = "scribe://127.0.0.1:" + std::to_string(server.port());
  exporter.scribe_category = "spans";
  const auto tracer = MakeTracerAndSpan(exporter);
  tracer->Close();
  EXPECT_EQ(tracer->counters().exported, 1u);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(server.requests()[0].substr(4), StartsWith("\0\0\0\3Log\1"s));
  EXPECT_THAT(server.requests()[0], HasSubstr("spans"));
}
#endif

/// Keeps the bodies that it receives.
class Keeper final : public Transport {
 public:
  explicit Keeper(std::string* bodies) : bodies_(bodies) {}
  SendResult Send(const std::string& body, Clock::time_point /*deadline*/) override {
    *bodies_ += body;
    return {SendStatus::kAccepted};
  }
  void Interrupt(Clock::time_point /*deadline*/) noexcept override {}
  void AbandonAfterFork() noexcept override {}

 private:
  std::string* const bodies_;
};

/// Returns the body that a custom transport receives.
std::string BodyFor(const char* type, const char* format) {
  std::string bodies;
  ExporterOptions exporter;
  exporter.type = type;
  exporter.format = format;
  exporter.make_transport = [&bodies] { return std::make_unique<Keeper>(&bodies); };
  MakeTracerAndSpan(exporter)->Close();
  return bodies;
}

TEST(FormatTest, ATransportOfTheProgramsOwnGetsWhatTypeAndFormatSay) {
  for (const Form& form : kForms)
    EXPECT_THAT(BodyFor("zipkin", form.format), StartsWith(form.begin));
  EXPECT_THAT(BodyFor("", ""), StartsWith("{"));
  EXPECT_THAT(BodyFor("file", "json"), StartsWith("{"));
  EXPECT_THAT(BodyFor("", "proto3"), StartsWith("\x0A"));
#ifdef TRACEKIN_HAVE_THRIFT
  EXPECT_THAT(BodyFor("", "thrift"), StartsWith("\x0C"));
  EXPECT_THAT(BodyFor("scribe", ""), StartsWith("\x0F\0\1\x0C\0\0\0\1\x0B\0\1"s));
#endif
}

/// Returns a message that would flood a terminal and contains control characters.
class Babbler final : public Transport {
 public:
  SendResult Send(const std::string& /*body*/, Clock::time_point /*deadline*/) override {
    return {SendStatus::kRejected, "no\r\n\x1b[31mred\n" + std::string(1 << 20, 'x')};
  }
  void Interrupt(Clock::time_point /*deadline*/) noexcept override {}
  void AbandonAfterFork() noexcept override {}
};

TEST(OwnTransport, CannotSayMoreThanALineToTheLog) {
  LogLines said;
  Options options;
  options.service_name = "test";
  options.logger = [&said](LogLevel, const std::string& line) { said.Add(line); };
  options.exporter.make_transport = [] { return std::make_unique<Babbler>(); };
  const auto tracer = MakeTracer(options);
  tracer->StartSpan("span");
  tracer->Close();
  ASSERT_FALSE(said.lines().empty());
  for (const std::string& line : said.lines()) {
    EXPECT_EQ(line.find_first_of("\r\n\x1b"), line.npos) << line.substr(0, 500);
    EXPECT_LT(line.size(), 1000u);
  }
}

}  // namespace
}  // namespace tracekin::testing
