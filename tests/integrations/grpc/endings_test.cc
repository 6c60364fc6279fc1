// SPDX-License-Identifier: Apache-2.0
// Tests calls that fail, are cancelled, exceed their deadline or are abandoned.
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "tests/integrations/grpc/echo_test.h"

namespace tracekin::testing {
namespace {

using test::EchoReply;
using test::EchoRequest;
using ::testing::AnyOf;
using ::testing::Combine;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::ValuesIn;

class EndingTest : public EchoTest, public ::testing::WithParamInterface<std::tuple<Api, Kind>> {
 protected:
  void SetUp() override { Serve(api_); }

  // Expects one failed span on each side, in the same trace. `on_server` and `on_client` match the
  // status code.
  template <typename OnClient, typename OnServer>
  void ExpectFailure(const std::vector<SpanData>& spans, OnClient on_client, OnServer on_server) {
    const auto clients = OfKind(spans, "client");
    const auto servers = OfKind(spans, "server");
    ASSERT_THAT(clients, SizeIs(1));
    ASSERT_THAT(servers, SizeIs(1));
    EXPECT_TRUE(IsChildOf(servers[0], clients[0]));
    EXPECT_THAT(Tag(clients[0], "grpc.status_code"), on_client);
    EXPECT_THAT(Tag(servers[0], "grpc.status_code"), on_server);
    for (const auto& span : spans) {
      EXPECT_EQ(Tag(span, "error"), "true") << Tag(span, "span.kind");
    }
  }

  const Api api_ = std::get<0>(GetParam());
  const Kind kind_ = std::get<1>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(All, EndingTest, Combine(ValuesIn(kApis), ValuesIn(kKinds)),
                         [](const auto& test) {
                           return Name(std::get<0>(test.param)) + Name(std::get<1>(test.param));
                         });

TEST_P(EndingTest, AStatusThatIsNotOkIsAnErrorOnBothSides) {
  EchoRequest request;
  request.set_status(grpc::StatusCode::FAILED_PRECONDITION);
  request.set_message("not now");
  grpc::ClientContext context;
  ASSERT_FALSE(Call(api_, kind_, *stub_, context, request).ok());
  const auto spans = AllSpans();
  ExpectFailure(spans, "FAILED_PRECONDITION", "FAILED_PRECONDITION");
  for (const auto& span : spans) EXPECT_EQ(Tag(span, "grpc.message"), "not now");
}

TEST_P(EndingTest, ACancelledCallIsCancelledOnBothSides) {
  EchoRequest request;
  request.set_wait(true);
  grpc::ClientContext context;
  hooks_.on_call = [&](const auto&) { context.TryCancel(); };
  ASSERT_EQ(Call(api_, kind_, *stub_, context, request).error_code(), grpc::CANCELLED);
  log_->Wait(2);
  ExpectFailure(AllSpans(), "CANCELLED", "CANCELLED");
}

TEST_P(EndingTest, ACallThatRunsOutOfTimeFailsOnBothSides) {
  EchoRequest request;
  request.set_wait(true);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  ASSERT_EQ(Call(api_, kind_, *stub_, context, request).error_code(), grpc::DEADLINE_EXCEEDED);
  log_->Wait(2);
  // The client cancels by its own clock, which may be slightly before the deadline on the server's
  // clock.
  ExpectFailure(AllSpans(), "DEADLINE_EXCEEDED", AnyOf("DEADLINE_EXCEEDED", "CANCELLED"));
}

using OddEndingTest = EchoTest;

TEST_F(OddEndingTest, AHandlerThatDoesNotNoticeTheDeadlineHasMissedItAllTheSame) {
  Serve(Api::kSync);
  hooks_.on_call = [](const auto& context) {
    // The client's timer is not exact.
    std::this_thread::sleep_until(context.deadline() + std::chrono::milliseconds(100));
  };
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  ASSERT_FALSE(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).ok());
  const auto servers = OfKind(AllSpans(), "server");
  ASSERT_THAT(servers, SizeIs(1));
  EXPECT_EQ(Tag(servers[0], "grpc.status_code"), "DEADLINE_EXCEEDED");
  EXPECT_THAT(Tag(servers[0], "grpc.message"), StartsWith("status sent too late: OK"));
}

TEST_F(OddEndingTest, AHandlerThatThrowsIsAnError) {
  Serve(Api::kSync);
  hooks_.on_call = [](const auto&) { throw std::runtime_error("a defect"); };
  grpc::ClientContext context;
  ASSERT_EQ(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).error_code(), grpc::UNKNOWN);
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(2));
  for (const auto& span : spans) EXPECT_EQ(Tag(span, "grpc.status_code"), "UNKNOWN");
}

TEST_F(OddEndingTest, ACallThatIsCancelledBeforeItStartsIsCancelled) {
  Serve(Api::kSync);
  for (const Api api : kApis) {
    for (const Kind kind : kKinds) {
      grpc::ClientContext context;
      context.TryCancel();
      ASSERT_EQ(Call(api, kind, *stub_, context, {}).error_code(), grpc::CANCELLED);
    }
  }
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(12));
  for (const auto& span : spans) EXPECT_EQ(Tag(span, "grpc.status_code"), "CANCELLED");
}

