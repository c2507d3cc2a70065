#include "apps/matmul/verify/verdict.hpp"

#include <algorithm>
#include <numeric>

namespace loadshare::matmul {
namespace {

std::string range_text(const Chunk& range) {
  std::string text = std::to_string(range.first);
  if (range.size > 1) text.append("-").append(std::to_string(range.end() - 1));
  return text;
}

}  // namespace

Index Verdict::wrong_columns() const {
  return std::accumulate(wrong.begin(), wrong.end(), Index{0},
                         [](Index sum, const Chunk& range) { return sum + range.size; });
}

std::string describe_wrong(const Verdict& verdict) {
  if (verdict.is_right()) return "none";
  constexpr std::size_t spelled_out = 8;
  const Index count = verdict.wrong_columns();
  std::string text = count == 1 ? "column " : "columns ";
  const std::size_t shown = std::min(spelled_out, verdict.wrong.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text.append(i == 0 ? "" : ", ").append(range_text(verdict.wrong[i]));
  }
  if (shown < verdict.wrong.size()) text.append(", ...");
  return text + " (" + std::to_string(count) + " of " + std::to_string(verdict.columns) + ")";
}

std::vector<Chunk> as_ranges(const std::vector<Index>& ascending) {
  std::vector<Chunk> ranges;
  for (const Index position : ascending) {
    if (!ranges.empty() && ranges.back().end() == position) {
      ++ranges.back().size;
    } else {
      ranges.push_back({position, 1});
    }
  }
  return ranges;
}

}  // namespace loadshare::matmul
