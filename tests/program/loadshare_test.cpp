#include "program/loadshare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.hpp"

namespace loadshare {
namespace {

// In one test: a process may call it once.
TEST(Run, LendsItsFarmOnce) {
  std::array<char*, 5> words{const_cast<char*>("own"), const_cast<char*>("--workers"), const_cast<char*>("1"),
                             const_cast<char*>("--progress"), const_cast<char*>("none")};
  const auto count = static_cast<int>(words.size());
  Farm* kept = nullptr;
  std::vector<int> doubled;
  const auto body = [&](Farm& farm) {
    kept = &farm;
    doubled = farm.map<int>(3, [](Index i) { return static_cast<int>(2 * i); });
  };
  EXPECT_EQ(run(count, words.data(), body), 0);
  EXPECT_THAT(doubled, testing::ElementsAre(0, 2, 4));
  try {
    kept->map<int>(3, [](Index) { return 0; });
    FAIL() << "a farm that is over has run a loop";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the farm is over"));
  }
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(count, words.data(), body), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("called again"));
}

}  // namespace
}  // namespace loadshare
