#include "apps/integer_sort/generator.hpp"

namespace loadshare::integer_sort {

namespace {

/// Modulo 2^64, and so modulo 2^46.
std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

Generator::Generator(std::uint64_t skipped) : x_(seed * power(factor, skipped) & mask) {}

}  // namespace loadshare::integer_sort
