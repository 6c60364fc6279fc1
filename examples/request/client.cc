// SPDX-License-Identifier: Apache-2.0
// Places many orders at the same time. Prints the trace id and the result of each on a line.
//
// usage: request_client ADDRESS ORDERS [ROUNDS]
//
// With ROUNDS, does so that many times, and finally prints how many seconds all rounds but the
// first took.
#include <grpcpp/grpcpp.h>
#include <tracekin/scope.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "request.grpc.pb.h"
#include "service.h"

namespace {

std::mutex output;

// The whole request is one span of the client. The interceptor makes another for the call.
bool PlaceOrder(shop::Frontend::Stub* stub, const std::string& item, grpc::StatusCode expected) {
  const std::unique_ptr<opentracing::Span> span =
      opentracing::Tracer::Global()->StartSpan("Checkout");
  const tracekin::Scope scope(*span);
  shop::Order order;
  order.set_customer("ann");
  order.set_item(item);
  order.set_amount(3);
  span->SetTag("order.item", order.item());
  span->SetTag("order.amount", order.amount());

  grpc::ClientContext context;
  shop::Receipt receipt;
  const grpc::Status status = stub->PlaceOrder(&context, order, &receipt);
  if (status.ok()) {
    span->Log({{"event", "receipt"}, {"number", receipt.number()}, {"cents", receipt.cents()}});
  } else {
    span->SetTag("error", true);
  }
  span->Finish();

  const std::lock_guard<std::mutex> lock(output);
  std::cout << span->context().ToTraceID() << ' ' << status.error_code() << ' '
            << status.error_message() << std::endl;
  return status.error_code() == expected;
}

// Places the orders of one round at the same time. Returns how many did not end as they should.
int PlaceOrders(shop::Frontend::Stub* stub, int orders) {
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int order = 0; order < orders; ++order) {
    // The last order asks for an item that does not exist.
    const bool unknown = order + 1 == orders;
    threads.emplace_back([&, unknown] {
      if (!PlaceOrder(stub, unknown ? "unicorn" : "book",
                      unknown ? grpc::StatusCode::NOT_FOUND : grpc::StatusCode::OK)) {
        ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: request_client ADDRESS ORDERS [ROUNDS]" << std::endl;
    return 2;
  }
  const std::shared_ptr<tracekin::Tracer> tracer = MakeTracerOrExit();
  const auto stub = shop::Frontend::NewStub(ConnectOrExit(argv[1], tracer));

  const int orders = std::atoi(argv[2]), rounds = argc == 4 ? std::atoi(argv[3]) : 1;
  int failed = PlaceOrders(stub.get(), orders);
  const auto start = std::chrono::steady_clock::now();
  for (int round = 1; round < rounds; ++round) failed += PlaceOrders(stub.get(), orders);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (argc == 4) std::cout << "seconds " << took.count() << std::endl;
  tracer->Close();
  return failed == 0 ? 0 : 1;
}
