#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <ostream>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// A line of a golden file by column name; commas within double quotes are part of a value, and one of the
// files has carriage returns.
using Row = std::map<std::string, std::string>;

std::vector<std::string> read_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

std::vector<Row> read_rows(const std::string& file) {
  std::ifstream stream(std::string(LOADSHARE_TEST_DATA "/") + file);
  std::vector<std::string> header;
  std::vector<Row> rows;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('#')) continue;
    const auto cells = read_cells(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = cells.at(i);
  }
  return rows;
}

bool is_built_in(const Row& row) {
  const std::string spec = row.at("spec");
  const SchedulerTable table = built_in_schedulers();
  for (const auto& entry : table.entries())
    if (entry.name == spec.substr(0, spec.find(':'))) return true;
  return false;
}

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

// tests/data/dls_sequences.csv: the wider literature; the rows whose technique the table has.
TEST(Golden, ChunkSequencesOfTheWiderLiterature) {
  int tested = 0;
  for (const Row& row : read_rows("dls_sequences.csv")) {
    if (!is_built_in(row)) continue;
    expect_reproduced(row);
    ++tested;
  }
  EXPECT_GE(tested, 4) << "the rows of gss and tss";
}

}  // namespace
}  // namespace loadshare::test
