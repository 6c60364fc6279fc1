// SPDX-License-Identifier: Apache-2.0
// Keeps records in the files of a folder. Each record that is loaded has its own file; appended
// records go to one journal. A separate thread maintains an index of the journal.
//
// usage: request_storage ADDRESS FOLDER
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <tracekin/scope.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <mutex>
#include <string>

#include "indexer.h"
#include "request.grpc.pb.h"
#include "service.h"

namespace {

// Starts a child of the active span. The caller makes it the active one.
std::unique_ptr<opentracing::Span> StartStep(const char* name) {
  return opentracing::Tracer::Global()->StartSpan(
      name, {opentracing::ChildOf(&tracekin::ActiveSpan()->context())});
}

class Storage final : public shop::Storage::Service {
 public:
  explicit Storage(const std::string& folder)
      : folder_(folder + '/'),
        journal_(open((folder_ + "journal").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)),
        indexer_(folder_ + "index") {}
  ~Storage() override { close(journal_); }

 private:
  grpc::Status Load(grpc::ServerContext*, const shop::Key* key, shop::Record* record) override {
    const auto span = StartStep("Read file");
    const tracekin::Scope scope(*span);
    span->SetTag("file.name", key->name());
    if (key->name().find('/') != std::string::npos) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "a key has no slash"};
    }
    std::ifstream file(folder_ + key->name());
    std::string text;
    if (!std::getline(file, text)) {
      return {grpc::StatusCode::NOT_FOUND, "there is no " + key->name()};
    }
    record->set_text(text);
    return grpc::Status::OK;
  }

  grpc::Status Append(grpc::ServerContext*, const shop::Record* record,
                      shop::Position* position) override {
    if (!AppendToJournal(record->text() + '\n', position)) {
      return {grpc::StatusCode::UNAVAILABLE, "the journal cannot be written"};
    }
    // The span is started here; the indexer's thread works for it and finishes it.
    indexer_.Add(position->number(), StartStep("Update index")).wait();
    return grpc::Status::OK;
  }

  // Appends one record at a time: requests wait for each other here.
  bool AppendToJournal(const std::string& line, shop::Position* position) {
    const auto span = StartStep("Append to journal");
    const tracekin::Scope scope(*span);
    const std::lock_guard<std::mutex> lock(mutex_);
    span->Log({{"event", "lock acquired"}});
    const bool written =
        write(journal_, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        fsync(journal_) == 0;
    if (!written) span->SetTag("error", true);
    span->Log({{"event", "synced"}, {"bytes", line.size()}});
    position->set_number(++records_);
    return written;
  }

  const std::string folder_;
  const int journal_;
  Indexer indexer_;
  std::mutex mutex_;
  std::uint64_t records_ = 0;  // guarded by mutex_
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: request_storage ADDRESS FOLDER" << std::endl;
    return 2;
  }
  BlockEndSignals();
  const std::shared_ptr<tracekin::Tracer> tracer = MakeTracerOrExit();
  Storage storage(argv[2]);
  Serve(argv[1], &storage, tracer);
}
