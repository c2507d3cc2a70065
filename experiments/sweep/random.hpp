#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace loadshare::sweep {

/// A small generator that gives the same numbers everywhere (the standard's distributions and shuffle do
/// not). Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  /// From 0 to count - 1; the bias is below count / 2^64.
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::uint64_t state_;
};

/// Fisher and Yates.
template <typename T>
void shuffle(std::vector<T>& values, SplitMix64& random) {
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[random.below(left)]);
}

/// FNV-1a, 64 bits, then mixed.
inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return SplitMix64(hash).next();
}

}  // namespace loadshare::sweep
