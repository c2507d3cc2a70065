#include "apps/integer_sort/partial_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadshare::integer_sort {

void PartialChecks::check(const ProblemClass& problem, Index iteration, std::span<const Count> keys,
                          const Ranking& ranking) {
  for (std::size_t i = 0; i < test_keys; ++i) {
    const bool is_right =
        ranking.holds(keys[i]) && ranking.rank_of(keys[i]) == problem.tests[i].rank_in(iteration);
    marks_[static_cast<std::size_t>(iteration - 1) * test_keys + i] = is_right ? 1 : 0;
  }
}

Index PartialChecks::passed() const {
  return std::ranges::count(marks_, 1);
}

std::string PartialChecks::what_is_wrong() const {
  const auto failed = std::ranges::find_if(marks_, [](Index mark) { return mark != 1; });
  if (failed == marks_.end()) return {};
  const auto at = static_cast<std::size_t>(failed - marks_.begin());
  return fmt::format("{} of {} partial checks failed, the first that of test key {} in iteration {}",
                     count - passed(), count, at % test_keys, at / test_keys + 1);
}

}  // namespace loadshare::integer_sort
