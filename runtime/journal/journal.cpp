#include "runtime/journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/file_lock.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {

namespace {

using Clock = std::chrono::steady_clock;

/// The interval in which finished chunks are written and synced; a crash loses at most this much work.
constexpr std::chrono::milliseconds group_interval{100};

/// Removes `chunk` from the ascending ranges. Returns whether they contained all of it.
bool take_out(std::vector<Chunk>& ranges, Chunk chunk) {
  const auto place = std::ranges::find_if(
      ranges, [chunk](Chunk range) { return range.first <= chunk.first && chunk.first < range.end(); });
  if (chunk.size < 1 || place == ranges.end() || chunk.size > place->end() - chunk.first) return false;
  const Chunk before{place->first, chunk.first - place->first};
  const Chunk behind{chunk.end(), place->end() - chunk.end()};
  auto next = ranges.erase(place);
  if (behind.size > 0) next = ranges.insert(next, behind);
  if (before.size > 0) ranges.insert(next, before);
  return true;
}

/// Sorts the chunks and joins neighbours.
std::vector<Chunk> joined(std::vector<Chunk> chunks) {
  std::ranges::sort(chunks, {}, &Chunk::first);
  std::vector<Chunk> ranges;
  for (const Chunk chunk : chunks)
    if (!ranges.empty() && ranges.back().end() == chunk.first)
      ranges.back().size += chunk.size;
    else
      ranges.push_back(chunk);
  return ranges;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char letter : text)
    if (letter == '\n')
      lines.emplace_back();
    else
      lines.back() += letter;
  return lines;
}

[[noreturn]] void refuse_other_job(const std::string& path, const std::string& held,
                                   const std::string& wanted) {
  const std::vector<std::string> theirs = lines_of(held), ours = lines_of(wanted);
  const auto [their, our] = std::ranges::mismatch(theirs, ours);
  const auto text = [](auto line, const auto& lines) { return line == lines.end() ? "nothing" : *line; };
  throw UsageError(fmt::format("{} is the journal of another job", path),
                   fmt::format("it has `{}`; this run has `{}`", text(their, theirs), text(our, ours)),
                   "resume it with its own program, options and inputs, or name another --journal");
}

[[noreturn]] void refuse_folder(const std::string& folder, const std::string& why) {
  throw UsageError(fmt::format("cannot keep a journal in {}", folder), why,
                   "name a folder that can be written");
}

/// Creates a folder and its parents, and waits until each name is on the disk.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder, error)) return;
  make_folder(folder.parent_path());
  if (std::filesystem::create_directory(folder, error)) return sync_name(folder);
  if (error) refuse_folder(folder, error_text(error));
}

Descriptor lock_folder(const std::string& folder) {
  make_folder(folder);
  const std::string path = folder + "/lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.number() < 0) refuse_folder(folder, error_text(errno));
  // A lock of the kernel, which ends with its process; the file stays.
  const int error = lock_file(lock.number(), LockWait::no);
  if (error == EWOULDBLOCK)
    throw UsageError(fmt::format("the journal in {} is in use", folder), "another process writes it",
                     "wait until that process has ended, or name another folder");
  if (error != 0)
    throw UsageError(fmt::format("cannot lock the journal in {}", folder),
                     fmt::format("{}: {}", cannot_lock, error_text(error)), "name a folder on a local disk");
  return lock;
}

}  // namespace

// --- LoopJournal

LoopJournal::LoopJournal(std::optional<ChunkLog> log, JournalledLoop loop, const std::string& why_none)
    : loop_(std::move(loop)), log_(std::move(log)), open_{{0, loop_.iterations}} {
  if (loop_.iterations == 0) open_.clear();
  if (!log_) {
    keep_nothing(why_none);
    return;
  }
  log_->recover([this](const FinishedChunk& finished) { return take(finished); });
  if (open_.empty()) return;
  log_->reserve(open_bytes());
}

void LoopJournal::keep_nothing(const std::string& why) {
  if (log_) log_->trim();
  log_.reset();
  record_.problem = why;
  note_ = fmt::format("the loop is not kept in the journal: {}", why);
}

void LoopJournal::start() {
  if (log_ && !open_.empty()) thread_.start("for the journal", [this] { write_until_closed(); });
}

