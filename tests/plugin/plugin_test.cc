// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/attack.h"
#include "tests/support/fork.h"
#include "tests/support/span_file.h"
#include "tests/support/temp_folder.h"

namespace tracekin::testing {
namespace {

using opentracing::configuration_parse_error;
using opentracing::DynamicTracingLibraryHandle;
using opentracing::invalid_configuration_error;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

DynamicTracingLibraryHandle Load(const std::string& path = TRACEKIN_PLUGIN) {
  std::string message;
  auto handle = opentracing::DynamicallyLoadTracingLibrary(path.c_str(), message);
  if (!handle) throw std::runtime_error(message);
  EXPECT_EQ(message, "");
  return std::move(*handle);
}

std::shared_ptr<opentracing::Tracer> MakeTracer(const DynamicTracingLibraryHandle& handle,
                                                const std::string& configuration) {
  std::string message;
  auto tracer = handle.tracer_factory().MakeTracer(configuration.c_str(), message);
  EXPECT_TRUE(tracer) << message;
  EXPECT_EQ(message, "");
  return tracer.value_or(nullptr);
}

/// The factory's result for a configuration that it rejects.
struct Refusal {
  explicit Refusal(const char* configuration) {
    const DynamicTracingLibraryHandle handle = Load();
    auto tracer = handle.tracer_factory().MakeTracer(configuration, message);
    EXPECT_FALSE(tracer);
    if (!tracer) code = tracer.error();
  }
  std::error_code code;
  std::string message;
};

/// Returns the exported function, found like a host finds it.
OpenTracingMakeTracerFactoryType* FactoryMaker() {
  void* library = dlopen(TRACEKIN_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  auto* const symbol = static_cast<OpenTracingMakeTracerFactoryType**>(
      dlsym(library, "OpenTracingMakeTracerFactory"));
  EXPECT_NE(symbol, nullptr);
  return *symbol;
}

int EntriesOf(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<int>(std::distance(begin(entries), end(entries)));
}

int ThreadsOfThisProcess() { return EntriesOf("/proc/self/task"); }
int DescriptorsOfThisProcess() { return EntriesOf("/proc/self/fd"); }

int LinesOf(const char* path, const std::string& text) {
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line);) lines += line.find(text) != std::string::npos;
  return lines;
}

TEST(Plugin, RecordsSpans) {
  const SpanFile spans;
  const DynamicTracingLibraryHandle handle = Load();
  const auto tracer = MakeTracer(handle, spans.Configuration());
  {
    const auto parent = tracer->StartSpan("parent");
    const auto child = tracer->StartSpan("child", {opentracing::ChildOf(&parent->context())});
  }
  tracer->Close();
  EXPECT_THAT(spans.Values("name"), UnorderedElementsAre("parent", "child"));
  const std::vector<std::string> traces = spans.Values("traceId");
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0], traces[1]);
}

TEST(Plugin, ExportsOneSymbol) {
  const std::unique_ptr<FILE, int (*)(FILE*)> nm(
      popen(TRACEKIN_NM " -D --defined-only --format=posix " TRACEKIN_PLUGIN, "r"), pclose);
  ASSERT_NE(nm, nullptr);
  std::vector<std::string> symbols;
  char line[512];
  while (std::fgets(line, sizeof line, nm.get()) != nullptr) {
    symbols.emplace_back(line, std::string(line).find(' '));
  }
  EXPECT_THAT(symbols, ElementsAre("OpenTracingMakeTracerFactory"));
}

TEST(Plugin, SaysThatTheConfigurationIsNoJson) {
  for (const char* configuration : {static_cast<const char*>(nullptr), "", "  \n"}) {
    const Refusal refusal(configuration);
    EXPECT_TRUE(opentracing::are_errors_equal(refusal.code, configuration_parse_error));
    EXPECT_THAT(refusal.message, StartsWith("tracekin: the configuration is empty"));
  }
  const Refusal refusal("{\n\"service_name\": \"a\",\n}");
  EXPECT_TRUE(opentracing::are_errors_equal(refusal.code, configuration_parse_error));
  EXPECT_THAT(refusal.message, StartsWith("tracekin: the configuration is not JSON: line 3, "));
}

TEST(Plugin, SaysWhatIsWrongWithTheConfiguration) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({"service": "a"})", "did you mean \"service_name\"?"},
      {R"({"service_name": ""})", "service_name: not set"},
      {R"({"service_name": "a", "exporter": {"type": "zipkin"}})", "exporter.endpoint: not set"},
      {R"({"service_name": "a", "exporter": {"path": ""}})", "exporter.path: not set"},
      {R"({"service_name": "a", "exporter": {"endpoint": "localhost:9411"}})",
       "exporter.endpoint: expected a URL with a host and http:// or https:// or scribe://"},
      {R"({"service_name": "a", "exporter": {"queue_spans": 1}})", "exporter.queue_spans: "},
      {R"({"service_name": "a", "propagation": {"inject": ["b4"]}})", "propagation.inject: "},
  };
  for (const auto& [configuration, expected] : cases) {
    const Refusal refusal(configuration);
    EXPECT_TRUE(opentracing::are_errors_equal(refusal.code, invalid_configuration_error))
        << refusal.code;
    EXPECT_THAT(refusal.message, StartsWith("tracekin: "));
    EXPECT_THAT(refusal.message, HasSubstr(expected));
  }
}

