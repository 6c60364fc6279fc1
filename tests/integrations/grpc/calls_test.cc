// SPDX-License-Identifier: Apache-2.0
// Tests successful calls in every combination of client API, server API and kind of method.
#include <grpcpp/generic/generic_stub.h>

#include <tuple>

#include "tests/integrations/grpc/echo_test.h"

namespace tracekin::testing {
namespace {

using ::testing::Combine;
using ::testing::SizeIs;
using ::testing::ValuesIn;

class CallTest : public EchoTest, public ::testing::WithParamInterface<std::tuple<Api, Api, Kind>> {
 protected:
  void SetUp() override {
    // Marks the server span through both APIs, so that a test notices if they return another span.
    hooks_.on_call = [](const grpc::ServerContextBase& context) {
      if (auto* span = GrpcServerSpan(context)) span->SetTag("by", "context");
      if (auto* span = ActiveSpan()) span->SetTag("active", true);
    };
  }

  const Api client_ = std::get<0>(GetParam());
  const Api service_ = std::get<1>(GetParam());
  const Kind kind_ = std::get<2>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(All, CallTest, Combine(ValuesIn(kApis), ValuesIn(kApis), ValuesIn(kKinds)),
                         [](const auto& test) {
                           return Name(std::get<0>(test.param)) + "Client" +
                                  Name(std::get<1>(test.param)) + "Server" +
                                  Name(std::get<2>(test.param));
                         });

TEST_P(CallTest, GivesOneSpanOnEachSideOfTheTraceOfTheCaller) {
  Serve(service_);
  auto caller = tracer_->StartSpan("caller");
  {
    const Scope scope(*caller);
    grpc::ClientContext context;
    ASSERT_TRUE(Call(client_, kind_, *stub_, context, {}).ok());
  }
  caller->Finish();

  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(3));
  const auto& root = spans.back();
  const auto clients = OfKind(spans, "client");
  const auto servers = OfKind(spans, "server");
  ASSERT_THAT(clients, SizeIs(1));
  ASSERT_THAT(servers, SizeIs(1));
  EXPECT_TRUE(IsChildOf(clients[0], root));
  EXPECT_TRUE(IsChildOf(servers[0], clients[0]));
  for (const auto& span : {clients[0], servers[0]}) {
    EXPECT_EQ(span.operation_name, "tracekin.test.Echo/" + Name(kind_));
    EXPECT_EQ(Tag(span, "rpc.system"), "grpc");
    EXPECT_EQ(Tag(span, "rpc.service"), "tracekin.test.Echo");
    EXPECT_EQ(Tag(span, "rpc.method"), Name(kind_));
    EXPECT_EQ(Tag(span, "grpc.status_code"), "OK");
    EXPECT_EQ(Tag(span, "error"), "");
    EXPECT_THAT(span.logs, SizeIs(0));
  }
  EXPECT_EQ(Tag(servers[0], "by"), "context");
  EXPECT_EQ(Tag(servers[0], "active"), service_ == Api::kQueue ? "" : "true");
  EXPECT_EQ(Tag(clients[0], "active"), "");
}

using ParentTest = EchoTest;

TEST_F(ParentTest, IsNoneWhenNoSpanIsActive) {
  Serve(Api::kSync);
  grpc::ClientContext context;
  ASSERT_TRUE(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).ok());
  const auto clients = OfKind(AllSpans(), "client");
  ASSERT_THAT(clients, SizeIs(1));
  EXPECT_THAT(clients[0].references, SizeIs(0));
}

TEST_F(ParentTest, IsTheOneThatTheOptionNames) {
  const auto active = tracer_->StartSpan("active");
  const auto named = tracer_->StartSpan("named");
  grpc::ClientContext context;
  GrpcClientOptions options;
  options.parent = [&](const grpc::ClientContext& call) {
    return &call == &context ? &named->context() : nullptr;
  };
  Serve(Api::kSync, {}, Traced(tracer_, options));
  const Scope scope(*active);
  ASSERT_TRUE(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).ok());
  grpc::ClientContext other;
  ASSERT_TRUE(Call(Api::kSync, Kind::kUnary, *stub_, other, {}).ok());
  named->Finish();
  active->Finish();

  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(4));
  EXPECT_TRUE(IsChildOf(spans[0], spans[2]));
  EXPECT_TRUE(IsChildOf(spans[1], spans[3]));
}

TEST_F(ParentTest, IsTheActiveSpanWhenTheOptionThrows) {
  GrpcClientOptions options;
  options.parent = [](const auto&) -> const opentracing::SpanContext* { throw 1; };
  Serve(Api::kSync, {}, Traced(tracer_, options));
  auto active = tracer_->StartSpan("active");
  {
    const Scope scope(*active);
    grpc::ClientContext context;
    ASSERT_TRUE(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).ok());
  }
  active->Finish();
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_TRUE(IsChildOf(spans[0], spans[1]));
}

