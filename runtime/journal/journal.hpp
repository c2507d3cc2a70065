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

/// The loop that a journal keeps.
struct JournalledLoop {
  /// The inputs that its results depend on, one line each as `name: value`. A journal with other lines
  /// belongs to another job.
  std::string about;
  Index iterations = 0;
  std::string iteration_name = "iterations";
  /// Returns the memory of a chunk's results: contiguous, and constant until the journal is closed. Called by
  /// the journal's thread.
  std::function<std::span<std::byte>(Chunk)> results;
};

/// The journal of one loop. A thread of its own writes the finished chunks several times a second, directly
/// from the memory of the results. The loop never waits for the disk. A chunk and its results are one record,
/// so neither exists without the other.
class LoopJournal final {
 public:
  /// Copies the results in `log` to their memory if they fit the loop, and continues the log. Without `log`
  /// nothing is written, because of `why_none`.
  LoopJournal(std::optional<ChunkLog> log, JournalledLoop loop, const std::string& why_none = {});
  ~LoopJournal() { close(); }
  LoopJournal(const LoopJournal&) = delete;
  LoopJournal& operator=(const LoopJournal&) = delete;

  /// Starts the thread that writes finished chunks; call once. If all of the loop was recovered, there is no
  /// thread. Throws Error if the system refuses the thread.
  void start();
  /// Turns the journal of this loop off, because of `why`. Called in place of `start`.
  void keep_nothing(const std::string& why);

  /// Returns the chunks that are still to be computed, ascending.
  const std::vector<Chunk>& open() const { return open_; }
  Index recovered() const { return record_.recovered; }

  /// Notes that the chunk's results are in their memory and no longer change.
  void finished(Chunk chunk) {
    const std::lock_guard lock(mutex_);
    finished_.push_back(chunk);
  }
  /// Returns a message for the user, each once.
  std::optional<std::string> take_note();
  /// Writes the remaining finished chunks; afterwards the results are no longer read. For a loop that was not
  /// completed, also waits until they are on the disk.
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
  std::vector<Chunk> finished_;  // guarded by mutex_, as the members below
  std::optional<std::string> note_;
  bool is_closing_ = false;
  JournalRecord record_;  // used by the thread once it runs, as the next member
  bool has_unsynced_ = false;
  struct Synced {
    Index kept = 0;
    Bytes bytes = 0;
  } synced_;  // the part of record_ that is on the disk
  CheckedThread thread_;
};

/// The journal of a program's run: a folder with one log per loop, in their order. One process at a time uses
/// it.
class Journal final {
 public:
  /// Opens the folder. Throws UsageError if it cannot be used, another process uses it, or it contains an
  /// earlier run that is not to be resumed. From now on the process ignores SIGXFSZ, unless it handles it.
  explicit Journal(const JournalOptions& options);

  /// Opens the next loop of the run. Throws UsageError if the folder contains another loop in its place.
  ///
  /// A loop cannot be kept if it has no results, if they exceed the journal's limit, or if its log or its
  /// thread cannot be created. For the first loop that is a UsageError; a later loop then runs without a
  /// journal.
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
  std::filesystem::path folder_;  // absolute, because the program may change its folder
  Descriptor lock_;
  Index loops_ = 0;
  std::string latest_log_;  // of the latest loop
  Bytes held_bytes_ = 0;
};

}  // namespace loadshare
