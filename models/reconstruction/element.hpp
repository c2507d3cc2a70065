#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/communication/send_mode.hpp"

namespace loadshare::reconstruction {

enum class ElementKind : std::uint8_t {
  send,
  receive,
  exchange,    ///< both in one call
  wait,        ///< for sends and receives that were begun before
  collective,  ///< one that timing graphs know
  other,       ///< any other call of MPI: known by the time that it took
};

/// Ranks first, first + stride ... up to last.
struct RankRow {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t stride = 1;

  friend bool operator==(const RankRow&, const RankRow&) = default;
};

/// A call of MPI by one rank, and its computing since the call before it.
struct Element {
  ElementKind kind = ElementKind::other;
  /// Which place in the program: "MPI_Send at solve()+0x12". The same in all runs of one program.
  std::string site;
  std::string call;  ///< "MPI_Send"; of a collective as timing graphs name it, "allreduce"
  double computing_s = 0;
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
  RankRow row;
  bool meets_all = false;      ///< other: nobody comes out of it before everybody is in it
  bool loses_waiting = false;  ///< other: its ranks wait for one another, and timing graphs cannot say so
  double own_s = 0;            ///< other: what it took, less waiting for others
};

/// What one rank did, from `begin_s` to `end_s` of the run, without what its program marked as not counting.
struct Trace {
  std::int32_t rank = 0;
  double begin_s = 0;
  double end_s = 0;
  double left_out_s = 0;  ///< between the two, of what does not count
  std::vector<Element> elements;
  double computing_at_end_s = 0;
};

}  // namespace loadshare::reconstruction
