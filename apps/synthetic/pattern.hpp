#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace loadshare::synthetic {

/// Fills iteration `iteration`'s input with what `seed` makes of it.
void fill_input(std::uint64_t seed, Index iteration, std::span<std::byte> input);

/// Fills the shared input, all of it.
void fill_shared(std::uint64_t seed, std::span<std::byte> shared);

/// What an iteration's result is made of: any change in one of them changes every byte of it, as good as
/// surely.
struct ResultSources {
  std::uint64_t seed = 0;
  Index iteration = 0;
  std::span<const std::byte> input;
  std::uint64_t shared_sample = 0;  ///< of the shared input, at `sample_offset`
};

/// Writes the iteration's result, every byte of `output`.
void write_result(const ResultSources& sources, std::span<std::byte> output);
/// Whether `output` is what `write_result` would write.
bool is_result(const ResultSources& sources, std::span<const std::byte> output);

/// Where in a shared input of `bytes` bytes, more than 0, an iteration looks: at the begin of a word of eight
/// bytes, since a worker sees one piece of it at a time, the verification all.
std::size_t sample_offset(std::uint64_t seed, Index iteration, std::size_t bytes);
/// The shared input's byte there, and the up to seven that follow it in `piece`.
std::uint64_t shared_sample(std::span<const std::byte> piece, std::size_t offset);

}  // namespace loadshare::synthetic
