#include "apps/bucket_sort/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace loadshare::bucket_sort {
namespace {

constexpr Index key_count = 100;

/// Two ranks that share the keys 0 to 99, sorted, half each.
class TwoRanks : public testing::Test {
 protected:
  std::string verdict() const {
    const Key border = first_.empty() ? 0 : first_.back();
    return spmd::what_is_wrong(
        std::vector{summarize(keys_, {0, 30}, first_, 0), summarize(keys_, {30, 70}, second_, border)});
  }

  KeySet keys_{key_count, 1, find_keys("uniform").key_at};
  std::vector<Key> first_, second_;

  void SetUp() override {
    std::vector<Key> all(key_count);
    make_keys(keys_, 0, all);
    std::ranges::sort(all);
    first_.assign(all.begin(), all.begin() + 50);
    second_.assign(all.begin() + 50, all.end());
  }
};

TEST_F(TwoRanks, SortedKeysAreRight) {
  EXPECT_EQ(verdict(), "");
}

TEST_F(TwoRanks, ARankMayHaveNone) {
  second_.insert(second_.begin(), first_.begin(), first_.end());
  first_.clear();
  EXPECT_EQ(verdict(), "");
}

TEST_F(TwoRanks, DisorderIsFound) {
  std::swap(second_[3], second_[4]);
  EXPECT_EQ(verdict(), "the keys are not in order on rank 1");
}

TEST_F(TwoRanks, DisorderBetweenRanksIsFound) {
  std::swap(first_.back(), second_.front());
  EXPECT_EQ(verdict(), "rank 1 has a key that belongs on a rank before it");
}

TEST_F(TwoRanks, ALostKeyIsFound) {
  first_.pop_back();
  EXPECT_EQ(verdict(), "100 keys became 99");
}

TEST_F(TwoRanks, AnotherKeyIsFound) {
  second_.back() += 1;
  EXPECT_EQ(verdict(), "the sorted keys are not those of the input");
}

TEST_F(TwoRanks, AKeyTwiceInPlaceOfAnotherIsFound) {
  first_[1] = first_[0];
  EXPECT_EQ(verdict(), "the sorted keys are not those of the input");
}

}  // namespace
}  // namespace loadshare::bucket_sort
