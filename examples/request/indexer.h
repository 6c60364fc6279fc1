// SPDX-License-Identifier: Apache-2.0
// A thread that updates an index file, one record after another.
#ifndef TRACEKIN_EXAMPLES_REQUEST_INDEXER_H
#define TRACEKIN_EXAMPLES_REQUEST_INDEXER_H

#include <opentracing/span.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

class Indexer {
 public:
  explicit Indexer(std::string path);
  ~Indexer();  // waits until all added records are written

  /// Hands `record` and the span of this work to the thread. The future is ready when the record is
  /// written and the span is finished.
  std::future<void> Add(std::uint64_t record, std::unique_ptr<opentracing::Span> span);

 private:
  struct Job {
    std::uint64_t record;
    std::unique_ptr<opentracing::Span> span;
    std::promise<void> done;
  };

  void Run();
  void Write(std::uint64_t record);

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;  // guarded by mutex_, like closing_
  bool closing_ = false;
  std::thread thread_;
};

#endif  // TRACEKIN_EXAMPLES_REQUEST_INDEXER_H
