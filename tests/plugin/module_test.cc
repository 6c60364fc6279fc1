// SPDX-License-Identifier: Apache-2.0
// Tests the exporter's modules if the plugin finds them in its folder, and if it does not.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/span_file.h"
#include "tests/support/temp_folder.h"
#include "tracekin/version.h"

namespace tracekin::testing {
namespace {

using namespace std::string_literals;
using opentracing::DynamicTracingLibraryHandle;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Strings = std::vector<std::string>;

DynamicTracingLibraryHandle Load(const std::string& path) {
  std::string message;
  auto handle = opentracing::DynamicallyLoadTracingLibrary(path.c_str(), message);
  if (!handle) throw std::runtime_error(message);
  return std::move(*handle);
}

std::string WithExporter(const std::string& exporter) {
  return R"({"service_name": "module_test", "exporter": {)" + exporter + "}}";
}

const char* const kScribe = R"("endpoint": "scribe://127.0.0.1:1")";
const char* const kThrift = R"("format": "thrift", "endpoint": "http://127.0.0.1:1/api/v1/spans")";
const char* const kKafka = R"("type": "kafka", "kafka_brokers": "127.0.0.1:1")";

/// Returns the error of the plugin at `path` for a configuration, or "" if it makes a tracer.
std::string ErrorOf(const std::string& path, const std::string& exporter) {
  const DynamicTracingLibraryHandle handle = Load(path);
  std::string message;
  const auto tracer = handle.tracer_factory().MakeTracer(WithExporter(exporter).c_str(), message);
  EXPECT_EQ(!tracer, !message.empty());
  return message;
}

/// A folder that contains only a copy of the plugin.
class Copy {
 public:
  Copy() { std::filesystem::copy(TRACEKIN_PLUGIN, plugin()); }

  std::filesystem::path folder() const { return folder_.path(); }
  std::string plugin() const { return folder() / "libtracekin_plugin.so"; }

