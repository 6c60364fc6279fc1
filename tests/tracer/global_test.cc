// SPDX-License-Identifier: Apache-2.0
// Tests our tracer as the global tracer of the process.

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

/// Restores the global tracer when the test ends.
class GlobalTracer : public ::testing::Test {
 protected:
  ~GlobalTracer() override { opentracing::Tracer::InitGlobal(std::move(before_)); }

 private:
  std::shared_ptr<opentracing::Tracer> before_ = opentracing::Tracer::Global();
};

TEST_F(GlobalTracer, IsOursOnceItIsSet) {
  RecordingTracer tracer;
  EXPECT_NE(opentracing::Tracer::InitGlobal(tracer.shared()), nullptr);
  EXPECT_TRUE(opentracing::Tracer::IsGlobalTracerRegistered());
  EXPECT_EQ(opentracing::Tracer::Global(), tracer.shared());
  opentracing::Tracer::Global()->StartSpan("a");
  EXPECT_EQ(tracer.OnlySpan().name, "a");
}

TEST_F(GlobalTracer, KeepsTheTracerUntilAnotherReplacesIt) {
  RecordingTracer tracer;
  opentracing::Tracer::InitGlobal(tracer.shared());
  tracer.Release();
  opentracing::Tracer::Global()->StartSpan("a");
  EXPECT_FALSE(tracer.Destroyed());
  RecordingTracer next;
  opentracing::Tracer::InitGlobal(next.shared());
  EXPECT_TRUE(tracer.Destroyed());
  EXPECT_EQ(tracer.collector().spans().size(), 1u);
}

TEST_F(GlobalTracer, ClosesAsAnyOther) {
  RecordingTracer tracer;
  opentracing::Tracer::InitGlobal(tracer.shared());
  opentracing::Tracer::Global()->StartSpan("a");
  opentracing::Tracer::Global()->Close();
  EXPECT_EQ(tracer->counters().exported, 1u);
}

}  // namespace
}  // namespace tracekin::testing
