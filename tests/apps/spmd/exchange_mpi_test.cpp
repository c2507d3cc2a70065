#include "apps/spmd/exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "apps/spmd/parts.hpp"

namespace loadshare::spmd {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

class ExchangeTest : public testing::Test {
 protected:
  PhaseClock clock_;
  Exchange exchange_{clock_};
  int rank_ = exchange_.rank();
  int ranks_ = exchange_.ranks();
};

TEST_F(ExchangeTest, ShiftsAroundTheRing) {
  constexpr std::size_t large = 100'000;  // far beyond what MPI sends without a waiting receiver
  for (const std::size_t size : {std::size_t{1}, large}) {
    const std::vector<double> out(size, rank_);
    std::vector<double> in(size, -1);
    const int from = (rank_ + ranks_ - 1) % ranks_;
    exchange_.shift(std::span<const double>(out), (rank_ + 1) % ranks_, std::span(in), from);
    EXPECT_THAT(in, Each(from));
  }
}

TEST_F(ExchangeTest, SendsAlongTheLine) {
  constexpr std::size_t large = 100'000;
  for (const std::size_t size : {std::size_t{1}, large}) {
    const std::vector<std::int32_t> out(size, rank_);
    std::vector<std::int32_t> in(size, -1);
    if (rank_ + 1 < ranks_) exchange_.send(std::span<const std::int32_t>(out), rank_ + 1);
    if (rank_ > 0) exchange_.receive(std::span(in), rank_ - 1);
    EXPECT_THAT(in, Each(rank_ - 1));
  }
}

TEST_F(ExchangeTest, BroadcastsFromAnyRank) {
  for (int root = 0; root < ranks_; ++root) {
    std::vector<std::int32_t> values(50, rank_);
    exchange_.broadcast(std::span(values), root);
    EXPECT_THAT(values, Each(root));
  }
}

TEST_F(ExchangeTest, ScattersAndGathersUnequalParts) {
  constexpr Index size = 11;
  const std::vector<Index> sizes = part_sizes(size, ranks_);
  std::vector<std::int32_t> all(rank_ == 0 ? size : 0);
  std::iota(all.begin(), all.end(), 0);
  const Part part = part_of(size, ranks_, rank_);
  std::vector<std::int32_t> own(static_cast<std::size_t>(part.size));
  exchange_.scatter(std::span<const std::int32_t>(all), sizes, std::span(own));
  std::vector<std::int32_t> expected(own.size());
  std::iota(expected.begin(), expected.end(), static_cast<std::int32_t>(part.first));
  EXPECT_THAT(own, ElementsAreArray(expected));
  for (std::int32_t& value : own) value += 100;
  exchange_.gather(std::span<const std::int32_t>(own), sizes, std::span(all));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int32_t>(i) + 100);
}

TEST_F(ExchangeTest, RankZerosPartMayStayWhereItIs) {
  const std::vector<Index> sizes = part_sizes(7, ranks_);
  std::vector<std::int32_t> all(rank_ == 0 ? 7 : 0), elsewhere(7);
  std::iota(all.begin(), all.end(), 0);
  const Part part = part_of(7, ranks_, rank_);
  const auto own = std::span(rank_ == 0 ? all : elsewhere).first(static_cast<std::size_t>(part.size));
  exchange_.scatter(std::span<const std::int32_t>(all), sizes, own);
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(own[i], part.first + static_cast<Index>(i));
  for (std::int32_t& value : own) value += 100;
  exchange_.gather(std::span<const std::int32_t>(own), sizes, std::span(all));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int32_t>(i) + 100);
}

TEST_F(ExchangeTest, AllToAllBringsEachItsPieces) {
  std::vector<Index> out_sizes;
  std::vector<std::uint64_t> out;
  for (int to = 0; to < ranks_; ++to) {
    out_sizes.push_back((rank_ + to) % 3);
    out.insert(out.end(), static_cast<std::size_t>(out_sizes.back()),
               static_cast<std::uint64_t>(10 * rank_ + to));
  }
  const std::vector<Index> in_sizes = exchange_.all_to_all(out_sizes);
  std::vector<std::uint64_t> in(
      static_cast<std::size_t>(std::accumulate(in_sizes.begin(), in_sizes.end(), Index{0})));
  exchange_.all_to_all(std::span<const std::uint64_t>(out), out_sizes, std::span(in), in_sizes);
  std::vector<std::uint64_t> expected;
  for (int from = 0; from < ranks_; ++from)
    expected.insert(expected.end(), static_cast<std::size_t>((from + rank_) % 3),
                    static_cast<std::uint64_t>(10 * from + rank_));
  EXPECT_THAT(in, ElementsAreArray(expected));
}

TEST_F(ExchangeTest, AllGatherAndSumAreTheSameEverywhere) {
  const std::vector<Index> own{rank_, -rank_};
  const std::vector<Index> all = exchange_.all_gather(std::span<const Index>(own));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(2 * ranks_));
  for (Index rank = 0; rank < ranks_; ++rank) {
    EXPECT_EQ(all[static_cast<std::size_t>(2 * rank)], rank);
    EXPECT_EQ(all[static_cast<std::size_t>(2 * rank + 1)], -rank);
  }
  std::vector<double> values{1.0 + rank_, 2.0};
  exchange_.sum(std::span(values));
  EXPECT_EQ(values[0], ranks_ * (ranks_ + 1) / 2);
  EXPECT_EQ(values[1], 2 * ranks_);
  std::vector<std::int32_t> counts{rank_, 3};
  exchange_.sum(std::span(counts));
  EXPECT_EQ(counts[0], ranks_ * (ranks_ - 1) / 2);
  EXPECT_EQ(counts[1], 3 * ranks_);
}

TEST_F(ExchangeTest, EveryCallIsTimed) {
  double last_s = clock_.exchanging_s();
  exchange_.barrier();
  EXPECT_GT(clock_.exchanging_s(), last_s);
  last_s = clock_.exchanging_s();
  std::vector<std::int32_t> values(1);
  exchange_.broadcast(std::span(values), 0);
  EXPECT_GT(clock_.exchanging_s(), last_s);
  EXPECT_EQ(clock_.computing_s(), 0);
}

}  // namespace
}  // namespace loadshare::spmd