TEST_F(OddEndingTest, AStreamThatItsClientGivesUpIsCancelled) {
  Serve(Api::kSync);
  {
    grpc::ClientContext context;
    const auto stream = stub_->Bidi(&context);
    EchoReply reply;
    ASSERT_TRUE(stream->Write({}));
    ASSERT_TRUE(stream->Read(&reply));
  }
  const auto client = log_->Wait(1);
  ASSERT_THAT(OfKind(client, "client"), SizeIs(1));
  EXPECT_EQ(Tag(OfKind(client, "client")[0], "grpc.status_code"), "CANCELLED");
  EXPECT_EQ(Tag(OfKind(client, "client")[0], "error"), "true");
  EXPECT_THAT(AllSpans(), SizeIs(2));
}

TEST_F(OddEndingTest, ACallThatReachesNoServerHasAClientSpan) {
  Serve(Api::kSync);
  server_->Stop();
  grpc::ClientContext context;
  ASSERT_EQ(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).error_code(), grpc::UNAVAILABLE);
  const auto spans = log_->Wait(1);
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_EQ(Tag(spans[0], "grpc.status_code"), "UNAVAILABLE");
  EXPECT_EQ(Tag(spans[0], "error"), "true");
}

TEST_F(OddEndingTest, ALongMessageIsCutBetweenCharacters) {
  Serve(Api::kSync);
  EchoRequest request;
  request.set_status(grpc::StatusCode::INTERNAL);
  std::string message(510, 'x');
  for (int i = 0; i < 100; ++i) message += "\u20ac";  // Three bytes each.
  request.set_message(message);
  grpc::ClientContext context;
  ASSERT_FALSE(Call(Api::kSync, Kind::kUnary, *stub_, context, request).ok());
  for (const auto& span : AllSpans()) EXPECT_EQ(Tag(span, "grpc.message"), std::string(510, 'x'));
}

TEST_F(OddEndingTest, AMethodThatTheServerDoesNotHaveIsUnimplemented) {
  for (const Api api : kApis) {
    Serve(api);
    grpc::TemplatedGenericStub<EchoRequest, EchoReply> stub(server_->Connect(Traced(tracer_)));
    grpc::ClientContext context;
    const EchoRequest request;
    EchoReply reply;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, "/tracekin.test.Echo/Nothing", {}, &request, &reply,
                   [&](grpc::Status status) { done.set_value(std::move(status)); });
    EXPECT_EQ(done.get_future().get().error_code(), grpc::UNIMPLEMENTED);
  }
  const auto spans = AllSpans();
  EXPECT_THAT(OfKind(spans, "client"), SizeIs(3));
  EXPECT_THAT(OfKind(spans, "server"), SizeIs(3));
  for (const auto& span : spans) {
    EXPECT_EQ(Tag(span, "grpc.status_code"), "UNIMPLEMENTED");
    // A synchronous server does not keep the name of an unknown method.
    EXPECT_THAT(span.operation_name, AnyOf("tracekin.test.Echo/Nothing", "unknown"));
  }
}

TEST_F(OddEndingTest, ARetriedCallIsOneClientSpanAndOneServerSpanForEachAttempt) {
  Serve(Api::kQueue);
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(R"({"methodConfig": [{
    "name": [{"service": "tracekin.test.Echo"}],
    "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.01s", "maxBackoff": "0.01s",
                    "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]})");
  const auto stub = test::Echo::NewStub(server_->Connect(Traced(tracer_), arguments));
  EchoRequest request;
  request.set_status(grpc::StatusCode::UNAVAILABLE);
  grpc::ClientContext context;
  ASSERT_EQ(Call(Api::kSync, Kind::kUnary, *stub, context, request).error_code(),
            grpc::UNAVAILABLE);
  const auto spans = AllSpans();
  ASSERT_THAT(OfKind(spans, "client"), SizeIs(1));
  EXPECT_THAT(OfKind(spans, "server"), SizeIs(3));
  for (const auto& server : OfKind(spans, "server")) {
    EXPECT_TRUE(IsChildOf(server, OfKind(spans, "client")[0]));
  }
}

TEST_F(OddEndingTest, TheTracerStaysUntilTheLastCallHasGone) {
  Serve(Api::kSync, {}, Traced(tracer_));
  auto context = std::make_unique<grpc::ClientContext>();
  auto stream = stub_->Bidi(context.get());
  ASSERT_TRUE(stream->Write({}));
  const std::weak_ptr<opentracing::Tracer> tracer = tracer_;
  tracer_.reset();
  stub_.reset();
  stream.reset();
  EXPECT_FALSE(tracer.expired());
  EXPECT_THAT(log_->Wait(0), SizeIs(0));
  context.reset();
  EXPECT_THAT(log_->Wait(1), SizeIs(1));
  EXPECT_TRUE(tracer.expired());
}

}  // namespace
}  // namespace tracekin::testing