 private:
  const TempFolder folder_;
};

/// Returns the lines that a command prints.
Strings LinesOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  if (output == nullptr) throw std::runtime_error("cannot run " + command);
  Strings lines;
  char line[4096];
  while (std::fgets(line, sizeof line, output.get()) != nullptr) lines.emplace_back(line);
  return lines;
}

bool IsInstalled(const char* file) { return dlopen(file, RTLD_LAZY) != nullptr; }

// Must run first in its process, because later the dynamic loader knows the modules by their names.
TEST(ModuleTest, SaysWhatToInstallWhereItIsMissing) {
  for (const char* file : {"libtracekin_thrift.so", "libtracekin_kafka.so"}) {
    if (IsInstalled(file)) GTEST_SKIP() << "this system has a " << file;
  }
  const Copy copy;
  const auto sentence = [](const std::string& setting, const std::string& name) {
    return "tracekin: " + setting + " needs libtracekin_" + name +
           ".so from the Debian package libtracekin-" + name +
           "0, which cannot be loaded (libtracekin_" + name +
           ".so: cannot open shared object file: No such file or directory); no module is needed "
           "for "
           "zipkin with json or proto3, file with json";
  };
  EXPECT_EQ(ErrorOf(copy.plugin(), kScribe), sentence("exporter.type \"scribe\"", "thrift"));
  EXPECT_EQ(ErrorOf(copy.plugin(), kThrift), sentence("exporter.format \"thrift\"", "thrift"));
  EXPECT_EQ(ErrorOf(copy.plugin(), kKafka), sentence("exporter.type \"kafka\"", "kafka"));
}

// Must also run before the other cases, for the same reason.
TEST(ModuleTest, IsNotLoadedFromTheCurrentFolder) {
  if (IsInstalled("libtracekin_thrift.so")) GTEST_SKIP() << "this system has a module";
  const Copy copy;
  const TempFolder here;
  const auto before = std::filesystem::current_path();
  std::filesystem::copy(TRACEKIN_OTHER_MODULE, here.path() + "/libtracekin_thrift.so");
  std::filesystem::current_path(here.path());
  const std::string error = ErrorOf(copy.plugin(), kThrift);
  std::filesystem::current_path(before);
  EXPECT_THAT(error, HasSubstr("cannot open shared object file"));
}

TEST(ModuleTest, OtherFormatsNeedNone) {
  const Copy copy;
  const std::string endpoint = R"("endpoint": "http://127.0.0.1:1/api/v2/spans")";
  EXPECT_EQ(ErrorOf(copy.plugin(), endpoint), "");
  EXPECT_EQ(ErrorOf(copy.plugin(), endpoint + R"(, "format": "proto3")"), "");
  const SpanFile file;
  EXPECT_EQ(ErrorOf(copy.plugin(), R"("path": ")" + file.path() + '"'), "");
  EXPECT_EQ(ErrorOf(copy.plugin(), R"("type": "none", "format": "thrift")"), "");
}

TEST(ModuleTest, RefusesOneOfAnotherVersion) {
  const Copy copy;
  for (const char* name : {"libtracekin_thrift.so", "libtracekin_kafka.so"}) {
    std::filesystem::copy(TRACEKIN_OTHER_MODULE, copy.folder() / name);
  }
  const std::string versions = " of this version of tracekin, " TRACEKIN_VERSION
                               ", module interface 3; found 0.0.1, module interface 0";
  const std::string thrift = " needs libtracekin_thrift.so" + versions;
  EXPECT_EQ(ErrorOf(copy.plugin(), kScribe), "tracekin: exporter.type \"scribe\"" + thrift);
  EXPECT_EQ(ErrorOf(copy.plugin(), kThrift), "tracekin: exporter.format \"thrift\"" + thrift);
  EXPECT_EQ(ErrorOf(copy.plugin(), kKafka),
            "tracekin: exporter.type \"kafka\" needs libtracekin_kafka.so" + versions);
}

TEST(ModuleTest, SaysWhyTheFileBesideItDoesNotLoad) {
  const Copy copy;
  std::ofstream(copy.folder() / "libtracekin_thrift.so") << "not a shared object\n";
  EXPECT_THAT(ErrorOf(copy.plugin(), kThrift),
              HasSubstr((copy.folder() / "libtracekin_thrift.so").string() + ": file too short"));
}

TEST(ModuleTest, SaysThatItIsNone) {
  const Copy copy;
  std::filesystem::copy(TRACEKIN_PLUGIN, copy.folder() / "libtracekin_kafka.so");
  EXPECT_THAT(ErrorOf(copy.plugin(), kKafka),
              HasSubstr("undefined symbol: tracekin_exporter_module"));
}

Strings Needed(const std::string& object) {
  Strings needed;
  for (std::string& line : LinesOf(TRACEKIN_READELF " -d -W " + object)) {
    if (line.find("(NEEDED)") != std::string::npos) needed.push_back(std::move(line));
  }
  EXPECT_THAT(needed, Contains(HasSubstr("libc.so"))) << object;
  return needed;
}

TEST(ModuleTest, HostsWithoutThemNeedNoneOfTheirLibraries) {
  for (const char* object : {TRACEKIN_PLUGIN, TRACEKIN_LIBRARY}) {
    EXPECT_THAT(Needed(object), Not(Contains(HasSubstr("thrift"))));
    EXPECT_THAT(Needed(object), Not(Contains(HasSubstr("rdkafka"))));
  }
}

[[maybe_unused]] void ExpectOneSymbol(const std::string& module) {
  EXPECT_THAT(LinesOf(TRACEKIN_NM " -D --defined-only --format=posix " + module),
              ElementsAre(StartsWith("tracekin_exporter_module T ")));
}

#ifdef TRACEKIN_THRIFT_MODULE
TEST(ModuleTest, ThriftAloneNeedsLibthrift) {
  EXPECT_THAT(Needed(TRACEKIN_THRIFT_MODULE), Contains(HasSubstr("libthrift")));
  EXPECT_THAT(Needed(TRACEKIN_THRIFT_MODULE), Not(Contains(HasSubstr("rdkafka"))));
  ExpectOneSymbol(TRACEKIN_THRIFT_MODULE);
}

/// Makes the plugin send one span to `server`, using the modules that were built in its folder.
std::string RequestFor(const FaultServer& server, const std::string& exporter) {
  const DynamicTracingLibraryHandle handle = Load(TRACEKIN_PLUGIN);
  std::string message;
  const auto tracer = handle.tracer_factory().MakeTracer(WithExporter(exporter).c_str(), message);
  EXPECT_TRUE(tracer) << message;
  if (!tracer) return {};
  (*tracer)->StartSpan("sent");
  (*tracer)->Close();
  const Strings requests = server.requests();
  EXPECT_EQ(requests.size(), 1u);
  return requests.empty() ? "" : requests[0];
}

TEST(ModuleTest, SendsThriftByTheOneBesideIt) {
  const FaultServer server([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
  const std::string endpoint =
      "http://127.0.0.1:" + std::to_string(server.port()) + "/api/v1/spans";
  EXPECT_THAT(RequestFor(server, R"("format": "thrift", "endpoint": ")" + endpoint + '"'),
              AllOf(HasSubstr("Content-Type: application/x-thrift\r\n"), HasSubstr("sent")));
}

TEST(ModuleTest, CallsScribeByTheOneBesideIt) {
  const FaultServer server([](FaultServer::Connection& c) {
    c.Write("\0\0\0\x14\0\0\0\3Log\2\0\0\0\0\x08\0\0\0\0\0\0\0"s);
  });
  const std::string endpoint = "scribe://127.0.0.1:" + std::to_string(server.port());
  EXPECT_THAT(RequestFor(server, R"("endpoint": ")" + endpoint + '"').substr(4),
              StartsWith("\0\0\0\3Log\1"s));
}
#endif

#ifdef TRACEKIN_KAFKA_MODULE
TEST(ModuleTest, KafkaAloneNeedsLibrdkafka) {
  EXPECT_THAT(Needed(TRACEKIN_KAFKA_MODULE), Contains(HasSubstr("librdkafka")));
  EXPECT_THAT(Needed(TRACEKIN_KAFKA_MODULE), Not(Contains(HasSubstr("thrift"))));
  ExpectOneSymbol(TRACEKIN_KAFKA_MODULE);
}

// tests/exporter/transport/kafka_server_test.cc tests with a real broker that the module also
// sends.
TEST(ModuleTest, ChecksKafkasPropertiesByTheOneBesideIt) {
  const SpanFile file("properties");
  std::ofstream(file.path()) << "no.such.property=1\n";
  EXPECT_THAT(ErrorOf(TRACEKIN_PLUGIN, kKafka + R"(, "kafka_config_file": ")"s + file.path() + '"'),
              AllOf(HasSubstr("exporter.kafka_config_file"), HasSubstr("no.such.property")));
}
#endif

}  // namespace
}  // namespace tracekin::testing
