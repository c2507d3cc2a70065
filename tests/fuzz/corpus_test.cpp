// Reads the corpora once in every build, so that errors found by fuzzing do not return.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace loadshare::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint8_t> bytes_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsTakenOrRefused) {
  const fs::path folder = fs::path(LOADSHARE_FUZZ_CORPUS) / GetParam().name;
  std::size_t inputs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const std::vector<std::uint8_t> whole = bytes_in(entry.path());
    GetParam().read(whole);
    GetParam().read(Input(whole).first(whole.size() / 2));
    ++inputs;
  }
  EXPECT_GE(inputs, 3u);
}

INSTANTIATE_TEST_SUITE_P(OfEach, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace loadshare::fuzz
