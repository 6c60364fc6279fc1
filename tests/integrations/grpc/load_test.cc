// SPDX-License-Identifier: Apache-2.0
// Makes many calls from many threads and checks that each call has a matching pair of spans.
#include <cstdint>
#include <map>
#include <set>
#include <thread>

#include "tests/integrations/grpc/echo_test.h"

namespace tracekin::testing {
namespace {

using ::testing::SizeIs;

constexpr int kThreads = 8;
constexpr int kCallsOfAThread = 84;  // Times eight threads and three APIs: 2016 calls.

class LoadTest : public EchoTest, public ::testing::WithParamInterface<Api> {};
INSTANTIATE_TEST_SUITE_P(All, LoadTest, ::testing::ValuesIn(kApis),
                         [](const auto& test) { return Name(test.param); });

TEST_P(LoadTest, EveryCallHasItsOwnPairOfSpans) {
  Serve(GetParam());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < kCallsOfAThread; ++i) {
        grpc::ClientContext context;
        EXPECT_TRUE(Call(kApis[i % 3], kKinds[(i + thread) % 4], *stub_, context, {}).ok());
        EXPECT_EQ(ActiveSpan(), nullptr);
      }
    });
  }
  for (auto& thread : threads) thread.join();

  const auto spans = AllSpans();
  std::map<std::uint64_t, const SpanData*> clients;
  for (const auto& span : spans) {
    if (Tag(span, "span.kind") == "client") clients[span.span_context.span_id] = &span;
  }
  EXPECT_THAT(spans, SizeIs(2 * kThreads * kCallsOfAThread));
  EXPECT_THAT(clients, SizeIs(kThreads * kCallsOfAThread));
  std::set<std::uint64_t> served;
  for (const auto& server : OfKind(spans, "server")) {
    ASSERT_THAT(server.references, SizeIs(1));
    const auto client = clients.find(server.references[0].span_id);
    ASSERT_NE(client, clients.end());
    EXPECT_EQ(server.operation_name, client->second->operation_name);
    EXPECT_TRUE(served.insert(client->first).second) << "two server spans of one call";
  }
  EXPECT_EQ(served.size(), clients.size());
}

}  // namespace
}  // namespace tracekin::testing