TEST(Plugin, AppliesTheEnvironment) {
  const SpanFile spans;
  setenv("TRACEKIN_EXPORTER_PATH", spans.path().c_str(), 1);
  {
    const DynamicTracingLibraryHandle handle = Load();
    const auto tracer = MakeTracer(handle, R"({"service_name": "a"})");
    tracer->StartSpan("span")->Finish();
    tracer->Close();
  }
  EXPECT_THAT(spans.Values("name"), ElementsAre("span"));
  setenv("TRACEKIN_UST_ENABLED", "maybe", 1);
  const Refusal refusal(R"({"service_name": "a"})");
  unsetenv("TRACEKIN_UST_ENABLED");
  unsetenv("TRACEKIN_EXPORTER_PATH");
  EXPECT_TRUE(opentracing::are_errors_equal(refusal.code, invalid_configuration_error));
  EXPECT_THAT(refusal.message, StartsWith("tracekin: TRACEKIN_UST_ENABLED: "));
}

// A HAProxy whose new process cannot load its plugin keeps its old workers.
TEST(Plugin, IsNotLoadedWithAnInvalidConfigurationThatTheEnvironmentNames) {
  const TempFolder folder;
  const std::string path = folder.path() + "/tracekin.json";
  setenv("TRACEKIN_CONFIG", path.c_str(), 1);
  const auto refusal = [] {
    std::string message;
    EXPECT_FALSE(opentracing::DynamicallyLoadTracingLibrary(TRACEKIN_PLUGIN, message));
    return message;
  };
  EXPECT_EQ(refusal(), "tracekin: cannot read " + path + ": No such file or directory");
  std::ofstream(path) << R"({"service_nam": "a"})";
  EXPECT_EQ(refusal(),
            "tracekin: " + path + ": unknown key \"service_nam\"; did you mean \"service_name\"?");
  std::ofstream(path) << "{}";
  EXPECT_THAT(refusal(), HasSubstr(path + ": service_name: not set"));
  std::ofstream(path) << R"({"service_name": "a", "exporter": {"endpoint": "http://127.0.0.1/"}})";
  Load();
  unsetenv("TRACEKIN_CONFIG");
}

TEST(PluginFactoryMaker, RefusesAnotherAbi) {
  const void* category = nullptr;
  std::string message;
  void* factory = nullptr;
  const int code = FactoryMaker()(OPENTRACING_VERSION, "2", &category, &message, &factory);
  ASSERT_NE(category, nullptr);
  EXPECT_TRUE(opentracing::are_errors_equal(
      std::error_code(code, *static_cast<const std::error_category*>(category)),
      opentracing::incompatible_library_versions_error));
  EXPECT_EQ(factory, nullptr);
  EXPECT_THAT(message, HasSubstr("version " OPENTRACING_ABI_VERSION));
  EXPECT_THAT(message, HasSubstr("uses version 2"));

  category = nullptr;
  EXPECT_EQ(FactoryMaker()(OPENTRACING_VERSION, "3.1", &category, nullptr, &factory), 3);
  EXPECT_EQ(category, &opentracing::dynamic_load_error_category());
}

TEST(PluginFactoryMaker, TakesAnyVersionOfTheSameAbi) {
  for (const char* version : {"1.5.0", "1.99.0", static_cast<const char*>(nullptr)}) {
    const void* category = nullptr;
    std::string message;
    void* factory = nullptr;
    ASSERT_EQ(FactoryMaker()(version, OPENTRACING_ABI_VERSION, &category, &message, &factory), 0);
    EXPECT_NE(factory, nullptr);
    EXPECT_EQ(message, "");
    delete static_cast<opentracing::TracerFactory*>(factory);
  }
}

TEST(PluginFactoryMaker, SurvivesNullArguments) {
  const void* category = nullptr;
  std::string message;
  void* factory = nullptr;
  const auto make = FactoryMaker();
  EXPECT_NE(make(nullptr, nullptr, nullptr, nullptr, nullptr), 0);
  EXPECT_NE(make(OPENTRACING_VERSION, nullptr, &category, &message, &factory), 0);
  EXPECT_NE(make(OPENTRACING_VERSION, OPENTRACING_ABI_VERSION, nullptr, &message, &factory), 0);
  EXPECT_NE(make(OPENTRACING_VERSION, OPENTRACING_ABI_VERSION, &category, &message, nullptr), 0);
  EXPECT_EQ(factory, nullptr);
}

