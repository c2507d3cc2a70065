#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/types.hpp"
#include "runtime/farm/job.hpp"

// What the farm's applications share about the loops that they are.

namespace loadshare {

/// The part of all iterations' `values` that is a chunk's, where each iteration has `each` of them; empty
/// where all are (away from the master's host).
template <class T>
std::span<T> part_of_chunk(std::span<T> values, std::size_t each, Chunk chunk) {
  if (values.empty()) return {};
  return values.subspan(static_cast<std::size_t>(chunk.first) * each,
                        static_cast<std::size_t>(chunk.size) * each);
}

/// What a check of a loop's results found.
struct LoopCheck {
  const char* one = "iteration";  ///< what an iteration is called
  Index iterations = 0;
  Index wrong = 0;        ///< how many of them
  Index first_wrong = 0;  ///< if any is

  bool is_right() const { return wrong == 0; }
  void add_wrong(Index iteration) {
    if (wrong++ == 0) first_wrong = iteration;
  }
};

/// "row 17 (1 of 60)", "3 of 60 rows, the first of them 17".
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
