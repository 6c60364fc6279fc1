// SPDX-License-Identifier: Apache-2.0
// Replaces libFuzzer if it is not available: replay FOLDER runs the fuzzer on each file in FOLDER
// once.
//
// If the fuzzer makes its own inputs with LLVMFuzzerCustomMutator, it then runs on 20,000 of them,
// or on TRACEKIN_ATTACK times as many; TRACEKIN_SEED selects them. If an input makes the fuzzer
// abort, it is written to the file PROGRAM-failed.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/attack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                             std::size_t max_size, unsigned seed);

namespace {

namespace fs = std::filesystem;

void Replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> read{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path.string());
  // The copy has exactly the file's size, so that AddressSanitizer notices a read past its end.
  const std::vector<std::uint8_t> bytes(read.begin(), read.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// The input that the fuzzer is running on.
const std::uint8_t* input = nullptr;
std::size_t input_size = 0;
std::string failed_path;

void KeepInput(int) {
  const int file = open(failed_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || write(file, input, input_size) < 0) _exit(1);
}

void RunRandomInputs() {
  using tracekin::testing::Attacks;
  const unsigned count = Attacks(20'000U);
  const char* const seed = std::getenv("TRACEKIN_SEED");
  const unsigned first = seed == nullptr ? 0 : count * static_cast<unsigned>(std::atoi(seed));
  failed_path = std::string(program_invocation_short_name) + "-failed";
  signal(SIGABRT, KeepInput);  // it returns, and abort() then ends the process
  std::vector<std::uint8_t> bytes(1 << 20);
  input = bytes.data();
  for (unsigned i = 0; i < count; ++i) {
    input_size = LLVMFuzzerCustomMutator(bytes.data(), 0, bytes.size(), first + i);
    LLVMFuzzerTestOneInput(input, input_size);
  }
  tracekin::testing::ReportAttacks(count, "random inputs");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: replay FOLDER");
  const fs::directory_iterator folder{argv[1]};
  const std::set<fs::path> seeds{begin(folder), end(folder)};
  if (seeds.empty()) throw std::runtime_error(std::string("no seed in ") + argv[1]);
  for (const fs::path& seed : seeds) {
    std::printf("%s\n", seed.c_str());
    std::fflush(stdout);  // the last seed is known after a crash
    Replay(seed);
  }
  std::printf("%zu seeds\n", seeds.size());
  if (LLVMFuzzerCustomMutator != nullptr) RunRandomInputs();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