TEST_F(ParentTest, OfACallMadeInASynchronousHandlerIsTheServerSpan) {
  Hooks backend_hooks;
  EchoServer backend(Api::kSync, TracedServer(tracer_), backend_hooks);
  const auto backend_stub = test::Echo::NewStub(backend.Connect(Traced(tracer_)));
  hooks_.on_call = [&](const auto&) {
    grpc::ClientContext context;
    EXPECT_TRUE(Call(Api::kSync, Kind::kUnary, *backend_stub, context, {}).ok());
  };
  Serve(Api::kSync);
  grpc::ClientContext context;
  ASSERT_TRUE(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).ok());

  backend.Stop();
  const auto spans = AllSpans();  // sorted from the innermost to the outermost
  ASSERT_THAT(spans, SizeIs(4));
  EXPECT_TRUE(IsChildOf(spans[0], spans[1]));
  EXPECT_TRUE(IsChildOf(spans[1], spans[2]));
  EXPECT_TRUE(IsChildOf(spans[2], spans[3]));
}

TEST_F(EchoTest, AnInProcessChannelIsTracedLikeAnother) {
  Serve(Api::kCallback);
  const auto stub = test::Echo::NewStub(server_->ConnectInProcess(Traced(tracer_)));
  for (const Kind kind : kKinds) {
    grpc::ClientContext context;
    ASSERT_TRUE(Call(Api::kCallback, kind, *stub, context, {}).ok());
  }
  const auto spans = AllSpans();
  EXPECT_THAT(OfKind(spans, "client"), SizeIs(4));
  EXPECT_THAT(OfKind(spans, "server"), SizeIs(4));
}

TEST_F(EchoTest, AGenericStubMayForgetTheMethodBeforeItStartsTheCall) {
  Serve(Api::kSync);
  grpc::GenericStub stub(server_->Connect(Traced(tracer_)));
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  grpc::ByteBuffer reply;
  grpc::Status status;
  auto method = std::make_unique<std::string>("/tracekin.test.Echo/Unary");
  grpc::Slice empty;
  const auto call = stub.PrepareUnaryCall(&context, *method, grpc::ByteBuffer(&empty, 1), &queue);
  method.reset();
  call->StartCall();
  call->Finish(&reply, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(status.ok()) << status.error_message();
  const auto clients = OfKind(AllSpans(), "client");
  ASSERT_THAT(clients, SizeIs(1));
  EXPECT_EQ(clients[0].operation_name, "tracekin.test.Echo/Unary");
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) continue;
}

TEST_F(EchoTest, MetadataThatWaitsForTheFirstMessageCarriesTheContextToo) {
  Serve(Api::kSync);
  for (const Api api : {Api::kSync, Api::kCallback}) {
    grpc::ClientContext context;
    context.set_initial_metadata_corked(true);
    ASSERT_TRUE(Call(api, Kind::kClientStream, *stub_, context, {}).ok());
  }
  const auto spans = AllSpans();
  const auto clients = OfKind(spans, "client");
  const auto servers = OfKind(spans, "server");
  ASSERT_THAT(clients, SizeIs(2));
  ASSERT_THAT(servers, SizeIs(2));
  for (std::size_t i = 0; i < clients.size(); ++i) EXPECT_TRUE(IsChildOf(servers[i], clients[i]));
}

TEST_F(EchoTest, ACallThatIsPreparedAndNotStartedHasNoSpan) {
  Serve(Api::kSync);
  {
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    const auto call = stub_->PrepareAsyncBidi(&context, &queue);
  }
  EXPECT_THAT(AllSpans(), SizeIs(0));
}

// Registered in the order that README.md requires: other interceptors first.
TEST_F(EchoTest, TheServerSpanEnclosesInterceptorsRegisteredBeforeIt) {
  struct Other final : grpc::experimental::Interceptor,
                       grpc::experimental::ServerInterceptorFactoryInterface {
    void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
      using Hook = grpc::experimental::InterceptionHookPoints;
      if (methods->QueryInterceptionHookPoint(Hook::POST_RECV_INITIAL_METADATA)) {
        if (auto* span = ActiveSpan()) span->SetTag("enclosed", true);
      }
      if (methods->QueryInterceptionHookPoint(Hook::PRE_SEND_STATUS)) {
        methods->ModifySendStatus({grpc::StatusCode::DATA_LOSS, "by an interceptor"});
      }
      methods->Proceed();
    }
    Interceptor* CreateServerInterceptor(grpc::experimental::ServerRpcInfo*) override {
      return new Other;
    }
  };
  ServerInterceptors interceptors;
  interceptors.push_back(std::make_unique<Other>());
  interceptors.push_back(MakeGrpcServerInterceptorFactory(tracer_));
  Serve(Api::kSync, std::move(interceptors), {});
  grpc::ClientContext context;
  EXPECT_FALSE(Call(Api::kSync, Kind::kUnary, *stub_, context, {}).ok());
  const auto spans = AllSpans();
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_EQ(Tag(spans[0], "enclosed"), "true");
  EXPECT_EQ(Tag(spans[0], "grpc.status_code"), "DATA_LOSS");
}

TEST_F(EchoTest, AContextWithoutACallHasNoServerSpan) {
  const grpc::ServerContext context;
  EXPECT_EQ(GrpcServerSpan(context), nullptr);
}

}  // namespace
}  // namespace tracekin::testing