/// Returns false for a record that does not fit the loop, which counts as damaged.
bool LoopJournal::take(const FinishedChunk& finished) {
  const Chunk chunk = finished.chunk;
  if (!take_out(open_, chunk)) return false;
  const std::span<std::byte> place = loop_.results(chunk);
  if (place.size() != finished.results.size())
    throw UsageError("the journal has results of another size", "its checksums are right",
                     "it was not written by this program");
  if (!place.empty()) std::memcpy(place.data(), finished.results.data(), place.size());
  record_.recovered += chunk.size;
  return true;
}

/// Returns the bytes of all open results, with some room for the records' heads.
Bytes LoopJournal::open_bytes() const {
  constexpr Bytes for_heads = Bytes{1} << 20;
  Bytes bytes = for_heads;
  for (const Chunk range : open_) bytes = add_bytes(bytes, loop_.results(range).size());
  return bytes;
}

void LoopJournal::write_until_closed() {
  std::unique_lock lock(mutex_);
  while (!is_closing_ || !finished_.empty()) {
    closing_.wait_for(lock, group_interval, [this] { return is_closing_; });
    std::vector<Chunk> chunks;
    chunks.swap(finished_);
    const bool is_last = is_closing_;
    lock.unlock();
    write(std::move(chunks), is_last);
    record_.cpu_s = thread_cpu_s();
    lock.lock();
  }
}

/// Writes the chunks, and syncs. Memory may be full like the disk, and the application's function that
/// returns the results' memory may throw. Any of these ends the journal but not the run.
void LoopJournal::write(std::vector<Chunk> chunks, bool is_last) noexcept {
  try {
    if (!chunks.empty() && record_.is_safe())
      append(std::move(chunks), is_last ? Way::through_cache : Way::past_cache);
    // The results of a complete loop are not needed for resuming, so the program need not wait for the disk.
    if (!is_last || record_.kept + record_.recovered < loop_.iterations) sync();
  } catch (...) {
    fail_by_exception();
  }
}

void LoopJournal::append(std::vector<Chunk> chunks, Way way) {
  if (is_damaged()) return;
  std::vector<FinishedChunk> group;
  for (const Chunk chunk : joined(std::move(chunks))) group.push_back({chunk, loop_.results(chunk)});
  if (const int error = log_->append(group, way)) return fail(error_text(error));
  for (const FinishedChunk& finished : group) {
    record_.kept += finished.chunk.size;
    record_.bytes += finished.results.size();
  }
  has_unsynced_ = true;
}

void LoopJournal::sync() {
  if (!std::exchange(has_unsynced_, false) || !record_.is_safe()) return;
  const Clock::time_point begun = Clock::now();
  if (const int error = log_->sync()) {
    record_.kept = synced_.kept;  // the kernel may have dropped the unsynced data
    record_.bytes = synced_.bytes;
    return fail(error_text(error));
  }
  synced_ = {record_.kept, record_.bytes};
  const double took_s = std::chrono::duration<double>(Clock::now() - begun).count();
  ++record_.syncs;
  record_.longest_sync_s = std::max(record_.longest_sync_s, took_s);
}

/// Ends the journal; the run continues.
void LoopJournal::fail(const std::string& why) {
  record_.problem = why;
  const std::lock_guard lock(mutex_);
  note_ = fmt::format(
      "the journal cannot be written ({}): the run continues, but a crash would lose what is not written yet",
      record_.problem);
}

/// Ends the journal because of the current exception. Only within a `catch` block. If there is no memory for
/// the full text, uses texts that need none.
void LoopJournal::fail_by_exception() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      fail(error_text(ENOMEM));
    } catch (...) {
      fail(current_what());
    }
  } catch (...) {
    record_.problem = "no memory";
    const std::lock_guard lock(mutex_);
    note_ = "journal is lost";
  }
}

/// Checks whether the file is intact. If not, resuming would find only some records or none.
bool LoopJournal::is_damaged() {
  const std::string damage = log_->damage();
  if (damage.empty()) return false;
  record_.problem = damage;
  record_.kept = 0;
  record_.bytes = 0;
  const std::lock_guard lock(mutex_);
  note_ = fmt::format("the journal is lost ({}): the run continues, but cannot be resumed", damage);
  return true;
}

std::optional<std::string> LoopJournal::take_note() {
  const std::lock_guard lock(mutex_);
  return std::exchange(note_, std::nullopt);
}

const JournalRecord& LoopJournal::close() noexcept {
  if (!thread_.is_started()) return record_;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  closing_.notify_one();
  thread_.wait();
  try {
    if (!record_.is_safe() || !is_damaged()) log_->trim();
  } catch (...) {
    fail_by_exception();
  }
  return record_;
}

