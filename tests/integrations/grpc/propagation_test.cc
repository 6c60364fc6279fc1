// SPDX-License-Identifier: Apache-2.0
// Tests calls whose context cannot be propagated, and calls that are not traced.
#include <stdexcept>

#include "tests/integrations/grpc/echo_test.h"

namespace tracekin::testing {
namespace {

using ::testing::SizeIs;

constexpr char kHeader[] = "x-ot-span-context";  // The header of MockTracer.

class PropagationTest : public EchoTest {
 protected:
  // Makes a call and expects it to succeed.
  void MakeCall(const std::multimap<std::string, std::string>& metadata = {}) {
    grpc::ClientContext context;
    for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
    const auto status = Call(Api::kSync, Kind::kUnary, *stub_, context, {});
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  static std::shared_ptr<opentracing::Tracer> MakeTracerWithHeader(std::shared_ptr<SpanLog> log,
                                                                   const std::string& header) {
    opentracing::mocktracer::PropagationOptions propagation;
    propagation.propagation_key = header;
    return MakeTracer(std::move(log), propagation);
  }
};

TEST_F(PropagationTest, MetadataThatCannotBeReadGivesASpanWithoutParentThatSaysSo) {
  Serve(Api::kSync, TracedServer(tracer_), {});
  MakeCall({{kHeader, "no such thing"}});
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_THAT(spans[0].references, SizeIs(0));
  EXPECT_EQ(Tag(spans[0], "grpc.status_code"), "OK");
  ASSERT_THAT(spans[0].logs, SizeIs(1));
  EXPECT_EQ(Text(spans[0].logs[0].fields[0].second), "propagation");
}

TEST_F(PropagationTest, ACallWithoutContextGivesASpanWithoutParent) {
  Serve(Api::kSync, TracedServer(tracer_), {});
  MakeCall();
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_THAT(spans[0].references, SizeIs(0));
  EXPECT_THAT(spans[0].logs, SizeIs(0));
}

TEST_F(PropagationTest, TheClientSpanReplacesAContextThatTheApplicationForwards) {
  Serve(Api::kSync);
  MakeCall({{kHeader, "forwarded"}, {kHeader, "twice"}});
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_TRUE(IsChildOf(OfKind(spans, "server")[0], OfKind(spans, "client")[0]));
}

TEST_F(PropagationTest, AKeyInUpperCaseTravelsInLowerCase) {
  tracer_ = MakeTracerWithHeader(log_, "X-Trace-Context");
  Serve(Api::kSync);
  MakeCall();
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_TRUE(IsChildOf(OfKind(spans, "server")[0], OfKind(spans, "client")[0]));
}

TEST_F(PropagationTest, AContextThatIsNotLegalMetadataIsNotSent) {
  tracer_ = MakeTracerWithHeader(log_, "a key\nwith: blanks");
  Serve(Api::kSync);
  MakeCall();
  const auto servers = OfKind(AllSpans(), "server");
  ASSERT_THAT(servers, SizeIs(1));
  EXPECT_THAT(servers[0].references, SizeIs(0));
}

TEST_F(PropagationTest, BaggageThatWouldNotFitIsNotSent) {
  Serve(Api::kSync);
  auto caller = tracer_->StartSpan("caller");
  caller->SetBaggageItem("much", std::string(20000, 'x'));
  const Scope scope(*caller);
  MakeCall();
  EXPECT_THAT(OfKind(AllSpans(), "server"), SizeIs(1));
}

TEST_F(PropagationTest, ATracerThatCannotInjectDoesNotFailTheCall) {
  opentracing::mocktracer::PropagationOptions propagation;
  propagation.inject_error_code = opentracing::invalid_carrier_error;
  Serve(Api::kSync, TracedServer(tracer_), Traced(MakeTracer(log_, propagation)));
  MakeCall();
  EXPECT_THAT(AllSpans(), SizeIs(2));
}

// A gateway may forward all metadata that it has received, including the entry of this library.
TEST_F(PropagationTest, AHandlersMetadataCanBeForwarded) {
  std::multimap<std::string, std::string> metadata;
  hooks_.on_call = [&](const grpc::ServerContextBase& context) {
    for (const auto& [key, value] : context.client_metadata()) {
      metadata.emplace(std::string(key.data(), key.size()),
                       std::string(value.data(), value.size()));
    }
  };
  Serve(Api::kSync);
  MakeCall();
  metadata.erase("user-agent");
  const opentracing::Span* seen = nullptr;
  hooks_.on_call = [&](const grpc::ServerContextBase& context) { seen = GrpcServerSpan(context); };
  Serve(Api::kSync, {}, Traced(tracer_));
  MakeCall(metadata);
  EXPECT_EQ(seen, nullptr) << "metadata from outside was taken for a span";
}

using UntracedTest = PropagationTest;

TEST_F(UntracedTest, WithoutATracerCallsPassThrough) {
  const opentracing::Span* seen = nullptr;
  hooks_.on_call = [&](const grpc::ServerContextBase& context) { seen = GrpcServerSpan(context); };
  Serve(Api::kSync, TracedServer(nullptr), Traced(nullptr));
  MakeCall();
  EXPECT_EQ(seen, nullptr);
}

TEST_F(UntracedTest, WithoutATracerAGlobalFactoryPassesCallsThrough) {
  const auto factory = MakeGrpcClientInterceptorFactory(nullptr);
  grpc::experimental::RegisterGlobalClientInterceptorFactory(factory.get());
  Serve(Api::kSync, {}, {});
  MakeCall();
  grpc::experimental::TestOnlyResetGlobalClientInterceptorFactory();
}

TEST_F(UntracedTest, AFilterLeavesCallsOut) {
  const auto no_streams = [](std::string_view method) {
    return method != "/tracekin.test.Echo/Bidi";
  };
  Serve(Api::kSync, TracedServer(tracer_, {no_streams}), Traced(tracer_, {no_streams, {}}));
  MakeCall();
  grpc::ClientContext context;
  ASSERT_TRUE(Call(Api::kSync, Kind::kBidi, *stub_, context, {}).ok());
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(2));
  for (const auto& span : spans) EXPECT_EQ(span.operation_name, "tracekin.test.Echo/Unary");
}

TEST_F(UntracedTest, AFilterThatThrowsLeavesCallsOut) {
  const auto filter = [](std::string_view) -> bool { throw std::runtime_error("no"); };
  Serve(Api::kSync, TracedServer(tracer_, {filter}), Traced(tracer_, {filter, {}}));
  MakeCall();
  EXPECT_THAT(AllSpans(), SizeIs(0));
}

}  // namespace
}  // namespace tracekin::testing
