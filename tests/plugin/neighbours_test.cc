// SPDX-License-Identifier: Apache-2.0
// Tests one process that links the library, loads the plugin and uses another vendor's tracer. None
// of them may affect the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/fork.h"
#include "tests/support/span_file.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using ::testing::UnorderedElementsAre;

class Loaded {
 public:
  Loaded(const char* library, const std::string& configuration) {
    std::string message;
    auto handle = opentracing::DynamicallyLoadTracingLibrary(library, message);
    EXPECT_TRUE(handle) << message;
    if (!handle) return;
    handle_ = std::make_unique<opentracing::DynamicTracingLibraryHandle>(std::move(*handle));
    auto tracer = handle_->tracer_factory().MakeTracer(configuration.c_str(), message);
    EXPECT_TRUE(tracer) << message;
    tracer_ = tracer.value_or(nullptr);
  }
  opentracing::Tracer* operator->() const { return tracer_.get(); }

 private:
  std::unique_ptr<opentracing::DynamicTracingLibraryHandle> handle_;
  std::shared_ptr<opentracing::Tracer> tracer_;
};

std::shared_ptr<Tracer> Linked(const SpanFile& spans) {
  std::string error;
  auto tracer = MakeTracerFromJson(spans.Configuration(), &error);
  EXPECT_NE(tracer, nullptr) << error;
  return tracer;
}

TEST(Neighbours, PluginAndLinkedLibraryKeepTheirSpansApart) {
  const SpanFile of_linked("linked"), of_plugin("plugin");
  const auto linked = Linked(of_linked);
  const Loaded plugin(TRACEKIN_PLUGIN, of_plugin.Configuration());
  {
    const auto outer = linked->StartSpan("linked");
    // The library's span contexts are foreign to the plugin, so such a span is a root.
    const auto inner = plugin->StartSpan("plugin", {opentracing::ChildOf(&outer->context())});
  }
  linked->Close();
  plugin->Close();
  EXPECT_THAT(of_linked.Values("name"), UnorderedElementsAre("linked"));
  EXPECT_THAT(of_plugin.Values("name"), UnorderedElementsAre("plugin"));
  EXPECT_NE(of_linked.Values("traceId"), of_plugin.Values("traceId"));
}

TEST(Neighbours, PluginAndLinkedLibraryGoOnInTheChildOfAFork) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const SpanFile of_linked("linked"), of_plugin("plugin");
  const auto linked = Linked(of_linked);
  const Loaded plugin(TRACEKIN_PLUGIN, of_plugin.Configuration());
  InFork([&] {
    linked->StartSpan("child, linked")->Finish();
    plugin->StartSpan("child, plugin")->Finish();
    linked->Close();
    plugin->Close();
  });
  linked->StartSpan("parent, linked")->Finish();
  plugin->StartSpan("parent, plugin")->Finish();
  linked->Close();
  plugin->Close();
  EXPECT_THAT(of_linked.Values("name"), UnorderedElementsAre("child, linked", "parent, linked"));
  EXPECT_THAT(of_plugin.Values("name"), UnorderedElementsAre("child, plugin", "parent, plugin"));
}

TEST(Neighbours, AnotherVendorsPluginWorksBesideOurs) {
  const char* const theirs = TRACEKIN_OTHER_PLUGIN;
  if (!std::filesystem::exists(theirs)) GTEST_SKIP() << "libdd-opentracing0 is not installed";
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "libdd-opentracing0 leaks";
#endif
  FaultServer agent([](FaultServer::Connection& c) { c.Answer("200 OK", "{}"); });
  const SpanFile spans;
  {
    const Loaded ours(TRACEKIN_PLUGIN, spans.Configuration());
    const Loaded other(theirs, R"({"service":"other","agent_host":"127.0.0.1","agent_port":)" +
                                   std::to_string(agent.port()) + "}");
    for (int i = 0; i < 100; ++i) {
      const auto outer = other->StartSpan("theirs");
      const auto inner = ours->StartSpan("ours", {opentracing::ChildOf(&outer->context())});
    }
    other->Close();
    ours->Close();
  }
  EXPECT_EQ(spans.Values("name"), std::vector<std::string>(100, "ours"));
  EXPECT_GE(agent.requests().size(), 1U);
}

}  // namespace
}  // namespace tracekin::testing
