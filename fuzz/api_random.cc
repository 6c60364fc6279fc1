// SPDX-License-Identifier: Apache-2.0
// Random walks through the whole public API on several threads, with forks in parallel.
//
//   api_random [--seed N] [--rounds N] [--threads N] [--calls N] [--forks N] [--ust]
//
// A round has its own tracers. `calls` is the number of calls per thread and round; `forks` is the
// number of forks per round. The seed, the round and the thread's number determine a thread's
// decisions, but not how the threads interleave. TRACEKIN_ATTACK multiplies the rounds. A round
// that does not end in ten minutes is a failure and prints what its threads were doing.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/api/round.h"
#include "tests/support/attack.h"
#include "tests/support/seed.h"

namespace {

using namespace tracekin;

constexpr unsigned kSecondsOfARound = 600;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kForks = false;  // for the reason, see docs/reliability.md
#else
constexpr bool kForks = true;
#endif

struct Settings {
  std::uint64_t seed = tracekin::testing::Seed(1);  // from TRACEKIN_SEED
  std::uint64_t rounds = 1;
  std::uint64_t threads = 4;
  std::uint64_t calls = 1000;
  std::uint64_t forks = 0;
  bool ust = false;
};

bool Parse(int argc, char** argv, Settings* settings) {
  const struct {
    const char* name;
    std::uint64_t* value;
  } numbers[] = {{"--seed", &settings->seed},
                 {"--rounds", &settings->rounds},
                 {"--threads", &settings->threads},
                 {"--calls", &settings->calls},
                 {"--forks", &settings->forks}};
  for (int i = 1; i < argc; ++i) {
    bool known = std::strcmp(argv[i], "--ust") == 0;
    settings->ust |= known;
    for (const auto& number : numbers) {
      if (std::strcmp(argv[i], number.name) != 0 || i + 1 == argc) continue;
      *number.value = std::strtoull(argv[++i], nullptr, 10);
      known = true;
      break;
    }
    if (!known) return false;
  }
  return true;
}

void SayWhatHangs(int) {
  PrintRound();
  std::abort();
}

// Runs the rounds and returns the number of forks.
std::uint64_t RunRounds(const Settings& settings) {
  std::uint64_t forks = 0;
  World::Limits limits;
  limits.forks = kForks ? static_cast<unsigned>(settings.forks) : 0;
  limits.ust = settings.ust;
  for (std::uint64_t round = 0; round < settings.rounds; ++round) {
    std::vector<Choices> choices;
    for (std::uint64_t thread = 0; thread < settings.threads; ++thread) {
      choices.emplace_back((settings.seed + round) * 1000 + thread);
    }
    std::printf("round with seed %llu\n", static_cast<unsigned long long>(settings.seed + round));
    std::fflush(stdout);  // the last round is known after a crash
    alarm(kSecondsOfARound);
    forks += RunRound(choices, settings.calls, limits);
  }
  return forks;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!Parse(argc, argv, &settings)) {
    std::fprintf(stderr,
                 "usage: %s [--seed N] [--rounds N] [--threads N] [--calls N] "
                 "[--forks N] [--ust]\n",
                 argv[0]);
    return 2;
  }
  settings.rounds = tracekin::testing::Attacks(settings.rounds);
  signal(SIGALRM, SayWhatHangs);
  const std::uint64_t forks = RunRounds(settings);
  tracekin::testing::ReportAttacks(settings.rounds * settings.threads * settings.calls, "calls");
  if (forks != 0) tracekin::testing::ReportAttacks(forks, "forks");
}
