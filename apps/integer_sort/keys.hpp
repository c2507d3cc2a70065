#pragma once

#include <cstdint>
#include <span>

#include "apps/integer_sort/generator.hpp"
#include "apps/integer_sort/problem_class.hpp"

namespace loadshare::integer_sort {

using Key = std::int32_t;

/// The keys of a class in the order of their places, from any place on: each a quarter of `max_key` times the
/// sum of four random numbers in (0, 1), rounded down. All of it is done in whole numbers: `max_key` is a
/// power of two, so that the product is a shift.
class KeySequence final {
 public:
  KeySequence(const ProblemClass& problem, Index first_place);

  Key next() {
    std::uint64_t sum = 0;
    for (int i = 0; i < numbers_a_key; ++i) sum += numbers_.next();
    return static_cast<Key>(sum >> shift_);
  }

 private:
  static constexpr int numbers_a_key = 4;

  Generator numbers_;
  int shift_;
};

/// Fills `out` with the keys from place `first` on.
void make_keys(const ProblemClass& problem, Index first, std::span<Key> out);

/// What becomes of `key` at `place` in the course of the benchmark: every iteration lays one small and one
/// large key on places of its own.
Key altered(const ProblemClass& problem, Index place, Key key);

/// Lays the keys of an iteration, 1 being the first; `keys` begin with place 0.
void alter(const ProblemClass& problem, Index iteration, std::span<Key> keys);

}  // namespace loadshare::integer_sort
