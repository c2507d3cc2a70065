#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loadshare::reconstruction {

/// A part of what a process does, in order: one call site, or a loop over parts. How often a loop runs is no
/// part of it, so that the same pattern fits the runs of one program at other sizes.
struct PatternNode {
  std::uint32_t site = 0;         ///< of a call
  std::vector<PatternNode> body;  ///< of a loop; empty: a call
  std::uint32_t number = 0;       ///< in the order of the pattern, loops before their parts

  bool is_loop() const { return !body.empty(); }
  friend bool operator==(const PatternNode& one, const PatternNode& other) {
    return one.site == other.site && one.body == other.body;
  }
};

struct Pattern {
  std::vector<PatternNode> nodes;
  std::uint32_t size = 0;  ///< how many nodes, loops and their parts included

  friend bool operator==(const Pattern& one, const Pattern& other) { return one.nodes == other.nodes; }
};

/// Folds a sequence of call sites into loops: what is repeated side by side is a loop over it, from the
/// inside to the outside, up to bodies of some hundred parts (run-length folding as ScalaTrace does it:
/// Noeth, Ratn, Mueller, Schulz, de Supinski, JPDC 2009).
Pattern fold(std::span<const std::uint32_t> sites);

/// Where a node was met in a sequence.
struct Meeting {
  std::uint32_t position = 0;           ///< of a call: in the sequence
  std::uint32_t times = 0;              ///< of a loop: how often it ran
  std::vector<std::uint32_t> counters;  ///< of the loops around it, the outermost first, from 0
};

/// The meetings of each node of a pattern, by number.
using Meetings = std::vector<std::vector<Meeting>>;

/// Where `sites` stop following the pattern: all of them are known before.
struct Mismatch {
  std::uint32_t position = 0;  ///< sites.size(): the pattern goes on
};

struct Match {
  Meetings meetings;
  std::optional<Mismatch> mismatch;
};

/// Follows `sites` along the pattern, each loop as often as they let it, also not at all.
Match match(const Pattern& pattern, std::span<const std::uint32_t> sites);

}  // namespace loadshare::reconstruction
