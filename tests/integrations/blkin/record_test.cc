// SPDX-License-Identifier: Apache-2.0
// Tests BlkKin's records as LTTng-UST events, with a recorder that replaces the provider.

#include "integrations/blkin/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "integrations/blkin/process.h"
#include "tests/integrations/blkin/blkin_tracer.h"
#include "ust/loader.h"

namespace tracekin::testing {
namespace {

using blkin::Origin;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> events;
int listening = 0;

std::string Text(const tracekin_ust_zipkin* origin) {
  return std::string(origin->trace_name) + ' ' + origin->service_name + ' ' + origin->ip + ' ' +
         std::to_string(origin->port_no) + ' ' + std::to_string(origin->trace_id) + ' ' +
         std::to_string(origin->span_id) + ' ' + std::to_string(origin->parent_span_id);
}

const tracekin_ust_recorder kRecorder = [] {
  tracekin_ust_recorder recorder = *ust::Recorder();  // a dormant one
  recorder.zipkin_timestamp_enabled = &listening;
  recorder.zipkin_keyval_enabled = &listening;
  recorder.zipkin_keyval_string_enabled = &listening;
  recorder.zipkin_keyval_integer_enabled = &listening;
  recorder.zipkin_timestamp = [](const tracekin_ust_zipkin* origin, const char* event) {
    events.push_back("timestamp " + Text(origin) + ' ' + event);
  };
  recorder.zipkin_keyval = [](const tracekin_ust_zipkin* origin, const char* key, const char* val) {
    events.push_back("keyval " + Text(origin) + ' ' + key + '=' + val);
  };
  recorder.zipkin_keyval_string = [](const tracekin_ust_zipkin* origin, const char* key,
                                     const char* val) {
    events.push_back("keyval_string " + Text(origin) + ' ' + key + '=' + val);
  };
  recorder.zipkin_keyval_integer = [](const tracekin_ust_zipkin* origin, const char* key,
                                      std::int64_t val) {
    events.push_back("keyval_integer " + Text(origin) + ' ' + key + '=' + std::to_string(val));
  };
  return recorder;
}();

class BlkinRecord : public ::testing::Test {
 protected:
  BlkinRecord() {
    blkin::Initialise();  // otherwise the first record would replace the recorder
    before_ = ust::internal::recorder.exchange(&kRecorder);
    listening = 1;
    events.clear();
  }
  ~BlkinRecord() override { ust::internal::recorder = before_; }

  static constexpr Origin kOrigin = {{-1, 2, 3}, "op", "osd.1", "10.0.0.1", -25536};

 private:
  const tracekin_ust_recorder* before_;
};

TEST_F(BlkinRecord, EachKindIsAnEventOfItsOwn) {
  blkin::RecordTimestamp(kOrigin, "start");
  blkin::RecordKeyval(kOrigin, "k", "v");
  blkin::RecordKeyvalString(kOrigin, "k", "v");
  blkin::RecordKeyvalInteger(kOrigin, "k", std::numeric_limits<std::int64_t>::min());
  const std::string origin = "op osd.1 10.0.0.1 -25536 -1 2 3";
  EXPECT_THAT(events, ElementsAre("timestamp " + origin + " start", "keyval " + origin + " k=v",
                                  "keyval_string " + origin + " k=v",
                                  "keyval_integer " + origin + " k=-9223372036854775808"));
}

TEST_F(BlkinRecord, NothingIsRecordedWhileNobodyListens) {
  listening = 0;
  blkin::RecordTimestamp(kOrigin, "start");
  blkin::RecordKeyval(kOrigin, "k", "v");
  blkin::RecordKeyvalString(kOrigin, "k", "v");
  blkin::RecordKeyvalInteger(kOrigin, "k", 1);
  EXPECT_THAT(events, IsEmpty());
}

TEST_F(BlkinRecord, NothingIsRecordedOfWhatIsNotTraced) {
  BlkinTracer tracer;
  const Origin untraced = {{0, 2, 3}, "op", "osd.1", "10.0.0.1", 1};
  blkin::RecordTimestamp(untraced, "end");
  blkin::RecordKeyval(untraced, "k", "v");
  blkin::RecordKeyvalString(untraced, "k", "v");
  blkin::RecordKeyvalInteger(untraced, "k", 1);
  EXPECT_THAT(events, IsEmpty());
  EXPECT_THAT(tracer.All(), IsEmpty());
}

TEST_F(BlkinRecord, ARecordIsAnEventAndPartOfASpan) {
  BlkinTracer tracer;
  blkin::RecordTimestamp(kOrigin, "end");
  EXPECT_THAT(events, ElementsAre("timestamp op osd.1 10.0.0.1 -25536 -1 2 3 end"));
  EXPECT_THAT(Events(tracer.OnlySpan()), ElementsAre("end"));
}

TEST_F(BlkinRecord, TextIsMadeValidAndCut) {
  const std::string huge(100'000, 'x'), umlauts = "\xC3\xA4\xC3\xB6 \"\n\\";
  std::string cut = std::string(32767, 'x') + "\xC3\xA4 and more";
  blkin::RecordKeyval(kOrigin, "a\xFF", umlauts.c_str());
  blkin::RecordKeyval(kOrigin, "", huge.c_str());
  blkin::RecordKeyval(kOrigin, "", cut.c_str());
  const std::string origin = "keyval op osd.1 10.0.0.1 -25536 -1 2 3 ";
  EXPECT_THAT(events, ElementsAre(origin + "a\xEF\xBF\xBD=" + umlauts,
                                  origin + '=' + std::string(32768, 'x'),
                                  origin + '=' + std::string(32767, 'x')));
}

}  // namespace
}  // namespace tracekin::testing
