// SPDX-License-Identifier: Apache-2.0
// Accepts orders. It loads the records that it needs from the storage, on two threads at the same
// time, and then stores the order.
//
// usage: request_frontend ADDRESS STORAGE-ADDRESS
#include <grpcpp/grpcpp.h>
#include <tracekin/scope.h>

#include <cstdlib>
#include <future>
#include <iostream>
#include <string>

#include "request.grpc.pb.h"
#include "service.h"

namespace {

class Frontend final : public shop::Frontend::Service {
 public:
  explicit Frontend(const std::shared_ptr<grpc::Channel>& storage)
      : storage_(shop::Storage::NewStub(storage)) {}

 private:
  grpc::Status PlaceOrder(grpc::ServerContext*, const shop::Order* order,
                          shop::Receipt* receipt) override {
    // The span of this call, which the interceptor has made this thread's active span.
    opentracing::Span& span = *tracekin::ActiveSpan();

    shop::Record customer;
    std::future<grpc::Status> customer_loaded = std::async(std::launch::async, [&] {
      const tracekin::Scope scope(span);  // this thread works for the span as well
      return Load("customer-" + order->customer(), &customer);
    });
    shop::Record item;
    grpc::Status status = Load("item-" + order->item(), &item);
    const grpc::Status customer_status = customer_loaded.get();
    if (status.ok()) status = customer_status;
    if (!status.ok()) return status;

    receipt->set_cents(Price(item, order->amount()));
    return Append(
        customer.text() + " orders " + std::to_string(order->amount()) + ' ' + order->item(),
        receipt);
  }

  grpc::Status Load(const std::string& name, shop::Record* record) {
    grpc::ClientContext context;
    shop::Key key;
    key.set_name(name);
    return storage_->Load(&context, key, record);
  }

  // This work has its own span, although no other service is involved.
  static std::uint64_t Price(const shop::Record& item, std::uint32_t amount) {
    const auto span = opentracing::Tracer::Global()->StartSpan(
        "Compute price", {opentracing::ChildOf(&tracekin::ActiveSpan()->context())});
    const tracekin::Scope scope(*span);
    const std::uint64_t cents = std::strtoull(item.text().c_str(), nullptr, 10) * amount;
    span->SetTag("price.cents", cents);
    return cents;
  }

  grpc::Status Append(const std::string& text, shop::Receipt* receipt) {
    grpc::ClientContext context;
    shop::Record record;
    record.set_text(text);
    shop::Position position;
    grpc::Status status = storage_->Append(&context, record, &position);
    receipt->set_number(position.number());
    return status;
  }

  const std::unique_ptr<shop::Storage::Stub> storage_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: request_frontend ADDRESS STORAGE-ADDRESS" << std::endl;
    return 2;
  }
  BlockEndSignals();
  const std::shared_ptr<tracekin::Tracer> tracer = MakeTracerOrExit();
  Frontend frontend(ConnectOrExit(argv[2], tracer));
  Serve(argv[1], &frontend, tracer);
}
