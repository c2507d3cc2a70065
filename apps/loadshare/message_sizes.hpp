#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/types.hpp"

namespace loadshare::tool {

/// Message sizes in order from `least` to `most`, both exactly, so many in each octave and each a little off
/// its place, so that no pattern of powers of two is taken for the rule. With 0 and 1 where they lie between,
/// and 64; below 64 bytes, where little depends on the size, one an octave.
std::vector<Index> spread_sizes(Index least, Index most, int per_octave, SplitMix64& random);

/// Where the middle half of some times lies.
struct Quartiles {
  double low_s = 0;
  double high_s = 0;
};

/// What is known of one size, and what most of its messages did.
struct SizePoint {
  Index bytes = 0;
  Quartiles sender;
  Quartiles receiver;
  bool has_waited = false;
};

/// A size halfway between two whose times clearly differ.
struct Jump {
  Index middle = 0;
  double octaves = 0;  ///< from the one to the other
};

/// Sizes to measure as well, in order: between neighbours whose times clearly differ by more than their sizes
/// explain, which is by anything from nothing to their ratio, until they are 4 % apart. `points` in the order
/// of their sizes.
std::vector<Jump> jumps_among(std::span<const SizePoint> points);

/// The sizes between which sends begin to wait (see communication::waiting_border); none where all are alike.
std::vector<Index> sizes_at_threshold(std::span<const SizePoint> points);

/// The size halfway between those two; nothing where they are 0.5 % apart or nearer, or there are none.
std::optional<Index> size_in_threshold(std::span<const SizePoint> points);

}  // namespace loadshare::tool