TEST(Plugin, IsLoadedAgainAndAgain) {
  const int rounds = Attacks(1000);
  const SpanFile spans;
  const auto use = [&spans] {
    const DynamicTracingLibraryHandle handle = Load();
    const auto tracer = MakeTracer(handle, spans.Configuration());
    tracer->StartSpan("span")->Finish();
    tracer->Close();
  };
  use();
  const int threads = ThreadsOfThisProcess();
  const int mappings = LinesOf("/proc/self/maps", "libtracekin_plugin.so");
  EXPECT_GT(mappings, 0);  // code that threads and LTTng may still run is not unloaded
  for (int round = 0; round < rounds; ++round) use();
  EXPECT_EQ(spans.Values("name").size(), static_cast<std::size_t>(rounds) + 1);
  EXPECT_EQ(LinesOf("/proc/self/maps", "libtracekin_plugin.so"), mappings);
  EXPECT_EQ(ThreadsOfThisProcess(), threads);
  ReportAttacks(static_cast<std::uint64_t>(rounds), "times loaded");
}

// Loads the plugin like a host that shields itself from a plugin's libraries.
TEST(Plugin, IsLoadedAgainAndAgainWithItsOwnSymbolsFirst) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers do not work with RTLD_DEEPBIND";
#endif
  const int rounds = Attacks(100);
  const SpanFile spans;
  const auto use = [&spans] {
    void* const library = dlopen(TRACEKIN_PLUGIN, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto make_factory = *static_cast<OpenTracingMakeTracerFactoryType**>(
        dlsym(library, "OpenTracingMakeTracerFactory"));
    const void* category = nullptr;
    std::string message;
    void* made = nullptr;
    ASSERT_EQ(
        make_factory(OPENTRACING_VERSION, OPENTRACING_ABI_VERSION, &category, &message, &made), 0);
    const std::unique_ptr<opentracing::TracerFactory> factory(
        static_cast<opentracing::TracerFactory*>(made));
    const auto tracer = factory->MakeTracer(spans.Configuration().c_str(), message);
    ASSERT_TRUE(tracer) << message;
    (*tracer)->StartSpan("span")->Finish();
    (*tracer)->Close();
    dlclose(library);
  };
  use();
  const int threads = ThreadsOfThisProcess();
  const int descriptors = DescriptorsOfThisProcess();
  for (int round = 0; round < rounds && !HasFailure(); ++round) use();
  EXPECT_EQ(spans.Values("name").size(), static_cast<std::size_t>(rounds) + 1);
  EXPECT_EQ(ThreadsOfThisProcess(), threads);
  EXPECT_EQ(DescriptorsOfThisProcess(), descriptors);
  ReportAttacks(static_cast<std::uint64_t>(rounds), "times loaded");
}

TEST(Plugin, MakesTracersThatDoNotDisturbEachOther) {
  const SpanFile first_spans("first");
  const SpanFile second_spans("second");
  const DynamicTracingLibraryHandle first_handle = Load();
  const DynamicTracingLibraryHandle second_handle = Load();
  const auto first = MakeTracer(first_handle, first_spans.Configuration());
  const auto second = MakeTracer(second_handle, second_spans.Configuration());
  first->StartSpan("one")->Finish();
  second->StartSpan("two")->Finish();
  first->Close();
  second->StartSpan("three")->Finish();
  second->Close();
  EXPECT_THAT(first_spans.Values("name"), ElementsAre("one"));
  EXPECT_THAT(second_spans.Values("name"), UnorderedElementsAre("two", "three"));
}

TEST(Plugin, ExportsWhatIsLeftWhenTheTracerIsDropped) {
  const SpanFile spans;
  const DynamicTracingLibraryHandle handle = Load();
  MakeTracer(handle, spans.Configuration())->StartSpan("span")->Finish();
  EXPECT_THAT(spans.Values("name"), ElementsAre("span"));
}

// A host with several configurations may load a copy from another folder. Then everything exists
// twice in the process, and a fork concerns both copies.
TEST(Plugin, TwoCopiesOfTheFileWorkInOneProcessAndItsChild) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const SpanFile first_spans("first");
  const SpanFile second_spans("second");
  const SpanFile copy("libtracekin_plugin_copy.so");
  std::filesystem::copy_file(TRACEKIN_PLUGIN, copy.path());
  const DynamicTracingLibraryHandle first_handle = Load();
  const DynamicTracingLibraryHandle second_handle = Load(copy.path());
  const auto first = MakeTracer(first_handle, first_spans.Configuration());
  const auto second = MakeTracer(second_handle, second_spans.Configuration());
  const auto record = [&](const char* name) {
    first->StartSpan(name)->Finish();
    second->StartSpan(name)->Finish();
  };
  record("before");
  const pid_t child = fork();
  if (child == 0) {
    record("child");
    first->Close();
    second->Close();
    _exit(0);
  }
  ASSERT_GT(child, 0);
  record("parent");
  first->Close();
  second->Close();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(first_spans.Values("name"), UnorderedElementsAre("before", "child", "parent"));
  EXPECT_THAT(second_spans.Values("name"), UnorderedElementsAre("before", "child", "parent"));
}

}  // namespace
}  // namespace tracekin::testing
