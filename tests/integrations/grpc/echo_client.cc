// SPDX-License-Identifier: Apache-2.0
#include "tests/integrations/grpc/echo_client.h"

#include <future>
#include <utility>

namespace tracekin::testing {
namespace {

using test::Echo;
using test::EchoReply;
using test::EchoRequest;

constexpr int kRequests = 2;  // the number of requests in a client stream

grpc::Status CallSync(Kind kind, Echo::Stub& stub, grpc::ClientContext& context,
                      const EchoRequest& request) {
  EchoReply reply;
  switch (kind) {
    case Kind::kUnary:
      return stub.Unary(&context, request, &reply);
    case Kind::kClientStream: {
      const auto writer = stub.ClientStream(&context, &reply);
      for (int i = 0; i < kRequests && writer->Write(request); ++i) continue;
      writer->WritesDone();
      return writer->Finish();
    }
    case Kind::kServerStream: {
      const auto reader = stub.ServerStream(&context, request);
      while (reader->Read(&reply)) continue;
      return reader->Finish();
    }
    case Kind::kBidi:
      break;
  }
  const auto stream = stub.Bidi(&context);
  for (int i = 0; i < kRequests && stream->Write(request); ++i) stream->Read(&reply);
  stream->WritesDone();
  while (stream->Read(&reply)) continue;
  return stream->Finish();
}

template <typename Base>
class Reactor : public Base {
 public:
  grpc::Status Wait() { return status_.get_future().get(); }

 private:
  void OnDone(const grpc::Status& status) override { status_.set_value(status); }
  std::promise<grpc::Status> status_;
};

struct Writer final : Reactor<grpc::ClientWriteReactor<EchoRequest>> {
  explicit Writer(const EchoRequest& request) : request_(request) {}
  void OnWriteDone(bool ok) override {
    if (ok && ++writes_ < kRequests) return StartWrite(&request_);
    if (ok) StartWritesDone();
  }
  const EchoRequest& request_;
  int writes_ = 0;
};

struct Reader final : Reactor<grpc::ClientReadReactor<EchoReply>> {
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&reply_);
  }
  EchoReply reply_;
};

struct Stream final : Reactor<grpc::ClientBidiReactor<EchoRequest, EchoReply>> {
  explicit Stream(const EchoRequest& request) : request_(request) {}
  void OnWriteDone(bool ok) override {
    if (ok) StartRead(&reply_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (++writes_ < kRequests) return StartWrite(&request_);
    StartWritesDone();
  }
  void OnWritesDoneDone(bool ok) override {
    if (ok) StartRead(&reply_);
  }
  const EchoRequest& request_;
  EchoReply reply_;
  int writes_ = 0;
};

grpc::Status CallCallback(Kind kind, Echo::Stub& stub, grpc::ClientContext& context,
                          const EchoRequest& request) {
  EchoReply reply;
  switch (kind) {
    case Kind::kUnary: {
      std::promise<grpc::Status> done;
      stub.async()->Unary(&context, &request, &reply,
                          [&done](grpc::Status status) { done.set_value(std::move(status)); });
      return done.get_future().get();
    }
    case Kind::kClientStream: {
      Writer writer(request);
      stub.async()->ClientStream(&context, &reply, &writer);
      writer.StartWrite(&request);
      writer.StartCall();
      return writer.Wait();
    }
    case Kind::kServerStream: {
      Reader reader;
      stub.async()->ServerStream(&context, &request, &reader);
      reader.StartRead(&reader.reply_);
      reader.StartCall();
      return reader.Wait();
    }
    case Kind::kBidi:
      break;
  }
  Stream stream(request);
  stub.async()->Bidi(&context, &stream);
  stream.StartWrite(&request);
  stream.StartCall();
  return stream.Wait();
}

// A completion queue for one call with one operation at a time.
class Queue {
 public:
  ~Queue() {
    queue_.Shutdown();
    while (Next()) continue;
  }
  grpc::CompletionQueue* get() { return &queue_; }
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

 private:
  grpc::CompletionQueue queue_;
};

grpc::Status CallQueue(Kind kind, Echo::Stub& stub, grpc::ClientContext& context,
                       const EchoRequest& request) {
  Queue queue;
  EchoReply reply;
  grpc::Status status;
  void* const tag = &queue;
  const auto finish = [&](auto& call) {
    call->Finish(&status, tag);
    queue.Next();
    return status;
  };
  const auto finish_writing = [&](auto& call, bool ok) {
    if (ok) {
      call->WritesDone(tag);
      queue.Next();
    }
    return finish(call);
  };
  switch (kind) {
    case Kind::kUnary: {
      const auto call = stub.AsyncUnary(&context, request, queue.get());
      call->Finish(&reply, &status, tag);
      queue.Next();
      return status;
    }
    case Kind::kClientStream: {
      const auto call = stub.PrepareAsyncClientStream(&context, &reply, queue.get());
      call->StartCall(tag);
      bool ok = queue.Next();
      for (int i = 0; ok && i < kRequests; ++i) {
        call->Write(request, tag);
        ok = queue.Next();
      }
      return finish_writing(call, ok);
    }
    case Kind::kServerStream: {
      const auto call = stub.AsyncServerStream(&context, request, queue.get(), tag);
      bool ok = queue.Next();
      while (ok) {
        call->Read(&reply, tag);
        ok = queue.Next();
      }
      return finish(call);
    }
    case Kind::kBidi:
      break;
  }
  const auto call = stub.AsyncBidi(&context, queue.get(), tag);
  bool ok = queue.Next();
  for (int i = 0; ok && i < kRequests; ++i) {
    call->Write(request, tag);
    ok = queue.Next();
    if (!ok) break;
    call->Read(&reply, tag);
    ok = queue.Next();
  }
  return finish_writing(call, ok);
}

}  // namespace

grpc::Status Call(Api api, Kind kind, Echo::Stub& stub, grpc::ClientContext& context,
                  const EchoRequest& request) {
  switch (api) {
    case Api::kSync:
      return CallSync(kind, stub, context, request);
    case Api::kCallback:
      return CallCallback(kind, stub, context, request);
    case Api::kQueue:
      break;
  }
  return CallQueue(kind, stub, context, request);
}

}  // namespace tracekin::testing
