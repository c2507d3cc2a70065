#include "base/names.hpp"

#include <algorithm>
#include <numeric>

namespace loadshare {
namespace {

// Independent of the locale, unlike std::tolower: option names are ASCII.
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::string from = lowered(a), to = lowered(b);
  // Three rows of the distance table: a swap of neighbours refers to the row before the last.
  std::vector<std::size_t> before_last, last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last.back();
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    const std::size_t most = (longer + 2) / 3;
    if (longer - shorter > most) continue;  // a word may be as long as a file
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > most || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto meant = nearest(word, candidates);
  return meant ? "did you mean '" + *meant + "'?" : std::string();
}

std::string list_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

UsageError unknown_name(std::string_view kind, std::string_view word, std::span<const std::string> names) {
  const std::string problem = "unknown " + std::string(kind) + " '" + std::string(word) + "'";
  return UsageError(problem, "valid: " + list_names(names), did_you_mean(word, names));
}

}  // namespace loadshare
