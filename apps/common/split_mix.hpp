#pragma once

#include <cstdint>

namespace loadshare::split_mix {

/// 2^64 / golden ratio, the step from one state to the next.
inline constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;

/// Random bits as a pure function of a counter: SplitMix64's output at the state `z`. Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// The first state of one of many streams from one seed, none of which begins near another.
constexpr std::uint64_t first_state(std::uint64_t seed, std::uint64_t stream) {
  return mix(mix(seed + golden_gamma) + golden_gamma * (stream + 1));
}

}  // namespace loadshare::split_mix
