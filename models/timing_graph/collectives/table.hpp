#pragma once

#include <span>
#include <string>

#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {

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
  std::span<const Choice> choices;
};

/// Every call a graph may make, by name.
std::span<const Kind> collective_table();

/// The one size of a call that communication::CollectiveCosts asks for: where members name several, their
/// mean; of pairs what the busiest member sends or receives, shared out evenly.
double bytes_of(const Kind& kind, const Call& call);

/// What one member does in a call; nothing at all in a group of one. `name` is in the table.
void write(const std::string& name, const Call& call, int member, MessageWriter& out);
void write(const Kind& kind, const Call& call, int member, MessageWriter& out);

}  // namespace loadshare::timing_graph::collectives
