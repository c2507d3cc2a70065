#pragma once

#include <cstdint>

namespace loadshare::integer_sort {

/// The random numbers of the NAS Parallel Benchmarks (report RNR-94-007, section 2.2): x(k) = a x(k - 1) mod
/// 2^46 with a = 5^13, in whole numbers throughout. A number at any place is reached in a logarithmic number
/// of steps, so that every rank can make its own part of the sequence.
class Generator final {
 public:
  static constexpr std::uint64_t seed = 314'159'265;  ///< x(0) of the Integer Sort
  static constexpr int bits = 46;

  /// The sequence behind its first `skipped` numbers.
  explicit Generator(std::uint64_t skipped);

  /// In [0, 2^46).
  std::uint64_t next() {
    x_ = x_ * factor & mask;
    return x_;
  }

 private:
  static constexpr std::uint64_t factor = 1'220'703'125;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;

  std::uint64_t x_;
};

}  // namespace loadshare::integer_sort
