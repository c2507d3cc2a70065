#include "apps/synthetic/pattern.hpp"

#include <algorithm>
#include <cstring>

#include "base/random.hpp"

namespace loadshare::synthetic {
namespace {

using split_mix::golden_gamma;
using split_mix::mix;

// Stream numbers that differ from those of the costs, which are iterations.
constexpr std::uint64_t shared_stream = ~std::uint64_t{0};
constexpr std::uint64_t input_salt = 0xa0761d6478bd642fU;
constexpr std::uint64_t sample_salt = 0xe7037ed1a0b428dbU;
constexpr std::uint64_t result_salt = 0x8ebc6af09c88c6e3U;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

/// Calls use(word, offset, bytes) for the words of a pattern; the last one may have fewer bytes.
template <class Use>
void for_words(std::uint64_t state, std::size_t bytes, Use use) {
  for (std::size_t at = 0; at < bytes; at += word_bytes)
    use(mix(state += golden_gamma), at, std::min(word_bytes, bytes - at));
}

void fill(std::uint64_t state, std::span<std::byte> out) {
  for_words(state, out.size(), [&](std::uint64_t word, std::size_t at, std::size_t bytes) {
    std::memcpy(out.data() + at, &word, bytes);
  });
}

/// Returns a hash of all bytes. Each step is invertible, so that no change of a single word is lost.
std::uint64_t digest(std::span<const std::byte> bytes) {
  std::uint64_t sum = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += word_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(word_bytes, bytes.size() - at));
    sum = (sum ^ word) * golden_gamma;
    sum ^= sum >> 32;
  }
  return sum;
}

std::uint64_t result_state(const ResultSources& sources) {
  const auto stream = static_cast<std::uint64_t>(sources.iteration);
  const std::uint64_t own = split_mix::first_state(sources.seed ^ result_salt, stream);
  return mix(mix(own ^ digest(sources.input)) + sources.shared_sample);
}

}  // namespace

void fill_input(std::uint64_t seed, Index iteration, std::span<std::byte> input) {
  fill(split_mix::first_state(seed ^ input_salt, static_cast<std::uint64_t>(iteration)), input);
}

void fill_shared(std::uint64_t seed, std::span<std::byte> shared) {
  fill(split_mix::first_state(seed, shared_stream), shared);
}

void write_result(const ResultSources& sources, std::span<std::byte> output) {
  if (!output.empty()) fill(result_state(sources), output);
}

bool is_result(const ResultSources& sources, std::span<const std::byte> output) {
  bool is_same = true;
  for_words(result_state(sources), output.size(), [&](std::uint64_t word, std::size_t at, std::size_t bytes) {
    is_same = std::memcmp(output.data() + at, &word, bytes) == 0 && is_same;
  });
  return is_same;
}

std::size_t sample_offset(std::uint64_t seed, Index iteration, std::size_t bytes) {
  const auto random = split_mix::first_state(seed ^ sample_salt, static_cast<std::uint64_t>(iteration));
  return random % bytes / word_bytes * word_bytes;
}

std::uint64_t shared_sample(std::span<const std::byte> piece, std::size_t offset) {
  std::uint64_t sample = 0;
  std::memcpy(&sample, piece.data() + offset, std::min(word_bytes, piece.size() - offset));
  return sample;
}

}  // namespace loadshare::synthetic
