// In libFuzzer's place where there is none: replay FOLDER gives each file there to the fuzzer, once.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void Replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> read{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path.string());
  // In memory of exactly their size, so that AddressSanitizer sees a read beyond them.
  const std::vector<std::uint8_t> bytes(read.begin(), read.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: replay FOLDER");
  const fs::directory_iterator folder{argv[1]};
  const std::set<fs::path> seeds{begin(folder), end(folder)};
  if (seeds.empty()) throw std::runtime_error(std::string("no seed in ") + argv[1]);
  for (const fs::path& seed : seeds) {
    std::printf("%s\n", seed.c_str());
    std::fflush(stdout);  // what was last is known after a crash
    Replay(seed);
  }
  std::printf("%zu seeds\n", seeds.size());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
