// SPDX-License-Identifier: Apache-2.0
// Tests Tracer::Inject and Tracer::Extract for each kind of carrier. The wire formats have separate
// tests. These tests cover what the API specifies for every tracer.

#include <gtest/gtest.h>
#include <opentracing/mocktracer/tracer.h>
#include <opentracing/noop.h>

#include <cctype>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::HTTPHeadersReader;
using opentracing::HTTPHeadersWriter;
using opentracing::TextMapReader;
using opentracing::TextMapWriter;

template <class Carrier>
class TextCarrier : public ::testing::Test {};

template <class TheReader, class TheWriter, class ThePairs>
struct Kind {
  using Reader = TheReader;
  using Writer = TheWriter;
  using Carrier = ThePairs;
};
using Kinds = ::testing::Types<Kind<TextMapReader, TextMapWriter, Pairs>,
                               Kind<TextMapReader, TextMapWriter, LookupPairs>,
                               Kind<HTTPHeadersReader, HTTPHeadersWriter, Pairs>,
                               Kind<HTTPHeadersReader, HTTPHeadersWriter, LookupPairs>>;
TYPED_TEST_SUITE(TextCarrier, Kinds);

Options WithFormats(const std::vector<std::string>& formats) {
  Options options;
  options.propagation.inject = formats;
  options.propagation.extract = formats;
  return options;
}

TYPED_TEST(TextCarrier, InjectExtractInjectIsTheSame) {
  using Reader = const typename TypeParam::Reader&;
  using Writer = const typename TypeParam::Writer&;
  for (const char* format : {"b3", "b3multi", "tracecontext", "jaeger"}) {
    RecordingTracer tracer(WithFormats({format, "baggage"}));
    const auto parent = tracer->StartSpan("parent");
    const auto span = tracer->StartSpan("span", {opentracing::ChildOf(&parent->context())});
    span->SetBaggageItem("key", "a value, with \"signs\" and \u20ac");
    span->SetBaggageItem("other", "");
    typename TypeParam::Carrier first;
    ASSERT_TRUE(tracer->Inject(span->context(), static_cast<Writer>(first)));
    EXPECT_EQ(first.repeated, 0);
    const auto extracted = tracer->Extract(static_cast<Reader>(first));
    ASSERT_TRUE(extracted);
    ASSERT_NE(*extracted, nullptr);
    EXPECT_EQ((*extracted)->ToTraceID(), span->context().ToTraceID());
    EXPECT_EQ((*extracted)->ToSpanID(), span->context().ToSpanID());
    typename TypeParam::Carrier second;
    ASSERT_TRUE(tracer->Inject(**extracted, static_cast<Writer>(second)));
    EXPECT_EQ(first.pairs, second.pairs) << format;
  }
}

TYPED_TEST(TextCarrier, ExtractsNothingFromOneWithoutOurKeys) {
  using Reader = const typename TypeParam::Reader&;
  const RecordingTracer tracer;
  const typename TypeParam::Carrier empty;
  const typename TypeParam::Carrier unrelated = {{"Host", "example.org"}, {"", ""}, {"b", "3"}};
  for (const auto* carrier : {&empty, &unrelated}) {
    const auto extracted = tracer->Extract(static_cast<Reader>(*carrier));
    ASSERT_TRUE(extracted);
    EXPECT_EQ(*extracted, nullptr);
  }
}

TYPED_TEST(TextCarrier, KeysMatchInAnyCase) {
  using Reader = const typename TypeParam::Reader&;
  using Writer = const typename TypeParam::Writer&;
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  typename TypeParam::Carrier carrier;
  ASSERT_TRUE(tracer->Inject(span->context(), static_cast<Writer>(carrier)));
  for (const bool upper : {true, false}) {
    const typename TypeParam::Carrier changed(
        WithKeys(carrier, [upper](char c) { return upper ? std::toupper(c) : std::tolower(c); }));
    const auto extracted = tracer->Extract(static_cast<Reader>(changed));
    ASSERT_TRUE(extracted);
    ASSERT_NE(*extracted, nullptr);
    EXPECT_EQ((*extracted)->ToSpanID(), span->context().ToSpanID());
  }
}

TYPED_TEST(TextCarrier, CorruptedIdsAreAnError) {
  using Reader = const typename TypeParam::Reader&;
  const RecordingTracer tracer;
  const typename TypeParam::Carrier carriers[] = {
      {{"x-b3-traceid", "not hex"}, {"x-b3-spanid", "1111111111111111"}},
      {{"x-b3-traceid", ""}, {"x-b3-spanid", ""}},
      {{"x-b3-traceid", "1111111111111111"}},
      // zipkin-cpp-opentracing counts ids instead of checking their names, and uses a span id that
      // it never read.
      {{"x-b3-traceid", "1111111111111111"}, {"x-b3-traceid", "1111111111111111"}},
      {{"x-b3-traceid", "0000000000000000"}, {"x-b3-spanid", "1111111111111111"}},
      {{"b3", "garbage"}},
      {{"traceparent", "00-0-0-0"}},
      {{"uber-trace-id", ":::"}},
  };
  for (const auto& carrier : carriers) {
    const auto extracted = tracer->Extract(static_cast<Reader>(carrier));
    ASSERT_FALSE(extracted) << carrier.pairs[0].first;
    EXPECT_TRUE(opentracing::are_errors_equal(extracted.error(),
                                              opentracing::span_context_corrupted_error));
  }
}

