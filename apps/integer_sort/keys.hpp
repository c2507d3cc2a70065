#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/types.hpp"

namespace loadshare::integer_sort {

/// Number of times that the benchmark ranks its keys, in each class.
inline constexpr Index iterations = 10;

/// A key whose rank, the number of smaller keys, is known for each iteration.
struct TestKey {
  Index place = 0;
  Index rank = 0;
  int step = 1;     ///< change of its rank per iteration
  Index since = 0;  ///< iteration in which its rank is `rank`

  constexpr Index rank_in(Index iteration) const { return rank + step * (iteration - since); }
};

inline constexpr std::size_t test_keys = 5;

/// A problem size defined by the NAS Parallel Benchmarks, or one between theirs. Keys are in [0, max_key).
/// `max_key`, the number of keys and the number of buckets are powers of two.
struct ProblemClass {
  const char* name;
  const char* description;
  Index keys;
  Index max_key;
  Index buckets;
  std::array<TestKey, test_keys> tests;
  bool knows_tests = true;  ///< false for sizes between the benchmark's

  /// Returns the number of key values per bucket.
  constexpr Index bucket_width() const { return max_key / buckets; }
};

/// Returns the benchmark's classes, the smallest first.
std::span<const ProblemClass> problem_classes();

/// Returns the class of that name, or the size: "2^21" has that number of keys and a sixteenth of it as
/// max_key, like most classes. Throws UsageError, with the valid names, if there is none.
const ProblemClass& find_class(const std::string& name);

/// Throws UsageError, with the nearest valid number, unless `ranks` is a power of two and at most the number
/// of buckets.
void require_ranks(const ProblemClass& problem, int ranks);

/// The random numbers of the NAS Parallel Benchmarks (report RNR-94-007, section 2.2): x(k) = a x(k - 1) mod
/// 2^46 with a = 5^13, computed in integers. Any position can be reached in a logarithmic number of steps, so
/// that every rank can make its own part of the sequence.
class Generator final {
 public:
  static constexpr std::uint64_t seed = 314'159'265;  ///< x(0) of the Integer Sort
  static constexpr int bits = 46;

  /// Begins the sequence after its first `skipped` numbers.
  explicit Generator(std::uint64_t skipped);

  /// Returns a number in [0, 2^46).
  std::uint64_t next() {
    x_ = x_ * factor & mask;
    return x_;
  }

 private:
  static constexpr std::uint64_t factor = 1'220'703'125;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;

  std::uint64_t x_;
};

using Key = std::int32_t;

/// The keys of a class in the order of their positions, from any position on. A key is a quarter of `max_key`
/// times the sum of four random numbers in (0, 1), rounded down. It is computed in integers: `max_key` is a
/// power of two, so the product is a shift.
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

/// Fills `out` with the keys from position `first` on.
void make_keys(const ProblemClass& problem, Index first, std::span<Key> out);

/// Returns the final value of `key` at `place`: every iteration stores one small and one large key at
/// positions of its own.
Key altered(const ProblemClass& problem, Index place, Key key);

/// Stores the two keys of an iteration, counted from 1. `keys` begin with position 0.
void alter(const ProblemClass& problem, Index iteration, std::span<Key> keys);

}  // namespace loadshare::integer_sort
