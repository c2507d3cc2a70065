#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare {

/// What was lost and what failed, and who is suspected for it: a range with which processes are lost wherever
/// it is computed, or a host on which everything fails.
///
/// A process that comes again was only cut off, and so takes back what it was lost with. A loss of a process
/// is one fault, however many workers it had.
class Faults {
 public:
  /// So many processes lost with a range make it a suspect, so many faults a host; 0: never.
  Faults(std::uint8_t most_losses, std::uint8_t most_host_faults)
      : most_losses_(most_losses), most_host_faults_(most_host_faults) {}

  /// Returns whether something is taken back.
  bool joined(WorkerId worker, const WorkerFacts& facts);
  /// A result of these iterations is here: so the worker's host is sound, and so are they.
  void returned(WorkerId worker, Chunk chunk) {
    if (!faults_.empty()) forget(worker, chunk);
  }
  /// The worker's process was lost, and the worker had begun the chunk. `at_s` on any clock that never goes
  /// back.
  void lost(WorkerId worker, Chunk chunk, double at_s);
  /// The worker failed on a chunk that had done nobody any harm.
  void failed(WorkerId worker, Chunk chunk);
  /// The worker failed on a chunk on which others had failed, too: so they are not to blame where they are
  /// elsewhere. Returns whether something is taken back.
  bool failed_again(WorkerId worker, Chunk chunk);
  /// These iterations are new ones. Returns whether something is taken back.
  bool opened(Chunk range);

  /// The part of a range that ended every process that began it, and when the last was lost, on lost()'s
  /// clock.
  struct Suspect {
    Chunk chunk;
    WorkerId worker;
    double since_s;
  };
  std::optional<Suspect> suspect(Chunk range) const;

  /// Whether the worker's host has had as many faults as are enough since anything came back from there.
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
    std::uint32_t host;  // unknown: it does not count for it any more
    Chunk chunk;         // what is open of it
    double at_s;
  };

  Home home(WorkerId worker) const;
  bool is_host_aside(std::uint32_t host) const;
  std::uint32_t count(std::uint32_t host) const;
  void forget(WorkerId worker, Chunk returned);
  template <class Is>
  bool take_back(Is is);

  std::uint8_t most_losses_, most_host_faults_;
  std::vector<Home> homes_;           // by worker, up to the last of which more is known than its number
  std::vector<Fault> faults_;         // in the order in which they happened
  std::vector<std::uint32_t> aside_;  // hosts
};

}  // namespace loadshare