// W3C Trace Context level 2, "Random trace-id flag": it stays unchanged as long as the trace id
// does.
TEST(Inject, KeepsTheRandomFlagOfATraceIdThatCameWithIt) {
  const RecordingTracer tracer(WithFormats({"tracecontext"}));
  for (const std::string flags : {"00", "01", "02", "03"}) {
    const std::string trace = "00-11111111111111112222222222222222-";
    const Pairs carrier = {{"traceparent", trace + "3333333333333333-" + flags}};
    const auto extracted = tracer->Extract(static_cast<const TextMapReader&>(carrier));
    ASSERT_TRUE(extracted);
    const auto child = tracer->StartSpan("a", {opentracing::ChildOf(extracted->get())});
    Pairs same;
    Pairs next;
    ASSERT_TRUE(tracer->Inject(**extracted, static_cast<const TextMapWriter&>(same)));
    ASSERT_TRUE(tracer->Inject(child->context(), static_cast<const TextMapWriter&>(next)));
    EXPECT_EQ(same.Map().at("traceparent"), carrier.Map().at("traceparent"));
    EXPECT_EQ(next.Map().at("traceparent"), trace + child->context().ToSpanID() + '-' + flags);
  }
}

TEST(LookupKey, SparesTheIteration) {
  const RecordingTracer tracer(WithFormats({"b3multi"}));
  const auto span = tracer->StartSpan("a");
  LookupPairs carrier;
  ASSERT_TRUE(tracer->Inject(span->context(), static_cast<const TextMapWriter&>(carrier)));
  const auto extracted = tracer->Extract(static_cast<const TextMapReader&>(carrier));
  ASSERT_TRUE(extracted);
  EXPECT_NE(*extracted, nullptr);
  EXPECT_GT(carrier.lookups, 0);
  EXPECT_EQ(carrier.iterations, 0);
  const LookupPairs empty;
  ASSERT_TRUE(tracer->Extract(static_cast<const TextMapReader&>(empty)));
  EXPECT_EQ(empty.iterations, 0);
}

// nginx-opentracing injects one context when it starts, and forwards only the keys that it saw
// then. A parent and baggage have their own keys.
TEST(Inject, WritesTheSameKeysForEverySpan) {
  const RecordingTracer tracer(WithFormats({"b3", "b3multi", "tracecontext", "baggage"}));
  const auto root = tracer->StartSpan("root");
  const auto child = tracer->StartSpan("child", {opentracing::ChildOf(&root->context())});
  const auto unsampled = tracer->StartSpan("dummySpan");
  unsampled->SetTag("sampling.priority", 0);
  const auto with_baggage = tracer->StartSpan("with baggage");
  with_baggage->SetBaggageItem("key", "value");
  std::set<std::set<std::string>> key_sets;
  for (const auto* span : {&root, &child, &unsampled, &with_baggage}) {
    Pairs carrier;
    ASSERT_TRUE(tracer->Inject((*span)->context(), static_cast<const TextMapWriter&>(carrier)));
    std::set<std::string> keys;
    for (const auto& pair : carrier.pairs) keys.insert(pair.first);
    EXPECT_EQ(keys.erase("x-b3-parentspanid"), span == &child ? 1u : 0u);
    EXPECT_EQ(keys.erase("baggage"), span == &with_baggage ? 1u : 0u);
    key_sets.insert(keys);
  }
  EXPECT_EQ(key_sets.size(), 1u);
}

TEST(Inject, OfAForeignContextIsAnError) {
  const RecordingTracer tracer;
  const auto noop = opentracing::MakeNoopTracer();
  const auto noop_span = noop->StartSpan("a");
  const auto mock = std::make_shared<opentracing::mocktracer::MockTracer>(
      opentracing::mocktracer::MockTracerOptions{});
  const auto mock_span = mock->StartSpan("b");
  for (const auto* span : {&noop_span, &mock_span}) {
    const opentracing::SpanContext& context = (*span)->context();
    Pairs pairs;
    std::ostringstream stream;
    for (const auto& result : {tracer->Inject(context, static_cast<const TextMapWriter&>(pairs)),
                               tracer->Inject(context, static_cast<HTTPHeadersWriter&>(pairs)),
                               tracer->Inject(context, stream)}) {
      ASSERT_FALSE(result);
      EXPECT_TRUE(
          opentracing::are_errors_equal(result.error(), opentracing::invalid_span_context_error));
    }
    EXPECT_TRUE(pairs.pairs.empty());
    EXPECT_EQ(stream.str(), "");
  }
}

