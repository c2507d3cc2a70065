#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runtime/dispatch/rules.hpp"
#include "runtime/farm/loop_status.hpp"
#include "runtime/journal/journal_options.hpp"
#include "runtime/records/records.hpp"
#include "runtime/transport/network.hpp"
#include "runtime/transport/policies.hpp"

namespace loadshare {

/// How a farm is set up. The same on every rank.
struct FarmOptions {
  std::string scheduler = "gss";          ///< a spec: technique and parameters
  Index workers = 0;                      ///< threads, without mpirun; 0: one for each of granted_cores()
  MasterMode master = MasterMode::works;  ///< of ranks; threads always have a master of their own
  int master_rank = 0;                    ///< under mpirun: the rank, so the host, that is the master
  Index prefetch = 0;                     ///< chunks queued at a worker beyond the one it computes
  WaitPolicy wait = WaitPolicy::automatic;
  Reissue reissue = Reissue::off;  ///< give unfinished chunks again to idle workers at the tail
  /// May a chunk be given to another worker while its holder may still compute it? A program can forbid it
  /// for its loops, too (Farm::set_copies).
  Copies copies = Copies::allowed;
  /// What becomes of a chunk on which the application throws: `end` the run; `retry:times=N`, give it again
  /// so often, and end the run if that does not help; `skip:times=N`, likewise, but leave out the iteration.
  std::string on_failure = "end";
  /// Processes that must be lost with one iteration before it can be convicted; 0: none ever is.
  Index crash_limit = 3;  // up to most_crash_limit
  /// A background load as `parse_load_spec` reads it, `on=1s,off=1s`; empty: none. Its processes are forked
  /// when the farm is made: make it before starting threads of your own, and before MPI if you start that.
  std::string load = {};
  /// For testing the network path on one host: pretend that every so many ranks are a host of their own.
  int ranks_per_host = 0;
  NetworkOptions network = {};  ///< where workers come and go over TCP
  JournalOptions journal = {};  ///< what the master keeps of each loop of a run
  /// More options that must be the same on all ranks, by name: the program's own.
  std::map<std::string, std::string> more_terms = {};
};

inline constexpr Index most_crash_limit = 255;

/// Throws UsageError where they contradict each other, or the way in which this process was started.
void check_options(const FarmOptions& options);

/// Throws UsageError if the two contradict each other.
void check_copies(Reissue reissue, Copies copies);

/// What FarmOptions::on_failure says.
struct FailureRule {
  OnFailure on_failure = OnFailure::end;
  std::uint8_t retries = 0;
  std::string text;  ///< in canonical form
};

/// Throws UsageError.
FailureRule parse_failure_rule(std::string_view text);

/// What a caller may watch and steer during a run, on the master.
struct RunControls {
  /// Called about ten times a second.
  std::function<void(const LoopProgress&)> on_progress = {};
  /// Called about once a second: all that there is to see.
  std::function<void(const LoopStatus&)> on_status = {};
  /// Called with what a person should know at once.
  std::function<void(const std::string&)> on_note = {};
  /// When it becomes true, the run ends with Error(interrupted).
  const std::atomic<bool>* interrupted = nullptr;
  /// When it becomes true, no more chunks are given out. Once those that were begun have ended, the run ends
  /// with Error(drained), unless all iterations are done.
  const std::atomic<bool>* draining = nullptr;
  /// If chunks were narrow, the record contains the cost of it. If the workload is repeatable, some of its
  /// iterations are computed again for that after the run (runtime/farm/width_cost.hpp).
  bool measures_width_cost = false;
};

}  // namespace loadshare
