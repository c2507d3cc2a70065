#include <gtest/gtest.h>

#include "tests/golden_rows.hpp"
#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

void expect_reproduced(const Row& row) {
  SCOPED_TRACE(row.at("spec"));
  const Index workers = row.at("workers").empty() ? 1 : std::stoll(row.at("workers"));
  const auto expected = read_sizes(row.at("sequence"));
  EXPECT_EQ(sequence(row.at("spec"), {std::stoll(row.at("iterations")), workers}), expected);
  EXPECT_EQ(expected.size(), std::stoul(row.at("count")));
}

// tests/data/chunk_sequences.csv: the load-sharing paper's own numbers, every row.
TEST(Golden, ChunkSequencesOfTheLoadSharingPaper) {
  const auto rows = read_rows("chunk_sequences.csv");
  ASSERT_EQ(rows.size(), 11u);
  for (const Row& row : rows) {
    expect_reproduced(row);
    const std::string published = row.at("published_count");
    EXPECT_TRUE(published.empty() || published == row.at("count")) << row.at("spec");
  }
}

// tests/data/dls_sequences.csv: the wider literature, every row.
TEST(Golden, ChunkSequencesOfTheWiderLiterature) {
  const auto rows = read_rows("dls_sequences.csv");
  ASSERT_EQ(rows.size(), 16u);
  for (const Row& row : rows) expect_reproduced(row);
}

}  // namespace
}  // namespace loadshare::test
