#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/types.hpp"
#include "runtime/farm/job.hpp"

// Helpers for the loops of the farm applications.

namespace loadshare {

/// Returns a chunk's part of all iterations' `values`, with `each` values per iteration. Empty if `values` is
/// empty (on hosts other than the master's).
template <class T>
std::span<T> part_of_chunk(std::span<T> values, std::size_t each, Chunk chunk) {
  if (values.empty()) return {};
  return values.subspan(static_cast<std::size_t>(chunk.first) * each,
                        static_cast<std::size_t>(chunk.size) * each);
}

/// The result of checking a loop's results.
struct LoopCheck {
  const char* one = "iteration";  ///< noun for an iteration
  Index iterations = 0;
  Index wrong = 0;        ///< number of wrong iterations
  Index first_wrong = 0;  ///< if any is wrong

  bool is_right() const { return wrong == 0; }
  void add_wrong(Index iteration) {
    if (wrong++ == 0) first_wrong = iteration;
  }
};

/// Returns "row 17 (1 of 60)" or "3 of 60 rows, the first of them 17".
inline std::string describe_wrong(const LoopCheck& check) {
  const std::string one = check.one, first = std::to_string(check.first_wrong);
  const std::string all = std::to_string(check.iterations);
  if (check.wrong == 1) return one + " " + first + " (1 of " + all + ")";
  return std::to_string(check.wrong) + " of " + all + " " + one + "s, the first of them " + first;
}

inline Verdict verdict_of(const LoopCheck& check) {
  return {check.is_right(), describe_wrong(check)};
}

}  // namespace loadshare
