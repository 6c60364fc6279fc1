// SPDX-License-Identifier: Apache-2.0
#include "indexer.h"

#include <tracekin/scope.h>

#include <cstdio>
#include <fstream>
#include <utility>

Indexer::Indexer(std::string path) : path_(std::move(path)), thread_(&Indexer::Run, this) {}

Indexer::~Indexer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::future<void> Indexer::Add(std::uint64_t record, std::unique_ptr<opentracing::Span> span) {
  Job job{record, std::move(span), {}};
  std::future<void> done = job.done.get_future();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return done;
}

void Indexer::Run() {
  for (;;) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    {
      // Without this scope the trace would not show which request this thread works for.
      const tracekin::Scope scope(*job.span);
      Write(job.record);
    }
    job.span->Finish();
    job.done.set_value();
  }
}

// Writes the new index next to the old file, then replaces the old file with it.
void Indexer::Write(std::uint64_t record) {
  const std::string next = path_ + ".next";
  std::ofstream(next) << "records " << record << '\n';
  std::rename(next.c_str(), path_.c_str());
}