using Extracted = opentracing::expected<std::unique_ptr<opentracing::SpanContext>>;

Extracted ExtractText(const Tracer& tracer, const HTTPHeadersReader& carrier) {
  return tracer.Extract(static_cast<const TextMapReader&>(carrier));
}
Extracted ExtractHeaders(const Tracer& tracer, const HTTPHeadersReader& carrier) {
  return tracer.Extract(carrier);
}

TEST(FailingTextCarrier, HasItsErrorPassedOn) {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  const auto error = std::make_error_code(std::errc::connection_reset);
  const FailingCarrier carrier(error);
  for (const auto& injected :
       {tracer->Inject(span->context(), static_cast<const TextMapWriter&>(carrier)),
        tracer->Inject(span->context(), static_cast<const HTTPHeadersWriter&>(carrier))}) {
    ASSERT_FALSE(injected);
    EXPECT_EQ(injected.error(), error);
  }
  for (auto* extract : {&ExtractText, &ExtractHeaders}) {
    const auto extracted = extract(*tracer, carrier);
    ASSERT_FALSE(extracted);
    EXPECT_EQ(extracted.error(), error);
  }
}

TEST(CustomCarrier, IsGivenTheTracer) {
  struct Carrier : opentracing::CustomCarrierWriter, opentracing::CustomCarrierReader {
    opentracing::expected<void> Inject(const opentracing::Tracer& by,
                                       const opentracing::SpanContext& context) const override {
      return by.Inject(context, static_cast<const TextMapWriter&>(pairs));
    }
    opentracing::expected<std::unique_ptr<opentracing::SpanContext>> Extract(
        const opentracing::Tracer& by) const override {
      return by.Extract(static_cast<const TextMapReader&>(pairs));
    }
    Pairs pairs;
  };
  const RecordingTracer recording;
  const opentracing::Tracer& tracer = *recording;
  const auto span = tracer.StartSpan("a");
  const Carrier carrier;
  ASSERT_TRUE(tracer.Inject(span->context(),
                            static_cast<const opentracing::CustomCarrierWriter&>(carrier)));
  const auto extracted =
      tracer.Extract(static_cast<const opentracing::CustomCarrierReader&>(carrier));
  ASSERT_TRUE(extracted);
  EXPECT_EQ((*extracted)->ToSpanID(), span->context().ToSpanID());
}

TEST(BinaryCarrier, InjectExtractInjectIsTheSame) {
  const RecordingTracer tracer;
  const auto parent = tracer->StartSpan("parent");
  const auto span = tracer->StartSpan("span", {opentracing::ChildOf(&parent->context())});
  span->SetBaggageItem("key", std::string("a\0\xff", 3));
  std::stringstream first;
  ASSERT_TRUE(tracer->Inject(span->context(), first));
  const std::string bytes = first.str();
  const auto extracted = tracer->Extract(first);
  ASSERT_TRUE(extracted);
  ASSERT_NE(*extracted, nullptr);
  EXPECT_EQ((*extracted)->ToTraceID(), span->context().ToTraceID());
  std::ostringstream second;
  ASSERT_TRUE(tracer->Inject(**extracted, second));
  EXPECT_EQ(bytes, second.str());
}

TEST(BinaryCarrier, EmptyIsNoContext) {
  const RecordingTracer tracer;
  std::istringstream carrier;
  const auto extracted = tracer->Extract(carrier);
  ASSERT_TRUE(extracted);
  EXPECT_EQ(*extracted, nullptr);
}

TEST(BinaryCarrier, GarbageAndEveryShorterMessageAreCorrupted) {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetBaggageItem("key", "value");
  std::ostringstream whole;
  ASSERT_TRUE(tracer->Inject(span->context(), whole));
  std::vector<std::string> messages = {"abc 123", std::string(1 << 16, '\xff'), "\n"};
  for (std::size_t size = 1; size < whole.str().size(); ++size) {
    messages.push_back(whole.str().substr(0, size));
  }
  for (const std::string& message : messages) {
    std::istringstream carrier(message);
    const auto extracted = tracer->Extract(carrier);
    ASSERT_FALSE(extracted) << message.size();
    EXPECT_TRUE(opentracing::are_errors_equal(extracted.error(),
                                              opentracing::span_context_corrupted_error));
  }
}

TEST(BinaryCarrier, ThatHasFailedIsAnError) {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  std::stringstream carrier;
  ASSERT_TRUE(tracer->Inject(span->context(), carrier));
  carrier.setstate(std::ios_base::failbit);
  EXPECT_FALSE(tracer->Extract(carrier));
  EXPECT_FALSE(tracer->Inject(span->context(), carrier));
  carrier.clear();
  carrier.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  EXPECT_TRUE(tracer->Extract(carrier));
}

}  // namespace
}  // namespace tracekin::testing
