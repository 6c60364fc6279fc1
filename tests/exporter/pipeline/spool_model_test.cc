// SPDX-License-Identifier: Apache-2.0
// Compares the spool with a simple model, in random histories generated from a seed. Two processes
// share a folder. They append, read, settle, die without notice, restart and adopt each other's
// spans.

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "exporter/pipeline/spool.h"
#include "tests/support/make_span.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"

namespace tracekin::testing {
namespace {

using namespace exporter;

// Knows each span that a spool accepted. A spool must not return any other span.
class Model {
 public:
  enum class State { kSpooled, kSettled };

  void Took(std::uint64_t id) { spans_[id] = State::kSpooled; }
  void Settled(std::uint64_t id) {
    ASSERT_EQ(spans_.count(id), 1U) << id << " was never spooled";
    ASSERT_EQ(spans_[id], State::kSpooled) << id << " came again";
    spans_[id] = State::kSettled;
  }
  std::uint64_t left() const {
    std::uint64_t count = 0;
    for (const auto& span : spans_) count += span.second == State::kSpooled;
    return count;
  }
  std::uint64_t taken() const { return spans_.size(); }

 private:
  std::map<std::uint64_t, State> spans_;
};

class SpoolModel : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::size_t kNoLimit = std::size_t{1} << 30;

  // One process: its spool, its counts, and the spans that it has read and not settled.
  struct Process {
    explicit Process(const std::string& folder)
        : spool(folder, 1 << 26, ResourceBytes({"service", {}}), &counts) {}

    ExporterCounts counts;
    Spool spool;
    std::deque<std::uint64_t> read;
  };

  SpoolModel() : random_(Seed(GetParam())) {
    for (auto& process : processes_) Begin(&process);
  }

  void Begin(std::unique_ptr<Process>* process) {
    *process = std::make_unique<Process>(temp_.path());
    if (random_() % 2 == 0) (*process)->spool.Adopt();
  }

  void Append(Process* process) {
    Batch batch;
    const std::uint64_t first = next_id_;
    const std::size_t count = 1 + random_() % 50;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name(random_() % (random_() % 20 == 0 ? 20'000 : 100), 'n');
      batch.Add(MakeSpan(next_id_++, name).data());
    }
    process->counts.in_flight += batch.spans;
    ASSERT_TRUE(process->spool.Append(batch)) << process->spool.error();
    for (std::uint64_t id = first; id < next_id_; ++id) model_.Took(id);
  }

  void ReadAndSettle(Process* process) {
    if (process->read.empty()) {
      Batch batch;
      if (!process->spool.Read(1 + random_() % 100, kNoLimit, &batch)) return;
      for (const std::uint64_t id : IdsOf(batch)) process->read.push_back(id);
      return;
    }
    const std::size_t spans = 1 + random_() % process->read.size();
    ExporterCounts::Move(&process->counts.spooled, &process->counts.exported, spans);
    process->spool.Settle(spans);
    for (std::size_t i = 0; i < spans; ++i) {
      model_.Settled(process->read.front());
      process->read.pop_front();
    }
  }

  void Step() {
    auto& process = processes_[random_() % 2];
    const unsigned what = random_() % 100;
    if (what < 40) {
      Append(process.get());
    } else if (what < 95) {
      ReadAndSettle(process.get());
    } else if (what < 98) {
      process->spool.Adopt();
    } else {
      // The process dies with spans that it has read. Its files show which spans it had settled.
      process.reset();
      Begin(&process);
    }
  }

  const TempFolder temp_;
  std::mt19937 random_;
  Model model_;
  std::uint64_t next_id_ = 1;
  std::unique_ptr<Process> processes_[2];
};

TEST_P(SpoolModel, EverySpanIsSettledOnce) {
  for (int step = 0; step < 1000 && !HasFatalFailure(); ++step) Step();
  // Both processes die. A last process must find exactly the remaining spans.
  for (auto& process : processes_) process.reset();
  const std::uint64_t left = model_.left();
  Process last(temp_.path());
  std::uint64_t found = 0;
  for (int quiet = 0; quiet < 3 && !HasFatalFailure();) {
    last.spool.Adopt();
    Batch batch;
    if (!last.spool.Read(1000, kNoLimit, &batch)) {
      ++quiet;
      continue;
    }
    for (const std::uint64_t id : IdsOf(batch)) model_.Settled(id);
    found += batch.spans;
    ExporterCounts::Move(&last.counts.spooled, &last.counts.exported, batch.spans);
    last.spool.Settle(batch.spans);
  }
  EXPECT_EQ(found, left) << "of " << model_.taken();
  EXPECT_EQ(model_.left(), 0U);
  const Counters totals = last.counts.Read();
  EXPECT_EQ(totals.adopted, found);
  EXPECT_EQ(totals.spooled, 0U);
  EXPECT_EQ(totals.dropped.spool_corrupt, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpoolModel, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace tracekin::testing
