#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/records/worker_name.hpp"
#include "runtime/transport/channel.hpp"
#include "runtime/transport/placement.hpp"
#include "runtime/transport/policies.hpp"
#include "runtime/transport/shared_input.hpp"
#include "runtime/transport/waiting.hpp"

namespace loadshare {

/// What the transports must know of a run; the same on every rank.
struct RunPlan {
  Index iterations = 0;
  std::size_t prefetch = 0;  ///< chunks queued at a worker beyond the one it computes
  WaitPolicy wait = WaitPolicy::automatic;
  Landing landing = Landing::in_place;
  /// How long the end of the run waits for workers that messages reach. Where all depends on every one of
  /// them, for ever.
  double patience_s = forever_s;
  /// Where ranks may leave, this one does when it becomes true; null: never.
  const std::atomic<bool>* interrupted = nullptr;

  /// In an elastic farm: how long a worker may compute without reaching the master (--lease); 0: without
  /// limit.
  double lease_s = 0;

  static constexpr double forever_s = 1e9;
};

/// A worker that joins: its name for people, and where it runs.
struct Newcomer {
  WorkerName name;
  std::string process_name = {};                   ///< for people, without its workers' ranks
  std::uint32_t host = WorkerFacts::unknown_host;  ///< its number among the hosts, if they are distinguished
  WorkerId process{};  ///< the first worker of its process: they are lost together
};

/// Something that reached the master from, or about, a worker; all that the loop needs to know of it.
struct Event {
  enum class Kind : std::uint8_t {
    reported,    ///< a chunk came back: `report`, and if it failed `failure`
    progressed,  ///< `report.id` was begun, and `done` of its iterations have ended
    joined,      ///< it may be given work: `newcomer`
    silent,      ///< nothing was received from it for long
    back,        ///< it is not silent any more
    leaves,      ///< by itself: it computes nothing more, and hands back all its chunks
    drained,     ///< it was asked to leave: until `deadline_s` it finishes what it has begun
    lost,        ///< it is surely gone
    cut_off,     ///< its connection has ended; at `deadline_s` its lease has run out, and it is surely gone
  };
  WorkerId worker{};
  Report report = {};  ///< stamps on the clock of the worker's host
  Kind kind = Kind::reported;
  Index done = 0;
  double deadline_s = 0;  ///< on the master's clock
  std::shared_ptr<const Newcomer> newcomer = {};
  std::shared_ptr<const Failure> failure = {};
};

/// In MasterEnd::recall: all chunks of the worker.
inline constexpr ChunkId every_chunk{};

/// The master's end: the dispatcher's decisions go out, and events of workers come in. Used by one thread.
class MasterEnd {
 public:
  virtual ~MasterEnd() = default;

  /// Takes up to `events.size()` events that have arrived, and returns how many; never blocks. No event waits
  /// for more than two rounds, however many others there are. The first event of a worker is `joined`. With a
  /// report of a finished chunk, its result is where it was to land, and stays there until `release`.
  virtual std::size_t poll(std::span<Event> events) = 0;
  /// Waits by the run's policy until `poll` may find something, `limit_s` seconds at most.
  virtual void wait(double limit_s) = 0;
  virtual void give(WorkerId worker, const Assignment& assignment) = 0;
  /// Asks the worker to hand a chunk back, or not to finish it. `every_chunk`: the worker gets nothing more,
  /// because everything fails on its host (Recall::not_begun), or because it has left (Recall::unwanted).
  virtual void recall(WorkerId worker, ChunkId id, Recall recall) = 0;
  /// Brings a part of a result that landed aside to its place; of one in place, nothing is to be done.
  virtual void publish(WorkerId worker, ChunkId id, Chunk part) = 0;
  /// The assignment came back, and of its result nothing more is wanted.
  virtual void release(WorkerId worker, ChunkId id) = 0;
  /// Ends the loop for every worker, also for those that still compute.
  virtual void stop() = 0;
  /// Seconds until the shared input was on every host; nothing where none travelled.
  virtual std::optional<double> shared_input_done_s() const { return std::nullopt; }
};

/// A chunk as a worker sees it.
struct Task {
  ChunkId id{};
  Chunk chunk;
  std::span<const std::byte> input;
  std::span<std::byte> output;
  double transfer_s = 0;  ///< seconds of the wait for it that went into moving data
  double received_s = 0;  ///< when its input was here (monotonic_s); 0: it never had to travel
  TaskSignals signals = {};
};

/// A worker's end. Used by the worker's own thread.
class WorkerEnd {
 public:
  virtual ~WorkerEnd() = default;

