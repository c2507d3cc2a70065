#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "models/program/collectives/algorithms.hpp"

namespace loadshare::timing_graph::collectives {

/// The algorithms of calls by fewer than `below_size` members; the first of them whose bytes a call stays
/// below is the one that Open MPI 4.1 takes for it (coll/tuned, its fixed decisions for commutative
/// operations). A call that stays below none is for the next size.
struct Choice {
  struct ByBytes {
    double below_bytes = 0;
    Algorithm algorithm = nullptr;
  };
  int below_size = 0;
  std::vector<ByBytes> by_bytes;
};

inline constexpr int any_size = std::numeric_limits<int>::max();
inline constexpr double any_bytes = std::numeric_limits<double>::infinity();

/// What the bytes of a call are. Of `message` and `equal_block` all members must name the same.
enum class BytesOf { nothing, message, equal_block, own_block, pair };

enum class Root { none, one };

/// By which size Open MPI chooses the algorithm.
enum class DecidedBy { block, total, mean_block };

/// A collective call of MPI.
struct Kind {
  std::string name;
  std::string bytes_meaning;  ///< for people
  BytesOf bytes_of = BytesOf::message;
  Root root = Root::none;
  DecidedBy decided_by = DecidedBy::block;
  /// Where Open MPI has an algorithm that is not here, the nearest is named: the butterfly's is recursive
  /// halving, the split binary tree's (bcast, from 256 members on) the binary tree's, the in-order binary
  /// tree's (reduce, from 256 members on) the binomial tree's, Rabenseifner's of the fewest bytes (reduce,
  /// below 4 members) the linear one, recursive doubling (reduce_scatter_block, few bytes or few members)
  /// recursive halving.
  std::vector<Choice> choices;
};

/// Every call a graph may make, by name.
std::span<const Kind> collective_table();

/// Whether a call of that name, which is in the table, has a root.
bool has_root(const std::string& name);

/// The one size of a call that communication::CollectiveCosts asks for: where members name several, their
/// mean; of pairs what the busiest member sends or receives, shared out evenly.
double bytes_of(const Kind& kind, const Call& call);

/// What one member does in a call; nothing at all in a group of one. `name` is in the table.
void write(const std::string& name, const Call& call, int member, MessageWriter& out);
void write(const Kind& kind, const Call& call, int member, MessageWriter& out);

}  // namespace loadshare::timing_graph::collectives