// --- Journal

Journal::Journal(const JournalOptions& options)
    : options_(options),
      folder_(std::filesystem::absolute(options.folder)),
      lock_(lock_folder(options.folder)) {
  ignore_file_limit_signal();
  if (!options_.resumes && std::filesystem::exists(path_of(0)))
    throw UsageError(fmt::format("{} has the journal of an earlier run", options_.folder),
                     "this run would begin a new one",
                     "continue that run with --resume, or remove the folder");
}

double Journal::longest_lease_s(double lease_s) {
  constexpr double ms = 1e3;
  const std::string path = folder_ / "lease_ms";
  const std::string held = content_of(path);
  const Index earlier_ms = parse_integer<Index>(held.substr(0, held.find('\n'))).value_or(0);
  const Index longest_ms = std::max(earlier_ms, static_cast<Index>(std::ceil(ms * lease_s)));
  if (longest_ms > earlier_ms) {
    replace_file(path, fmt::format("{}\n", longest_ms));
    sync_path(path);
  }
  return static_cast<double>(longest_ms) / ms;
}

/// Returns the path with the folder as the user named it, or an absolute path if the program has changed its
/// folder.
std::string Journal::path_of(Index loop) const {
  std::error_code error;
  const bool is_same_folder = std::filesystem::absolute(options_.folder, error) == folder_;
  return fmt::format("{}/loop-{}.log", is_same_folder ? options_.folder : folder_.string(), loop);
}

std::unique_ptr<LoopJournal> Journal::open(JournalledLoop loop) {
  const std::string path = path_of(loops_++);
  std::optional<ChunkLog> log;
  std::string why_none = why_not_kept(loop);
  if (why_none.empty()) {
    if (std::filesystem::exists(path))
      log = old_log(path, loop.about);
    else
      log = new_log(path, loop.about, why_none);
  }
  if (log) latest_log_ = path;
  auto journal = std::make_unique<LoopJournal>(std::move(log), std::move(loop), why_none);
  start(*journal);
  return journal;
}

/// Starts the journal's thread. If that fails, a loop after the first goes on without a journal.
void Journal::start(LoopJournal& journal) const {
  try {
    journal.start();
  } catch (const Error& error) {
    if (loops_ == 1) throw Error(ExitCode::usage, error.text());
    journal.keep_nothing(fmt::format("{} ({})", error.text().problem, error.text().why));
  }
}

/// Returns why a loop cannot be kept; empty: it can. A problem with the first loop is an error; after it the
/// run is worth more than its journal.
std::string Journal::why_not_kept(const JournalledLoop& loop) {
  const bool is_first = loops_ == 1;
  const Bytes bytes = loop.results({0, loop.iterations}).size();
  if (bytes == 0 && loop.iterations > 0) {
    if (!is_first) return "it has no results that a journal could keep";
    throw UsageError("the loop has no results that a journal could keep",
                     "after --resume, what its iterations did would be missing",
                     "leave out --journal, or let the loop return what it computes");
  }
  const Bytes all = add_bytes(held_bytes_, bytes);
  if (all > options_.limit_bytes) {
    if (!is_first) return "its results do not fit into what --journal-limit leaves";
    throw UsageError(fmt::format("the results take {} in the journal", human_bytes(bytes)),
                     fmt::format("--journal-limit is {}", human_bytes(options_.limit_bytes)),
                     "raise it, or leave out --journal");
  }
  held_bytes_ = all;
  return {};
}

ChunkLog Journal::old_log(const std::string& path, const std::string& about) {
  ChunkLog log(path);
  if (log.about() != about) refuse_other_job(path, log.about(), about);
  return log;
}

/// Creates a log. From the second loop on returns nothing and sets `why_none` if that fails.
std::optional<ChunkLog> Journal::new_log(const std::string& path, const std::string& about,
                                         std::string& why_none) const {
  try {
    // The head identifies inputs, which may be the results of the latest loop: these must be on the disk
    // first.
    if (!latest_log_.empty()) sync_path(latest_log_);
    return ChunkLog::create(path, about);
  } catch (const UsageError& error) {
    if (loops_ == 1) throw;
    why_none = fmt::format("{} ({})", error.text().problem, error.text().why);
    return std::nullopt;
  }
}

}  // namespace loadshare
