#include "apps/synthetic/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace loadshare::synthetic {
namespace {

using Bytes = std::vector<std::byte>;

Bytes input(std::uint64_t seed, Index iteration, std::size_t size) {
  Bytes bytes(size);
  fill_input(seed, iteration, bytes);
  return bytes;
}

Bytes result(const ResultSources& sources, std::size_t size) {
  Bytes bytes(size);
  write_result(sources, bytes);
  return bytes;
}

std::string hex(const Bytes& bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte >> 4)];
    text += digits[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return text;
}

// Computed independently of this program, from the definitions. Every host must make the same bytes.
TEST(Pattern, HasTheseBytes) {
  const Bytes data = input(1, 7, 13);
  EXPECT_EQ(hex(data), "e6fdce871c499e083386e16e5a");
  EXPECT_EQ(hex(result({1, 7, data, 5}, 13)), "a0f85599c06999875506cf16aa");
}

TEST(Pattern, ResultDependsOnAllItsSources) {
  const Bytes data = input(1, 7, 21);
  const Bytes right = result({1, 7, data, 5}, 40);
  EXPECT_EQ(result({1, 7, data, 5}, 40), right);
  EXPECT_NE(result({2, 7, data, 5}, 40), right);
  EXPECT_NE(result({1, 8, data, 5}, 40), right);
  EXPECT_NE(result({1, 7, data, 6}, 40), right);
  for (std::size_t at = 0; at < data.size(); ++at) {
    Bytes spoilt = data;
    spoilt[at] ^= std::byte{1};
    EXPECT_NE(result({1, 7, spoilt, 5}, 40), right) << at;
  }
}

TEST(Pattern, EveryByteOfAResultIsChecked) {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 40U}) {
    const Bytes data = input(1, 7, 21);
    Bytes out = result({1, 7, data, 5}, size);
    EXPECT_TRUE(is_result({1, 7, data, 5}, out)) << size;
    for (std::size_t at = 0; at < size; ++at) {
      out[at] ^= std::byte{128};
      EXPECT_FALSE(is_result({1, 7, data, 5}, out)) << size << ' ' << at;
      out[at] ^= std::byte{128};
    }
  }
}

TEST(Pattern, SamplesLieWithinTheSharedInput) {
  Bytes shared(27);
  fill_shared(1, shared);
  std::set<std::size_t> seen;
  for (Index i = 0; i < 1000; ++i) seen.insert(sample_offset(1, i, shared.size()));
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 8, 16, 24})) << "together they read all of it";
  EXPECT_EQ(shared_sample(shared, 26), std::to_integer<std::uint64_t>(shared[26]));
  EXPECT_NE(shared_sample(shared, 0), shared_sample(shared, 8));
}

TEST(Pattern, ASampleOfAPieceIsThatOfTheWhole) {
  constexpr std::size_t piece_bytes = 16;
  Bytes shared(61);
  fill_shared(1, shared);
  for (Index i = 0; i < 1000; ++i) {
    const std::size_t at = sample_offset(1, i, shared.size());
    const std::size_t first = at / piece_bytes * piece_bytes;
    const auto piece = std::span(shared).subspan(first, std::min(piece_bytes, shared.size() - first));
    ASSERT_EQ(shared_sample(piece, at - first), shared_sample(shared, at)) << at;
  }
}

}  // namespace
}  // namespace loadshare::synthetic
