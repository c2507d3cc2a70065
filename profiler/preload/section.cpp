#include "profiler/preload/section.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/io/file_lock.hpp"

namespace loadshare::profile {
namespace {

/// Returns the largest offset that the process may write, because a write beyond it raises a deadly signal.
/// Programs change this limit while they run.
std::uint64_t most_bytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return ~std::uint64_t{0};
  return limit.rlim_cur;
}

/// Returns whether the file may be replaced: it is empty or a profile.
bool may_be_replaced(int file, const struct stat& info) {
  std::array<char, 16> begin{};
  return info.st_size == 0 ||
         (pread(file, begin.data(), begin.size(), 0) == ssize_t{16} && begin == file_magic);
}

/// Returns whether a run of this command has written the profile, or has begun to.
bool is_of_command(const char* path, std::uint64_t command_id) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  SectionHeader header{};
  const bool is_complete = file >= 0 && pread(file, &header, sizeof header, 0) == ssize_t{sizeof header};
  if (file >= 0) close(file);
  return is_complete && header.magic == file_magic && header.command_id == command_id;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void* map_shared(int file, std::size_t bytes, std::size_t offset) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return memory == MAP_FAILED ? nullptr : memory;
}

template <typename Move>
bool move_all(std::size_t bytes, Move move_some) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t step = move_some(done);
    if (step > 0) done += static_cast<std::size_t>(step);
    if (step == 0 || (step < 0 && errno != EINTR)) return false;
  }
  return true;
}

/// Locks the file. Returns 0 or the errno. Waits for another run that is taking its place, because only that
/// run's new file names its command.
int lock_in_time(int file, const char* path, std::uint64_t command_id) {
  constexpr useconds_t nap_us = 10'000;
  constexpr int most_naps = 1000;  // many ranks on few processors start slowly
  for (int naps_left = command_id == 0 ? 0 : most_naps;; --naps_left) {
    const int error = lock_file(file, LockWait::no);
    if (error != EWOULDBLOCK || naps_left == 0 || is_of_command(path, command_id)) return error;
    usleep(nap_us);
  }
}

}  // namespace

Trouble trouble(const char* problem, const char* path, const char* why) {
  Trouble made;
  std::snprintf(made.text.data(), made.text.size(), "%s %.300s (%s)", problem, path, why);
  return made;
}

Trouble trouble(const char* problem, const char* path, int error_number) {
  return trouble(problem, path, std::strerror(error_number));
}

namespace {

Trouble cannot_be_locked(const char* path, int error_number) {
  std::array<char, 160> why{};
  std::snprintf(why.data(), why.size(), "%s: %.60s; with --out, name a file on a local disk", cannot_lock,
                std::strerror(error_number));
  return trouble("cannot lock", path, why.data());
}

}  // namespace

Trouble Section::reserve(Path& path, std::uint64_t command_id) {
  const Path first = path;
  for (int number = 2;; ++number) {
    const Trouble why = lock_old(path, command_id);
    if (command_id == 0 || !is_of_command(path.data(), command_id)) return why;
    std::snprintf(path.data(), path.size(), "%.1000s.%d", first.data(), number);
  }
}

