#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/descriptor.hpp"
#include "base/quantities.hpp"
#include "runtime/host/threads.hpp"
#include "runtime/journal/chunk_log.hpp"
#include "runtime/journal/journal_options.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// A loop as its journal knows it.
struct JournalledLoop {
  /// What its results follow from, a line each as `name: value`; a journal with other lines is another job's.
  std::string about;
  Index iterations = 0;
  std::string iteration_name = "iterations";
  /// The place of a chunk's results: contiguous, and the same until the journal is closed. Asked for by
  /// another thread.
  std::function<std::span<std::byte>(Chunk)> results;
};

/// The journal of one loop. A thread of its own writes down what has finished, some times a second and all
/// of it together, from where the results lie: so the loop waits for no disk. Results and what tells of them
/// are one record, so neither is there without the other.
class LoopJournal final {
 public:
  /// Takes what `log` holds to its place, where it fits the loop, and then goes on with it. `log`: none
  /// where nothing is to be written, and `why_none`.
  LoopJournal(std::optional<ChunkLog> log, JournalledLoop loop, const std::string& why_none = {});
  ~LoopJournal() { close(); }
  LoopJournal(const LoopJournal&) = delete;
  LoopJournal& operator=(const LoopJournal&) = delete;

  /// Begins the thread that writes down finished chunks: until then none is written. To be called once. If
  /// all of the loop was recovered, there is no thread. Throws Error if the system refuses the thread.
  void start();
  /// Keeps nothing of the loop, because of `why`; called in place of `start`.
  void keep_nothing(const std::string& why);

  /// What has still to be computed, in ascending order.
  const std::vector<Chunk>& open() const { return open_; }
  Index recovered() const { return record_.recovered; }

  /// The chunk's results are at their place, and stay there.
  void finished(Chunk chunk) {
    const std::lock_guard lock(mutex_);
    finished_.push_back(chunk);
  }
  /// What a person should know of the journal: each once.
  std::optional<std::string> take_note();
  /// Writes down what has finished; nothing reads the results any more after it. What was not computed to
  /// the end is on the disk then, too.
  const JournalRecord& close() noexcept;

 private:
  bool take(const FinishedChunk& finished);
  Bytes open_bytes() const;
  void write_until_closed();
  void write(std::vector<Chunk> chunks, bool is_last) noexcept;
  void append(std::vector<Chunk> chunks, Way way);
  void sync();
  void fail(const std::string& why);
  void fail_by_exception() noexcept;
  bool is_damaged();

  JournalledLoop loop_;
  std::optional<ChunkLog> log_;
  std::vector<Chunk> open_;

  std::mutex mutex_;
  std::condition_variable closing_;
  std::vector<Chunk> finished_;  // under mutex_, as those below
  std::optional<std::string> note_;
  bool is_closing_ = false;
  JournalRecord record_;  // the thread's, once there is one, as the next
  bool has_unsynced_ = false;
  struct Synced {
    Index kept = 0;
    Bytes bytes = 0;
  } synced_;  // of record_, what a failed sync cannot take back
  CheckedThread thread_;
};

/// The journal of a program's run: a folder with a log for each of its loops, in their order. One process has
/// it at a time.
class Journal final {
 public:
  /// Throws UsageError where the folder cannot be used, another process has it, or it holds an earlier run
  /// that is not to be resumed. From now on the process ignores SIGXFSZ, unless it has a handler for it.
  explicit Journal(const JournalOptions& options);

  /// Opens the next loop of the run. Throws UsageError if the folder has another one in its place. A loop
  /// cannot be kept if it has no results, or more than the journal may hold. Nor can it if its log cannot be
  /// made, or no thread that writes it. For the first loop that is a UsageError; a later one is not kept.
  std::unique_ptr<LoopJournal> open(JournalledLoop loop);

  /// Records that workers of this run may compute under a lease of `lease_s` seconds. Returns the longest
  /// lease of this run and of those that it resumes, whose workers may not have stopped yet.
  double longest_lease_s(double lease_s);

 private:
  std::string path_of(Index loop) const;
  std::string why_not_kept(const JournalledLoop& loop);
  static ChunkLog old_log(const std::string& path, const std::string& about);
  void start(LoopJournal& journal) const;
  std::optional<ChunkLog> new_log(const std::string& path, const std::string& about,
                                  std::string& why_none) const;

  JournalOptions options_;
  std::filesystem::path folder_;  // absolute: a program may go to another one
  Descriptor lock_;
  Index loops_ = 0;
  std::string latest_log_;  // of the loops so far
  Bytes held_bytes_ = 0;
};

}  // namespace loadshare
