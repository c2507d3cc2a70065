#pragma once

#include <array>
#include <span>
#include <string>

#include "apps/integer_sort/ranking.hpp"

namespace loadshare::integer_sort {

/// The benchmark's partial verification: whether the test keys had the ranks that are known, in each
/// iteration. Every rank checks those it holds; the sum over all ranks tells.
class PartialChecks final {
 public:
  static constexpr Index count = iterations * static_cast<Index>(test_keys);

  /// Looks at the test keys, `keys[i]` being the i-th one's value, after an iteration, 1 being the first.
  void check(const ProblemClass& problem, Index iteration, std::span<const Count> keys,
             const Ranking& ranking);

  /// To be summed over all ranks: 1 where a check passed, by iteration, then by test key.
  std::span<Index> marks() { return marks_; }

  Index passed() const;
  /// "3 of 50 partial checks failed, the first that of test key 2 in iteration 10"; empty where none did.
  std::string what_is_wrong() const;

 private:
  std::array<Index, static_cast<std::size_t>(count)> marks_{};
};

}  // namespace loadshare::integer_sort
