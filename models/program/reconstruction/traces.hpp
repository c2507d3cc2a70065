#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/messages/message_costs.hpp"
#include "models/program/timing_graph/program.hpp"
#include "profiler/profile.hpp"

namespace loadshare::reconstruction {

enum class ElementKind : std::uint8_t {
  send,
  receive,
  exchange,    ///< both in one call
  wait,        ///< for sends and receives that were begun before
  collective,  ///< one that timing graphs know
  other,       ///< any other call of MPI: known by the time that it took
};

/// A call of MPI by one rank, and its computing since the call before it.
struct Element {
  ElementKind kind = ElementKind::other;
  /// Which place in the program: "MPI_Send at solve()+0x12". The same in all runs of one program.
  std::string site;
  std::string call;        ///< "MPI_Send"; of a collective as timing graphs name it, "allreduce"
  double computing_s = 0;  ///< less what was stolen
  communication::SendMode mode = communication::SendMode::standard;
  std::int32_t to = -1;    ///< of a send or exchange
  std::int32_t from = -1;  ///< of a receive or exchange; -1: any
  std::int32_t tag = 0;    ///< of a send or exchange; see LayeredTags
  std::int32_t from_tag = -1;
  double bytes = 0;                      ///< of a send or exchange; of a collective as timing graphs want it
  std::uint32_t request = 0;             ///< of what was only begun: its number in the rank, from 1
  std::vector<std::uint32_t> completes;  ///< of a wait
  std::int32_t root = -1;                ///< of a collective
  bool is_of_all = true;                 ///< a collective of all ranks, else of those of `row`
  timing_graph::RankGroup row;
  bool meets_all = false;      ///< other: nobody comes out of it before everybody is in it
  bool loses_waiting = false;  ///< other: its ranks wait for one another, and timing graphs cannot say so
  double own_s = 0;            ///< other: what it took, less waiting for others and what was stolen
};

/// What one rank did, from `begin_s` to `end_s` of the run, without what its program marked as not counting.
struct Trace {
  std::int32_t rank = 0;
  double begin_s = 0;
  double end_s = 0;
  double left_out_s = 0;  ///< between the two, of what does not count
  std::vector<Element> elements;
  double computing_at_end_s = 0;
  double stolen_s = 0;  ///< others had the processor, inside MPI or outside: in none of the times above
};

/// A rank's share in a collective call, as a profile tells it.
struct CollectiveShare {
  double bytes = 0;  ///< put in and got out, together
  double ranks = 1;  ///< of the communicator
  bool is_root = false;
  bool is_in_place = false;  ///< one of its buffers was MPI_IN_PLACE
};

/// The name that timing graphs have for a collective call of MPI, blocking or not ("MPI_Iallreduce" and
/// "MPI_Allreduce" are "allreduce"); nothing where they have none.
std::optional<std::string> collective_name(std::string_view call);

/// The size that timing graphs want of the collective of that name, from what a profile tells of it.
double collective_bytes(std::string_view name, const CollectiveShare& share);

/// What each rank of a run did, call by call, with what a timing graph has no room for left out: probes and
/// tests in vain, messages to nobody. A non-blocking collective stands where it was completed. Time between
/// two tests in vain is waiting, as long as it is short; other time outside MPI is computing, less the share
/// of it that others had the processor.
///
/// A program may say by MPI_Pcontrol what counts: nothing from level 0 on, all from any other, and nothing
/// before the first where that is above 0.
///
/// Throws UsageError where the profile is not complete, and where nothing of a rank counts
/// or a message is begun where nothing counts and waited for where it does.
std::vector<Trace> traces_of(const profile::Profile& profile);

/// From the first rank's begin to the last one's end, less what does not count in between; 0 of no traces.
double makespan_s(std::span<const Trace> traces);

}  // namespace loadshare::reconstruction