Trouble Section::lock_old(const Path& name, std::uint64_t command_id) {
  const char* path = name.data();
  struct stat here {};
  struct stat there {};
  do {
    if (old_ >= 0) close(old_);
    made_old_ = access(path, F_OK) != 0;
    std::snprintf(old_path_.data(), old_path_.size(), "%s", path);
    old_ = moved_to_high_number(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
    if (old_ < 0 || fstat(old_, &here) != 0) return trouble("cannot write", path, errno);
    if (!S_ISREG(here.st_mode)) return trouble("cannot write", path, "it is not a regular file");
    const int error = lock_in_time(old_, path, command_id);
    if (error == EWOULDBLOCK) {
      made_old_ = false;  // discard() must leave it to the run that has locked it
      return trouble("cannot write", path, "another run is writing it");
    }
    if (error != 0) return cannot_be_locked(path, error);
  } while (stat(path, &there) != 0 || !same_file(here, there));
  if (!may_be_replaced(old_, here)) return trouble("will not replace", path, "it is not a profile");
  return {};
}

Trouble Section::claim(std::uint64_t bytes) {
  if (bytes > most_bytes()) return trouble("cannot write", made_.data(), EFBIG);
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  return error == 0 ? Trouble{} : trouble("cannot write", made_.data(), error);
}

Trouble Section::create(std::uint64_t run_id, std::uint64_t command_id, std::uint32_t slots,
                        std::uint32_t ranks) {
  const char* path = old_path_.data();
  Path full{};
  std::snprintf(full.data(), full.size(), "%.1000s.new%d", path, static_cast<int>(getpid()));
  file_ = moved_to_high_number(open(full.data(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file_ < 0) return trouble("cannot write", full.data(), errno);
  char* absolute = realpath(full.data(), nullptr);
  if (absolute == nullptr || std::strlen(absolute) >= made_.size()) {
    std::free(absolute);
    unlink(full.data());
    return trouble("cannot write", path, "its path is too long");
  }
  std::strcpy(made_.data(), absolute);
  std::free(absolute);
  lock_file(file_, LockWait::no);  // after take_place() other runs lock this file instead of `old_`
  if (Trouble room = claim(slot_offset(slots))) return room;
  if (Trouble mapped = map(0)) return mapped;
  header_->magic = file_magic;
  header_->version = format_version;
  header_->calls = call_count;
  header_->run_id = run_id;
  header_->command_id = command_id;
  header_->slot_bytes = slot_bytes;
  header_->slots = slots;
  header_->ranks_started = ranks;
  header_->end = slot_offset(slots);
  return {};
}

Trouble Section::map(std::uint32_t slot) {
  if (!identity_.take(file_)) return trouble("cannot read", made_.data(), errno);
  void* header = map_shared(file_, page_bytes, 0);
  void* own = map_shared(file_, slot_bytes, slot_offset(slot));
  if (header == nullptr || own == nullptr) return trouble("cannot map", made_.data(), errno);
  header_ = static_cast<SectionHeader*>(header);
  slot_ = static_cast<Slot*>(own);
  return {};
}

Trouble Section::join(const char* made, std::uint32_t slot) {
  std::snprintf(made_.data(), made_.size(), "%s", made);
  file_ = moved_to_high_number(open(made, O_RDWR | O_CLOEXEC));
  if (file_ < 0) return trouble("cannot open", made, errno);
  return map(slot);
}

Trouble Section::take_place() {
  taken_ = made_;
  *std::strrchr(taken_.data(), '.') = 0;  // without ".newPID"
  const bool done = rename(made_.data(), taken_.data()) == 0;
  const int error = errno;
  if (old_ >= 0) close(old_);
  old_ = -1;
  return done ? Trouble{} : trouble("cannot write", old_path_.data(), error);
}

void Section::discard() {
  if (made_[0] != 0) unlink(made_.data());
  if (old_ < 0) return;
  if (made_old_) unlink(old_path_.data());
  close(old_);
  old_ = -1;
}

/// Takes room by moving the end atomically, so ranks need not coordinate. A block that does not fit leaves a
/// hole, or nothing if no other block follows it.
bool Section::append(const BlockHeader& block, const void* content) {
  const std::uint64_t bytes = block_unit + rounded_to_unit(block.content_bytes);
  if (bytes > bytes_left_) return false;
  std::uint64_t begin = header_->end.fetch_add(bytes);
  if (write(content, block.content_bytes, begin + block_unit) && write(&block, sizeof block, begin)) {
    bytes_left_ -= bytes;
    return true;
  }
  std::uint64_t end = begin + bytes;
  header_->end.compare_exchange_strong(end, begin);
  return false;
}

bool Section::write(const void* from, std::size_t bytes, std::uint64_t offset) const {
  if (!identity_.is_of(file_) || offset + bytes > most_bytes()) return false;
  return move_all(bytes, [&](std::size_t done) {
    return pwrite(file_, static_cast<const char*>(from) + done, bytes - done,
                  static_cast<off_t>(offset + done));
  });
}

bool Section::read(void* to, std::size_t bytes, std::uint64_t offset) const {
  return move_all(bytes, [&](std::size_t done) {
    return pread(file_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
  });
}

void Section::cut(std::uint64_t bytes) const {
  struct stat info {};
  if (!identity_.is_of(file_) || fstat(file_, &info) != 0 || info.st_size <= static_cast<off_t>(bytes))
    return;
  if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) return;  // the reader skips the rest
}

void Section::remove() {
  unlink(taken_.data());
}

}  // namespace loadshare::profile
