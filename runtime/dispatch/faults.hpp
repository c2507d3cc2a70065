#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare {

/// Losses of processes and failures of workers, and the suspicion that follows. It falls on an iteration that
/// ends every process that computes it, or on a host on which everything fails.
///
/// Bad luck is not a culprit. A loss suspects only the iterations that the worker had begun and not computed;
/// an iteration that any worker has computed is cleared. An iteration is convicted only if its losses are
/// unlikely, given the time spent on it and the rate at which this loop loses workers anyway. A process
/// that comes again was only cut off, and takes back its losses. A process is lost once, however many workers
/// it had.
class Faults {
 public:
  /// `crash_limit`: processes that must be lost with an iteration before it can be convicted; 0: none is ever
  /// suspected. `most_host_faults`: faults that set a host aside; 0: never.
  Faults(std::uint8_t crash_limit, std::uint8_t most_host_faults)
      : crash_limit_(crash_limit), most_host_faults_(most_host_faults) {}

  /// Returns whether something is taken back.
  bool joined(WorkerId worker, const WorkerFacts& facts);
  /// A result of these iterations has arrived: they are cleared, and the worker's host is sound. `worked_s`:
  /// how long the worker was busy with them.
  void returned(WorkerId worker, Chunk chunk, double worked_s) {
    worked_s_ += worked_s;
    computed_ += chunk.size;
    if (!faults_.empty() && is_concerned(worker, chunk)) forget(worker, chunk);
  }
  /// The work of a worker when it was lost.
  struct Work {
    std::vector<Chunk> open;      ///< begun, and not computed as far as is known
    std::vector<Chunk> computed;  ///< not returned; these are cleared
    double worked_s = 0;          ///< how long it was busy with both
  };
  /// The worker's process was lost during this work, which may be none. `at_s` on any clock that never goes
  /// back.
  void lost(WorkerId worker, Work work, double at_s, double now_s);
  /// The worker failed on a chunk on which no other had failed.
  void failed(WorkerId worker, Chunk chunk);
  /// The worker failed on a chunk on which others had failed, too: failures of this chunk on other hosts do
  /// not count against those hosts. Returns whether something is taken back.
  bool failed_again(WorkerId worker, Chunk chunk);

  // Suspected iterations.

  /// The most processes that were lost with any one iteration of a range; 0: nothing is suspected.
  std::uint8_t losses(Chunk range) const;
  /// The range in ascending pieces, cut at each change of the number of losses.
  std::vector<Chunk> pieces(Chunk range) const;
  /// When a worker was last lost with the first iteration of a range, on the clock of lost()'s `now_s`.
  double last_loss_s(Chunk range) const;
  /// How many iterations of a range may be given in one chunk, from its first on: up to the next cut of
  /// pieces(). From the second loss on it is at most half of the narrowest chunk that was lost with them. So
  /// log2(chunk) losses narrow a chunk down to one iteration.
  Index most_at_once(Chunk range) const;

  /// An iteration that is convicted, with the last worker that was lost with it, and when that was, on
  /// lost()'s clock.
  struct Culprit {
    Index iteration;
    WorkerId worker;
    double since_s;
  };
  /// The culprit, if this range is a single iteration that is convicted now. `iterations`: how many the whole
  /// loop has, each of which could have had this bad luck.
  std::optional<Culprit> culprit(Chunk range, Index iterations) const;

  // Hosts.

  /// Whether the worker's host has had as many faults as are enough since any result came back from there.
  bool has_enough(WorkerId worker) const;
  /// Whether none has happened on the worker's host since, and the other is on another one.
  bool is_sound_beside(WorkerId worker, WorkerId other) const;
  void set_aside(WorkerId worker) { aside_.push_back(home(worker).host); }
  bool is_aside(WorkerId worker) const;
  bool are_of_one_process(WorkerId one, WorkerId other) const {
    return home(one).process == home(other).process;
  }

 private:
  struct Home {
    std::uint32_t host = WorkerFacts::unknown_host;
    WorkerId process{};
    bool operator==(const Home&) const = default;
  };
  struct Fault {
    enum class What : std::uint8_t { loss, failure } what;
    WorkerId worker;
    WorkerId process;
    std::uint32_t host;       // unknown: it does not count for it any more
    std::vector<Chunk> open;  // disjoint, as they were begun; empty: all of it was computed since
    double worked_s;          // on the open iterations
    double at_s;
    double now_s;

    bool has(Index iteration) const;
    bool overlaps(Chunk range) const;
  };

  Home home(WorkerId worker) const;
  bool is_host_aside(std::uint32_t host) const;
  std::uint32_t count(std::uint32_t host) const;
  std::vector<const Fault*> losses_with(Index iteration) const;
  std::vector<Index> borders(Chunk range) const;
  double chance_of(const Fault& loss) const;
  void clear(Chunk computed);
  bool is_concerned(WorkerId worker, Chunk returned) const;
  void forget(WorkerId worker, Chunk returned);
  void erase_past();
  void note_where();
  template <class Is>
  bool take_back(Is is);

  std::uint8_t crash_limit_, most_host_faults_;
  std::vector<Home> homes_;           // by worker, up to the last of which more is known than its number
  std::vector<Fault> faults_;         // in the order in which they happened
  Chunk open_within_ = {};            // from the first to the last iteration that is open of any fault
  std::vector<std::uint32_t> hosts_;  // for which any fault counts; ascending
  std::vector<std::uint32_t> aside_;  // hosts
  double worked_s_ = 0;               // by all workers, until they returned a chunk or were lost
  Index computed_ = 0;                // iterations, in that time
  double workers_lost_ = 0;           // with or without work
};

}  // namespace loadshare
