#include "apps/synthetic/verify.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "apps/synthetic/pattern.hpp"

namespace loadshare::synthetic {
namespace {

/// The memory of a loop after a good run.
class Verify : public testing::Test {
 protected:
  Verify() {
    fill_shared(sizes_.seed, shared_);
    for (Index i = 0; i < sizes_.iterations; ++i) {
      const auto input = part_of_chunk<std::byte>(inputs_, sizes_.input_bytes, {i, 1});
      fill_input(sizes_.seed, i, input);
      const auto sample = shared_sample(shared_, sample_offset(sizes_.seed, i, sizes_.shared_bytes));
      write_result({sizes_.seed, i, input, sample},
                   part_of_chunk<std::byte>(outputs_, sizes_.output_bytes, {i, 1}));
    }
  }
  LoopCheck verdict() { return verify(sizes_, {inputs_, outputs_, shared_}); }

  LoopSizes sizes_{.iterations = 60, .input_bytes = 13, .output_bytes = 11, .shared_bytes = 29, .seed = 3};
  std::vector<std::byte> inputs_ = std::vector<std::byte>(60 * 13);
  std::vector<std::byte> outputs_ = std::vector<std::byte>(60 * 11);
  std::vector<std::byte> shared_ = std::vector<std::byte>(29);
};

TEST_F(Verify, AcceptsAGoodRun) {
  EXPECT_TRUE(verdict().is_right());
}

TEST_F(Verify, FindsEverySpoiltByte) {
  for (std::size_t at = 0; at < outputs_.size(); ++at) {
    outputs_[at] ^= std::byte{1};
    const LoopCheck found = verdict();
    ASSERT_EQ(found.wrong, 1);
    ASSERT_EQ(found.first_wrong, static_cast<Index>(at / 11));
    outputs_[at] ^= std::byte{1};
  }
}

TEST_F(Verify, NamesTheWrongOnes) {
  outputs_[17 * 11] ^= std::byte{1};
  EXPECT_EQ(describe_wrong(verdict()), "iteration 17 (1 of 60)");
  outputs_[5 * 11 + 10] ^= std::byte{1};
  EXPECT_EQ(describe_wrong(verdict()), "2 of 60 iterations, the first of them 5");
}

TEST_F(Verify, WithoutResultsHasNothingToFind) {
  sizes_.output_bytes = 0;
  EXPECT_TRUE(verify(sizes_, {inputs_, {}, shared_}).is_right());
}

}  // namespace
}  // namespace loadshare::synthetic
