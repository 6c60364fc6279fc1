// SPDX-License-Identifier: Apache-2.0
#include "tools/record/summary.h"

#include <gtest/gtest.h>

namespace tracekin::record {
namespace {

TEST(RecordSummary, ShowsNamesThatProcessesChoseWithoutTheirEscapes) {
  Summary summary;
  summary.events = {{"tracekin:\x1b[2J", 1}};
  summary.processes = {{7, "\x1b[31mHI\x07"}};
  EXPECT_EQ(Describe(summary, 1 << 20),
            "             1  tracekin:\\x1b[2J\nprocess 7  \\x1b[31mHI\\x07\n");
}

}  // namespace
}  // namespace tracekin::record
