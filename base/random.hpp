#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

// Random numbers that are the same on every platform; the standard library's distributions and shuffle are
// not.

namespace loadshare::split_mix {

/// 2^64 / golden ratio, the step from one state to the next.
inline constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;

/// Returns random bits as a pure function of a counter: SplitMix64's output at the state `z` (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Returns the first state of one of many streams from one seed. No two streams begin close to each other.
constexpr std::uint64_t first_state(std::uint64_t seed, std::uint64_t stream) {
  return mix(mix(seed + golden_gamma) + golden_gamma * (stream + 1));
}

}  // namespace loadshare::split_mix

namespace loadshare {

/// SplitMix64 as a generator.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return split_mix::mix(state_ += split_mix::golden_gamma); }
  /// Returns a number in [0, count). The bias is below count / 2^64.
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::uint64_t state_;
};

/// Shuffles by Fisher and Yates' method.
template <typename T>
void shuffle(std::vector<T>& values, SplitMix64& random) {
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[random.below(left)]);
}

/// Returns the FNV-1a hash (64 bits), mixed.
inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return SplitMix64(hash).next();
}

/// Returns a number in [0, 1).
inline double fraction(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Returns a number of mean 0 and deviation 1: a sum of twelve, close enough to a normal distribution for
/// costs.
inline double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += fraction(random);
  return sum;
}

}  // namespace loadshare
