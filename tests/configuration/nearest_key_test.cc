// SPDX-License-Identifier: Apache-2.0
#include "configuration/nearest_key.h"

#include <gtest/gtest.h>

#include <string>

#include "configuration/table.h"

namespace tracekin::configuration {
namespace {

TEST(NearestKey, FindsEveryKeyWithOneCharacterMissing) {
  for (const Setting& setting : Settings()) {
    std::string misspelt(setting.path);
    misspelt.erase(misspelt.size() - 2, 1);
    EXPECT_EQ(NearestKey(misspelt), setting.path);
  }
}

TEST(NearestKey, FindsGroupsAndKeysOfOtherGroups) {
  EXPECT_EQ(NearestKey("propagations"), "propagation");
  EXPECT_EQ(NearestKey("queue_spans"), "exporter.queue_spans");
  EXPECT_EQ(NearestKey("exporter.rate"), "sampler.rate");
}

TEST(NearestKey, FindsWhatBeginsInTheSameWay) {
  EXPECT_EQ(NearestKey("service"), "service_name");
  EXPECT_EQ(NearestKey("exporter.flush"), "exporter.flush_interval_ms");
}

TEST(NearestKey, FindsNothingForWhatResemblesNothing) {
  EXPECT_EQ(NearestKey(""), "");
  EXPECT_EQ(NearestKey("x"), "");
  EXPECT_EQ(NearestKey("collector_host"), "");
  EXPECT_EQ(NearestKey(std::string(100'000, 'e')), "");
}

}  // namespace
}  // namespace tracekin::configuration
