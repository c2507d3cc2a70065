#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/message_hub.hpp"
#include "runtime/transport/mpi/shared_broadcast.hpp"

namespace loadshare::mpi {

/// Zeroed memory, aligned to a cache line, that all ranks of one host see: an MPI shared-memory window that
/// the host's leader owns. Making and ending it is collective over the host.
class SharedWindow {
 public:
  /// Throws UsageError, on all ranks of the host, if its shared memory has no room for `bytes`. With
  /// Pages::when_used it may hold anything.
  SharedWindow(const Communicator& host, std::size_t bytes, Pages pages);
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::byte> bytes_;
};

/// What the master sends to, and gets from, the ranks that it reaches by messages in one run. It may outlive
/// the run: a rank that was stopped takes and sends its part when it wakes.
struct Correspondence {
  Correspondence(const Group& group, DataLayout& layout, SharedInput& shared,
                 const std::vector<WorkerId>& workers)
      : sender(group, shared), messages(group, layout, sender, workers) {}

  /// Moves on what is left after the run's end; whether nothing is.
  bool is_over() { return messages.finish(); }

  SharedSender sender;
  MessageHub messages;
};

/// The ranks of a farm: the memory that those of a host share, and what all of them tell each other outside
/// of runs. Used by the thread that made it; on every rank.
class Ranks {
 public:
  explicit Ranks(const MpiOptions& options)
      : group_(options),
        patience_s_(options.patience_s),
        answers_(static_cast<std::size_t>(group_.ranks())) {}

  /// Waits for a moment until what it sent has gone, whose memory goes with it.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  const Group& group() const { return group_; }

  /// Memory that all ranks of this host see, for as long as this object lives: freeing is collective, and a
  /// run may end while a rank is still late. Collective over the host.
  std::span<std::byte> memory(std::size_t bytes, Pages pages);
  /// Whether these bytes lie in such memory.
  bool owns(std::span<const std::byte> bytes) const;
  /// Of the master's host, for results that land aside; the same in every run, for no rank is in the next
  /// one before it has done with the last.
  std::span<std::byte> aside(std::size_t bytes);

  /// Zeroed, for the words by which those of a host work together in a run; the same in every run, likewise.
  /// Collective over the host.
  std::span<std::byte> control(std::size_t bytes);

  /// Waits until nothing of the last run is under way: the next one's tags are the same. Throws
  /// Error(workers_lost) on the master where ranks have not answered for MpiOptions::patience_s.
  void finish_last_run();
  /// On the master, for a new run.
  Correspondence& correspond(DataLayout& layout, SharedInput& shared, const std::vector<WorkerId>& workers);

  /// The master's text, on every rank. The master waits for nobody.
  std::string from_master(std::string text);
  /// Every rank's text, by rank, on the master; nothing elsewhere. To be followed by `from_master` before the
  /// next: one rank must not be two texts ahead of another. The master waits for `patience_s` seconds
  /// at most: the text of a rank that did not answer in time is empty.
  std::vector<std::string> to_master(std::string text, double patience_s);

  /// On the master: waits until all have answered, `patience_s` seconds at most (in which this process was
  /// stopped itself do not count), and says after a second for whom. Returns whether they have.
  bool await_stragglers(double patience_s);
  /// "ranks 2, 5 have", namely not answered.
  std::string stragglers() const;

 private:
  std::vector<int> unanswered() const;
  void send(int to, Tag tag, std::shared_ptr<const std::string> text);
  bool has_sent_all();
  struct Letter {
    int from;
    std::string text;
  };
  std::optional<Letter> take(int from, Tag tag);
  bool take_answer();
  bool has_stragglers();

  Group group_;
  double patience_s_;
  std::deque<SharedWindow> windows_;
  std::span<std::byte> aside_;
  std::span<std::byte> control_;
  std::deque<std::unique_ptr<Correspondence>> correspondences_;     // the last, and earlier ones not yet over
  RequestSet sends_;                                                // keys: of sent_
  std::map<std::size_t, std::shared_ptr<const std::string>> sent_;  // under way
  std::size_t next_sent_ = 0;
  struct Answer {
    int round = 0;
    std::string text;
  };
  int rounds_ = 0;  // of to_master
  // By rank: its last, at most of the next round, for each ends with from_master.
  std::vector<Answer> answers_;
};

}  // namespace loadshare::mpi
