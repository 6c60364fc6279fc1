// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "tests/integrations/grpc/echo_server.h"

namespace tracekin::testing {
namespace {

using test::Echo;
using test::EchoReply;
using test::EchoRequest;

constexpr int kReplies = 3;  // the number of replies in a server stream

grpc::Status StatusOf(const EchoRequest& request) {
  return {static_cast<grpc::StatusCode>(request.status()), request.message()};
}

EchoReply ReplyTo(const EchoRequest& request) {
  EchoReply reply;
  reply.set_text(request.text());
  return reply;
}

class SyncHandlers final : public EchoHandlers, Echo::Service {
 public:
  explicit SyncHandlers(Hooks& hooks) : hooks_(hooks) {}
  void Register(grpc::ServerBuilder& builder) override { builder.RegisterService(this); }

 private:
  grpc::Status Unary(grpc::ServerContext* context, const EchoRequest* request,
                     EchoReply* reply) override {
    Begin(*context, *request);
    *reply = ReplyTo(*request);
    return StatusOf(*request);
  }

  grpc::Status ClientStream(grpc::ServerContext* context, grpc::ServerReader<EchoRequest>* reader,
                            EchoReply* reply) override {
    EchoRequest first;
    EchoRequest next;
    if (reader->Read(&first)) Begin(*context, first);
    while (reader->Read(&next)) continue;
    *reply = ReplyTo(first);
    return StatusOf(first);
  }

  grpc::Status ServerStream(grpc::ServerContext* context, const EchoRequest* request,
                            grpc::ServerWriter<EchoReply>* writer) override {
    Begin(*context, *request);
    for (int i = 0; i < kReplies; ++i) writer->Write(ReplyTo(*request));
    return StatusOf(*request);
  }

  grpc::Status Bidi(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<EchoReply, EchoRequest>* stream) override {
    EchoRequest first;
    EchoRequest next;
    if (stream->Read(&first)) Begin(*context, first);
    stream->Write(ReplyTo(first));
    while (stream->Read(&next)) stream->Write(ReplyTo(next));
    return StatusOf(first);
  }

  void Begin(const grpc::ServerContext& context, const EchoRequest& request) {
    hooks_.on_call(context);
    // The synchronous API does not offer a way to wait for a cancellation.
    while (request.wait() && !context.IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Hooks& hooks_;
};

class CallbackHandlers final : public EchoHandlers, Echo::CallbackService {
 public:
  explicit CallbackHandlers(Hooks& hooks) : hooks_(hooks) {}
  void Register(grpc::ServerBuilder& builder) override { builder.RegisterService(this); }

 private:
  template <typename Base>
  class Reactor : public Base {
   public:
    void OnCancel() override { AnswerIfSecond(); }
    void OnDone() override { delete this; }

   protected:
    // Called when the handler only has to finish the call.
    void Ready() {
      if (!first_.wait()) return this->Finish(StatusOf(first_));
      AnswerIfSecond();
    }

    EchoRequest first_;
    EchoRequest next_;

   private:
    void AnswerIfSecond() {
      if (events_.fetch_add(1) == 1) this->Finish(StatusOf(first_));
    }
    std::atomic<int> events_{0};  // Counts to two: ready, and client gone.
  };

  struct UnaryReactor final : Reactor<grpc::ServerUnaryReactor> {
    explicit UnaryReactor(const EchoRequest& request) {
      first_ = request;
      Ready();
    }
  };

  struct ReadReactor final : Reactor<grpc::ServerReadReactor<EchoRequest>> {
    explicit ReadReactor(EchoReply* reply) : reply_(reply) { StartRead(&first_); }
    void OnReadDone(bool ok) override {
      if (ok) return StartRead(&next_);
      *reply_ = ReplyTo(first_);
      Ready();
    }
    EchoReply* const reply_;
  };

  struct WriteReactor final : Reactor<grpc::ServerWriteReactor<EchoReply>> {
    explicit WriteReactor(const EchoRequest& request) {
      first_ = request;
      reply_ = ReplyTo(request);
      OnWriteDone(true);
    }
    void OnWriteDone(bool) override {
      if (writes_++ < kReplies) return StartWrite(&reply_);
      Ready();
    }
    EchoReply reply_;
    int writes_ = 0;
  };

  struct BidiReactor final : Reactor<grpc::ServerBidiReactor<EchoRequest, EchoReply>> {
    BidiReactor() { StartRead(&first_); }
    void OnReadDone(bool ok) override {
      if (!ok) return Ready();
      reply_ = ReplyTo(first_);
      StartWrite(&reply_);
    }
    void OnWriteDone(bool ok) override {
      if (!ok) return Ready();
      StartRead(&next_);
    }
    EchoReply reply_;
  };

  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const EchoRequest* request,
                                  EchoReply* reply) override {
    hooks_.on_call(*context);
    *reply = ReplyTo(*request);
    return new UnaryReactor(*request);
  }
  grpc::ServerReadReactor<EchoRequest>* ClientStream(grpc::CallbackServerContext* context,
                                                     EchoReply* reply) override {
    hooks_.on_call(*context);
    return new ReadReactor(reply);
  }
  grpc::ServerWriteReactor<EchoReply>* ServerStream(grpc::CallbackServerContext* context,
                                                    const EchoRequest* request) override {
    hooks_.on_call(*context);
    return new WriteReactor(*request);
  }
  grpc::ServerBidiReactor<EchoRequest, EchoReply>* Bidi(
      grpc::CallbackServerContext* context) override {
    hooks_.on_call(*context);
    return new BidiReactor;
  }

  Hooks& hooks_;
};

// A call is owned jointly by its closures in the queue and is destroyed with the last of them.
class QueueHandlers final : public EchoHandlers {
 public:
  explicit QueueHandlers(Hooks& hooks) : hooks_(hooks) {}