  virtual WorkerId worker() const = 0;
  /// Whether a chunk is here already, so that `next` would not wait. Chunks that were recalled go back here.
  virtual bool has_next() = 0;
  /// Whether chunks come here while the worker looks at nothing but `has_next`.
  virtual bool is_fed_meanwhile() const { return true; }
  /// Waits for the next chunk; nothing when the run is over. Must not be called while a chunk that was taken
  /// is neither done nor failed. A recalled chunk goes back only behind it, so the wait could last forever.
  virtual std::optional<Task> next() = 0;
  /// Returns the next chunk if it has arrived, to be computed together with those taken before; nothing if
  /// none has, or the run is over. Never waits. They must be done (or failed) in their order.
  virtual std::optional<Task> next_here() = 0;
  /// The chunk of `task` was computed into its output. `stamps`: nothing where the timing is thinned.
  virtual void done(const Task& task, const Stamps* stamps) = 0;
  /// The chunk of `task` cannot be computed, for this reason: for its iteration `at`, where that is known.
  virtual void failed(const Task& task, std::string_view text, std::optional<Index> at) = 0;
  /// Set when the run is over.
  virtual const std::atomic<std::uint32_t>& over() const = 0;
  virtual SharedInput& shared_input() = 0;
};

/// One run, as this process takes part in it.
class Session {
 public:
  virtual ~Session() = default;

  /// The master's end; null on other ranks.
  virtual MasterEnd* master() = 0;
  /// The workers that live in this process, each to be served by a thread.
  virtual std::span<const std::unique_ptr<WorkerEnd>> workers() = 0;
  /// Whether `pump` must run (on the thread that opened the session) while the workers work.
  virtual bool needs_pump() const { return false; }
  /// Carries messages for this process's workers until the run is over.
  virtual void pump() {}
  /// Ends the work of a process other than the master's early, because of an error here. Its workers compute
  /// nothing more; in an elastic farm the master gives their chunks to others. To be called on the thread
  /// that opened the session.
  virtual void leave() {}
  /// How this process waits, `auto` resolved.
  virtual WaitPolicy wait_policy() const = 0;
};

/// What the master knows of a rank that did not answer.
struct Whereabouts {
  int rank = 0;
  std::string host = {}, address = {};  ///< empty: not known
  std::size_t workers = 1;
  double clock_offset_s = 0;
};

/// Whom a run consists of, where memory lies that several of them see, and how they talk outside a run.
/// Every method but the plain queries is collective: all ranks call it, in the same order.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::string_view name() const = 0;
  /// Whether processes take part, of which each has its own place; else threads of this one.
  virtual bool has_ranks() const = 0;
  /// Whether some of them are on other hosts than the master.
  virtual bool has_other_hosts() const { return false; }
  /// Whether ranks come and go as they like, each with several workers: results land aside then, the loop
  /// waits for who is to come, and who comes late is told what the others were.
  virtual bool comes_and_goes() const { return false; }
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual int master_rank() const = 0;
  bool is_master() const { return rank() == master_rank(); }
  /// Workers in the whole run.
  virtual std::size_t workers() const = 0;
  /// As many as chunks are to be cut for.
  virtual std::size_t workers_expected() const { return workers(); }
  /// On the master, before a loop: waits for the workers that must be present when it begins. Throws Error if
  /// they do not join, or when `interrupted` becomes true; stops waiting when `draining` does. If copies are
  /// never made, it also waits until an earlier master's workers have stopped.
  virtual void gather(const std::atomic<bool>* /*interrupted*/, const std::atomic<bool>* /*draining*/,
                      Copies) {}
  /// What a run's record should say of it, for a person.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Of the libraries it stands on, by name.
  virtual std::map<std::string, std::string> versions() const { return {}; }

  /// Zeroed memory that lives on the master's host and is seen by all its ranks; elsewhere empty.
  virtual std::span<std::byte> resident(std::size_t bytes) = 0;
  /// Zeroed memory, one copy a host, seen by all ranks of that host.
  virtual std::span<std::byte> replicated(std::size_t bytes) = 0;

  virtual std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) = 0;

  /// The master's text, on every rank; also on one that comes later, when it comes to ask for it.
  virtual std::string from_master(std::string text) = 0;
  /// Every rank's text, by rank, on the master; nothing elsewhere. The master waits for `patience_s` seconds
  /// at most: the text of a rank that did not answer in time is empty. Then all come to `from_master`, before
  /// they are asked again.
  virtual std::vector<std::string> to_master(std::string text, double patience_s) = 0;
  /// Whose each of the latest of these texts is, or should have been.
  virtual Whereabouts whereabouts(std::size_t text) const { return {.rank = static_cast<int>(text)}; }
  /// How many ranks share this one's machine.
  virtual int local_ranks() const { return 1; }
  /// This rank's number among those of its machine that may use the very same processors.
  virtual int number_on_cpus() const { return 0; }
  /// Seconds by which this rank's host clock is ahead of the master's.
  virtual double clock_offset_s() const { return 0; }
};

/// Workers are threads of this process, and the calling thread is the master. What programs use without
/// mpirun; nothing travels, every chunk is computed in place.
std::unique_ptr<Transport> make_thread_transport(std::size_t workers);

}  // namespace loadshare
