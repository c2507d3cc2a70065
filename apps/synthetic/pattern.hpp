#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace loadshare::synthetic {

/// Fills the input of an iteration with a pattern that depends on `seed`.
void fill_input(std::uint64_t seed, Index iteration, std::span<std::byte> input);

/// Fills the whole shared input.
void fill_shared(std::uint64_t seed, std::span<std::byte> shared);

/// The values that determine an iteration's result. A change of any of them almost certainly changes every
/// byte.
struct ResultSources {
  std::uint64_t seed = 0;
  Index iteration = 0;
  std::span<const std::byte> input;
  std::uint64_t shared_sample = 0;  ///< of the shared input, at `sample_offset`
};

/// Writes the iteration's result to all of `output`.
void write_result(const ResultSources& sources, std::span<std::byte> output);
/// Whether `output` is what `write_result` would write.
bool is_result(const ResultSources& sources, std::span<const std::byte> output);

/// Returns the position at which an iteration reads a shared input of `bytes` > 0 bytes. It is the start of a
/// word of eight bytes, because a worker sees one piece at a time and the verification all of them.
std::size_t sample_offset(std::uint64_t seed, Index iteration, std::size_t bytes);
/// Returns the byte of the shared input at `offset` and up to seven following bytes of `piece`.
std::uint64_t shared_sample(std::span<const std::byte> piece, std::size_t offset);

}  // namespace loadshare::synthetic