  void Register(grpc::ServerBuilder& builder) override {
    builder.RegisterService(&service_);
    queue_ = builder.AddCompletionQueue();
  }

  void Start() override {
    AcceptUnary();
    AcceptClientStream();
    AcceptServerStream();
    AcceptBidi();
    thread_ = std::thread([this] {
      void* tag = nullptr;
      bool ok = false;
      while (queue_->Next(&tag, &ok)) {
        const auto closure = tags_.extract(static_cast<Closure*>(tag));
        (*closure.mapped())(ok);
      }
      tags_.clear();  // gRPC drops the tag of AsyncNotifyWhenDone if no call arrived.
    });
  }

  void Stop() override {
    queue_->Shutdown();
    thread_.join();
  }

 private:
  using Closure = std::function<void(bool)>;

  template <typename Responder>
  struct Call {
    grpc::ServerContext context;
    EchoRequest first;
    EchoRequest next;
    Responder responder{&context};
  };

  void* Then(Closure closure) {
    auto owned = std::make_unique<Closure>(std::move(closure));
    Closure* tag = owned.get();
    tags_.emplace(tag, std::move(owned));
    return tag;
  }

  template <typename CallPointer>
  void* Finished(CallPointer call) {
    return Then([call](bool) {});
  }

  // Keeps the call alive, through a closure that does nothing else, until the client is gone.
  template <typename CallPointer>
  void KeepUntilDone(const CallPointer& call) {
    call->context.AsyncNotifyWhenDone(Finished(call));
  }

  void AcceptUnary() {
    auto call = std::make_shared<Call<grpc::ServerAsyncResponseWriter<EchoReply>>>();
    KeepUntilDone(call);
    service_.RequestUnary(&call->context, &call->first, &call->responder, queue_.get(),
                          queue_.get(), Then([this, call](bool ok) {
                            if (!ok) return;
                            AcceptUnary();
                            hooks_.on_call(call->context);
                            if (call->first.wait()) return;
                            call->responder.Finish(ReplyTo(call->first), StatusOf(call->first),
                                                   Finished(call));
                          }));
  }

  void AcceptClientStream() {
    using CallType = Call<grpc::ServerAsyncReader<EchoReply, EchoRequest>>;
    auto call = std::make_shared<CallType>();
    KeepUntilDone(call);
    service_.RequestClientStream(&call->context, &call->responder, queue_.get(), queue_.get(),
                                 Then([this, call](bool ok) {
                                   if (!ok) return;
                                   AcceptClientStream();
                                   call->responder.Read(&call->first, Then([this, call](bool) {
                                     hooks_.on_call(call->context);
                                     if (!call->first.wait()) ReadOn(call);
                                   }));
                                 }));
  }

  template <typename CallPointer>
  void ReadOn(CallPointer call) {
    call->responder.Read(&call->next, Then([this, call](bool ok) {
      if (ok) return ReadOn(call);
      call->responder.Finish(ReplyTo(call->first), StatusOf(call->first), Finished(call));
    }));
  }

  void AcceptServerStream() {
    auto call = std::make_shared<Call<grpc::ServerAsyncWriter<EchoReply>>>();
    KeepUntilDone(call);
    service_.RequestServerStream(&call->context, &call->first, &call->responder, queue_.get(),
                                 queue_.get(), Then([this, call](bool ok) {
                                   if (!ok) return;
                                   AcceptServerStream();
                                   hooks_.on_call(call->context);
                                   if (!call->first.wait()) WriteOn(call, kReplies);
                                 }));
  }

  template <typename CallPointer>
  void WriteOn(CallPointer call, int replies) {
    if (replies == 0) return call->responder.Finish(StatusOf(call->first), Finished(call));
    call->responder.Write(ReplyTo(call->first),
                          Then([this, call, replies](bool) { WriteOn(call, replies - 1); }));
  }

  void AcceptBidi() {
    auto call = std::make_shared<Call<grpc::ServerAsyncReaderWriter<EchoReply, EchoRequest>>>();
    KeepUntilDone(call);
    service_.RequestBidi(&call->context, &call->responder, queue_.get(), queue_.get(),
                         Then([this, call](bool ok) {
                           if (!ok) return;
                           AcceptBidi();
                           call->responder.Read(&call->first, Then([this, call](bool) {
                             hooks_.on_call(call->context);
                             if (!call->first.wait()) EchoOn(call);
                           }));
                         }));
  }

  template <typename CallPointer>
  void EchoOn(CallPointer call) {
    call->responder.Write(ReplyTo(call->first), Then([this, call](bool) {
                            call->responder.Read(&call->next, Then([this, call](bool ok) {
                              if (ok) return EchoOn(call);
                              call->responder.Finish(StatusOf(call->first), Finished(call));
                            }));
                          }));
  }

  Hooks& hooks_;
  Echo::AsyncService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::map<Closure*, std::unique_ptr<Closure>>
      tags_;  // Used before thread_ begins, and then by it.
  std::thread thread_;
};

}  // namespace

std::unique_ptr<EchoHandlers> MakeEchoHandlers(Api api, Hooks& hooks) {
  switch (api) {
    case Api::kSync:
      return std::make_unique<SyncHandlers>(hooks);
    case Api::kCallback:
      return std::make_unique<CallbackHandlers>(hooks);
    case Api::kQueue:
      break;
  }
  return std::make_unique<QueueHandlers>(hooks);
}

}  // namespace tracekin::testing
