// SPDX-License-Identifier: Apache-2.0
// A tracer that records which process exported which span, in a file that a process shares with its
// forked children.
#ifndef TRACEKIN_TESTS_SUPPORT_LEDGER_TRACER_H
#define TRACEKIN_TESTS_SUPPORT_LEDGER_TRACER_H

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "exporter/destination.h"
#include "tracer/tracer_impl.h"

namespace tracekin::testing {

class Ledger {
 public:
  struct Line {
    pid_t pid;  // the process that exported the span
    std::uint64_t span_id;
    std::uint64_t trace_id_low;
    std::uint64_t parent_span_id;
    std::string name;  // must not contain blanks
  };

  Ledger() : file_(std::tmpfile()) {}
  ~Ledger() { std::fclose(file_); }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  std::shared_ptr<Tracer> MakeTracer(Options options = {}) const {
    options.service_name = "test";
    options.logger = [](LogLevel, const std::string&) {};
    std::string error;
    auto propagation = propagation::Propagation::Make(options.propagation.inject,
                                                      options.propagation.extract, &error);
    auto exporter = std::make_shared<exporter::Exporter>(
        options.exporter, exporter::ResourceOf(options),
        [] { return std::make_unique<LineEncoder>(); },
        [descriptor = fileno(file_)] { return std::make_unique<FileTransport>(descriptor); },
        options.logger);
    return {new TracerImpl(options, std::move(propagation), std::move(exporter)),
            TracerImpl::Retire};
  }

  /// Returns the lines that all processes have written so far.
  std::vector<Line> lines() const {
    std::string content(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_CUR)), '\0');
    EXPECT_EQ(pread(fileno(file_), content.data(), content.size(), 0),
              static_cast<ssize_t>(content.size()));
    std::istringstream in(content);
    std::vector<Line> lines;
    for (Line line;
         in >> line.pid >> line.span_id >> line.trace_id_low >> line.parent_span_id >> line.name;) {
      lines.push_back(line);
    }
    return lines;
  }

  std::vector<Line> Of(pid_t pid) const {
    std::vector<Line> its;
    for (const Line& line : lines()) {
      if (line.pid == pid) its.push_back(line);
    }
    return its;
  }

 private:
  struct LineEncoder final : exporter::Encoder {
    std::string_view content_type() const override { return "test"; }
    void Begin(const Resource&, std::string*) override {}
    void Add(const SpanRecord& span, std::string* body) override {
      std::ostringstream line;
      line << getpid() << ' ' << span.span_id << ' ' << span.trace_id_low << ' '
           << span.parent_span_id << ' ' << span.name << '\n';
      *body += line.str();
    }
    void End(std::size_t, std::string*) override {}
  };

  // The processes share the file's offset, so write() appends.
  class FileTransport final : public Transport {
   public:
    explicit FileTransport(int descriptor) : descriptor_(descriptor) {}
    SendResult Send(const std::string& body, Clock::time_point) override {
      const bool written =
          write(descriptor_, body.data(), body.size()) == static_cast<ssize_t>(body.size());
      return {written ? SendStatus::kAccepted : SendStatus::kFailed, {}};
    }
    void Interrupt(Clock::time_point) noexcept override {}
    void AbandonAfterFork() noexcept override {}

   private:
    const int descriptor_;
  };

  std::FILE* const file_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_LEDGER_TRACER_H
