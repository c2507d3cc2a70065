#include "apps/floyd/graph.hpp"

#include <cmath>

#include "base/random.hpp"

namespace loadshare::floyd {

namespace {

constexpr int chance_bits = 32;

/// Returns the threshold below which random 64-bit numbers fall with probability `density`.
std::uint64_t threshold_of(double density) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(density, chance_bits)));
}

Length length_of(std::uint64_t bits) {
  const std::uint64_t low = bits & 0xffffffffU;
  return 1 + static_cast<Length>((low * static_cast<std::uint64_t>(longest_edge)) >> 32);
}

}  // namespace

void edges_from(const Graph& graph, Index vertex, std::span<Length> lengths) {
  const std::uint64_t first = split_mix::first_state(graph.seed, 0) +
                              (static_cast<std::uint64_t>(vertex) << 32) * split_mix::golden_gamma;
  const std::uint64_t threshold = threshold_of(graph.density);
  for (std::size_t to = 0; to < lengths.size(); ++to) {
    const std::uint64_t bits = split_mix::mix(first + to * split_mix::golden_gamma);
    lengths[to] = bits >> (64 - chance_bits) < threshold ? length_of(bits) : no_path;
  }
  lengths[static_cast<std::size_t>(vertex)] = 0;
}

}  // namespace loadshare::floyd
