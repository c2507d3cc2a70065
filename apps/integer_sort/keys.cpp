#include "apps/integer_sort/keys.hpp"

#include <algorithm>
#include <bit>

namespace loadshare::integer_sort {

KeySequence::KeySequence(const ProblemClass& problem, Index first_place)
    : numbers_(static_cast<std::uint64_t>(first_place) * numbers_a_key),
      shift_(Generator::bits -
             std::countr_zero(static_cast<std::uint64_t>(problem.max_key / numbers_a_key))) {}

void make_keys(const ProblemClass& problem, Index first, std::span<Key> out) {
  KeySequence keys(problem, first);
  std::ranges::generate(out, [&] { return keys.next(); });
}

Key altered(const ProblemClass& problem, Index place, Key key) {
  if (place < 1 || place > 2 * iterations) return key;
  return static_cast<Key>(place <= iterations ? place : problem.max_key - (place - iterations));
}

void alter(const ProblemClass& problem, Index iteration, std::span<Key> keys) {
  for (const Index place : {iteration, iteration + iterations}) {
    Key& key = keys[static_cast<std::size_t>(place)];
    key = altered(problem, place, key);
  }
}

}  // namespace loadshare::integer_sort
