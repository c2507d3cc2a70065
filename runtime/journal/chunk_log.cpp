#include "runtime/journal/chunk_log.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/files.hpp"

namespace loadshare {

namespace {

constexpr const char* elsewhere = "name a folder for the journal whose files can be read and written";

/// The first bytes of the file. The magic number identifies the format's version and the byte order.
struct LogHead {
  static constexpr std::uint64_t own_magic = 0x316c'6e72'756f'6a01;

  std::uint64_t magic = own_magic;
  std::uint64_t about_bytes = 0;
  std::uint64_t checksum = 0;  // of the description
};

/// The first bytes of a record.
struct RecordHead {
  std::uint64_t first = 0, size = 0, bytes = 0;
  std::uint64_t checksum = 0;
};

template <class Plain>
std::span<const std::byte> bytes_of(const Plain& plain) {
  return std::as_bytes(std::span(&plain, 1));
}

/// Removes a Plain from the front of `bytes`; nothing if there are too few.
template <class Plain>
std::optional<Plain> take(std::span<const std::byte>& bytes) {
  if (bytes.size() < sizeof(Plain)) return std::nullopt;
  Plain plain;
  std::memcpy(&plain, bytes.data(), sizeof(Plain));
  bytes = bytes.subspan(sizeof(Plain));
  return plain;
}

/// Reads the file once, so that an unreadable sector is an error here. In mapped memory it would be a signal.
void require_readable(const Descriptor& file, std::size_t bytes, const std::string& path) {
  std::vector<std::byte> piece(std::min(bytes, std::size_t{1} << 20));
  for (std::size_t place = 0; place < bytes;) {
    const ssize_t count = ::pread(file.number(), piece.data(), piece.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw UsageError(fmt::format("cannot read {}", path), count < 0 ? error_text(errno) : "it was cut off",
                       elsewhere);
    place += static_cast<std::size_t>(count);
  }
}

/// A file mapped into memory.
class FileView final {
 public:
  FileView(const Descriptor& file, const std::string& path) {
    struct stat status {};
    if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
      throw UsageError(fmt::format("cannot read {}", path), "it is not a regular file", elsewhere);
    bytes_ = static_cast<std::size_t>(status.st_size);
    if (bytes_ == 0) return;
    require_readable(file, bytes_, path);
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (memory == MAP_FAILED)
      throw UsageError(fmt::format("cannot read {}", path), error_text(errno), elsewhere);
    memory_ = memory;
  }
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;
  ~FileView() {
    if (memory_ != nullptr) ::munmap(memory_, bytes_);
  }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), bytes_}; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

Descriptor open_log(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_RDWR | O_CLOEXEC, 0666));
  if (file.number() < 0) throw UsageError(fmt::format("cannot open {}", path), error_text(errno), elsewhere);
  return file;
}

void require(bool is_done, const std::string& path) {
  if (!is_done) throw UsageError(fmt::format("cannot write {}", path), error_text(errno), elsewhere);
}

std::span<const std::byte> as_bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Removes the first `bytes` from the parts.
void skip(std::span<iovec>& parts, std::size_t bytes) {
  while (!parts.empty() && bytes >= parts.front().iov_len) {
    bytes -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (bytes == 0) return;
  parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + bytes;
  parts.front().iov_len -= bytes;
}

/// Writes all parts at `offset`. Returns 0 or the errno.
int write_parts(int file, std::span<iovec> parts, std::uint64_t offset) {
  skip(parts, 0);  // parts without bytes would look like a full disk
  while (!parts.empty()) {
    const ssize_t written =
        ::pwritev(file, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    offset += static_cast<std::uint64_t>(written);
    skip(parts, static_cast<std::size_t>(written));
  }
  return 0;
}

/// Writing past the cache needs whole blocks, in memory that is aligned to blocks.
constexpr std::size_t block_bytes = 4096, staged_bytes = std::size_t{1} << 20;

/// Gathers bytes and writes them past the cache, in whole blocks.
class DirectWriter final {
 public:
  DirectWriter(int file, std::uint64_t offset)
      : file_(file),
        staged_(static_cast<std::byte*>(std::aligned_alloc(block_bytes, staged_bytes)), std::free),
        offset_(offset / block_bytes * block_bytes),
        filled_(offset % block_bytes) {}

  /// Reads the first block, whose bytes before the offset are kept. Returns 0 or the errno, as do the
  /// functions below.
  int begin() {
    if (!staged_) return ENOMEM;
    if (filled_ == 0) return 0;
    const ssize_t size = ::pread(file_, staged_.get(), block_bytes, static_cast<off_t>(offset_));
    if (size < 0) return errno;
    return static_cast<std::size_t>(size) < filled_ ? EIO : 0;
  }
  int add(const iovec& part) {
    for (std::size_t done = 0; done < part.iov_len;) {
      const std::size_t bytes = std::min(part.iov_len - done, staged_bytes - filled_);
      std::memcpy(staged_.get() + filled_, static_cast<const std::byte*>(part.iov_base) + done, bytes);
      done += bytes;
      filled_ += bytes;
      if (filled_ < staged_bytes) continue;
      if (const int error = write()) return error;
    }
    return 0;
  }
  /// Writes the last block, filled with zeros, which are not a valid record.
  int finish() {
    const std::size_t bytes = (filled_ + block_bytes - 1) / block_bytes * block_bytes;
    std::memset(staged_.get() + filled_, 0, bytes - filled_);
    filled_ = bytes;
    return write();
  }

 private:
  int write() {
    const std::size_t bytes = std::exchange(filled_, 0);
    iovec all{staged_.get(), bytes};
    const int error = write_parts(file_, std::span(&all, 1), offset_);
    offset_ += bytes;
    return error;
  }

  int file_;
  std::unique_ptr<std::byte, decltype(&std::free)> staged_;
  std::uint64_t offset_;
  std::size_t filled_;
};

int write_past_cache(int file, std::span<const iovec> parts, std::uint64_t offset) {
  DirectWriter writer(file, offset);
  int error = writer.begin();
  for (std::size_t i = 0; i < parts.size() && error == 0; ++i) error = writer.add(parts[i]);
  return error != 0 ? error : writer.finish();
}

}  // namespace

std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

void sync_path(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // EINVAL: the file system cannot sync folders.
  const bool is_synced = file.number() >= 0 && (::fsync(file.number()) == 0 || errno == EINVAL);
  if (!is_synced) throw UsageError(fmt::format("cannot sync {}", path), error_text(errno), elsewhere);
}

void sync_name(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  sync_path(folder.empty() ? "." : folder);
}

ChunkLog::ChunkLog(Descriptor file, std::string path, std::string about)
    : file_(std::move(file)),
      path_(std::move(path)),
      about_(std::move(about)),
      seed_(content_hash(as_bytes_of(about_))),
      end_(sizeof(LogHead) + about_.size()) {}

ChunkLog ChunkLog::create(const std::string& path, const std::string& about) {
  const std::string part = path + ".new";
  Descriptor file = open_log(part, O_CREAT | O_TRUNC);
  const LogHead head{.about_bytes = about.size(), .checksum = content_hash(as_bytes_of(about))};
  std::string content(reinterpret_cast<const char*>(&head), sizeof head);
  errno = write_fully(file.number(), content += about);
  const bool is_created =
      errno == 0 && ::fsync(file.number()) == 0 && std::rename(part.c_str(), path.c_str()) == 0;
  const int error = errno;
  if (!is_created) ::unlink(part.c_str());
  errno = error;
  require(is_created, path);
  sync_name(path);
  return {std::move(file), path, about};
}

ChunkLog::ChunkLog(const std::string& path) : file_(open_log(path, 0)), path_(path) {
  const FileView view(file_, path);
  std::span<const std::byte> bytes = view.bytes();
  const auto head = take<LogHead>(bytes);
  if (head && head->magic != LogHead::own_magic)
    throw UsageError(fmt::format("{} is not a journal", path), "it does not begin as one",
                     "name another folder");
  if (!head || head->about_bytes > bytes.size() ||
      head->checksum != content_hash(bytes.first(head->about_bytes)))
    throw UsageError(fmt::format("{} is damaged", path), "its description of the job cannot be read",
                     "remove it and start again");
  about_.assign(reinterpret_cast<const char*>(bytes.data()), head->about_bytes);
  seed_ = head->checksum;
  end_ = sizeof(LogHead) + about_.size();
}

std::uint64_t ChunkLog::checksum(const FinishedChunk& finished, std::uint64_t offset) const {
  const RecordHead head{static_cast<std::uint64_t>(finished.chunk.first),
                        static_cast<std::uint64_t>(finished.chunk.size), finished.results.size(), offset};
  return content_hash(finished.results, content_hash(bytes_of(head), seed_));
}

void ChunkLog::recover(const std::function<bool(const FinishedChunk&)>& take_record) {
  const FileView view(file_, path_);
  std::span<const std::byte> bytes = view.bytes().subspan(std::min<std::size_t>(end_, view.bytes().size()));
  while (const auto head = take<RecordHead>(bytes)) {
    if (head->bytes > bytes.size()) break;
    const FinishedChunk finished{{static_cast<Index>(head->first), static_cast<Index>(head->size)},
                                 bytes.first(head->bytes)};
    if (head->checksum != checksum(finished, end_) || !take_record(finished)) break;
    bytes = bytes.subspan(head->bytes);
    end_ += sizeof(RecordHead) + head->bytes;
  }
  require(::ftruncate(file_.number(), static_cast<off_t>(end_)) == 0, path_);
}

void ChunkLog::reserve(Bytes bytes) const {
  struct statvfs disk {};
  if (::fstatvfs(file_.number(), &disk) != 0 || bytes > Bytes{disk.f_bavail} * disk.f_frsize / 2) return;
  const int error =
      ::fallocate(file_.number(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(end_), static_cast<off_t>(bytes));
  if (error != 0) trim();  // releases the part that was reserved before the error
}

int ChunkLog::append(std::span<const FinishedChunk> chunks, Way way) {
  constexpr std::size_t most_at_once = 500;  // the kernel takes 1,024 parts
  for (; !chunks.empty(); chunks = chunks.subspan(std::min(most_at_once, chunks.size())))
    if (const int error = append_some(chunks.first(std::min(most_at_once, chunks.size())), way)) return error;
  return 0;
}

int ChunkLog::append_some(std::span<const FinishedChunk> chunks, Way way) {
  std::vector<RecordHead> heads;
  heads.reserve(chunks.size());
  std::vector<iovec> parts;
  std::uint64_t end = end_;
  for (const FinishedChunk& finished : chunks) {
    heads.push_back({static_cast<std::uint64_t>(finished.chunk.first),
                     static_cast<std::uint64_t>(finished.chunk.size), finished.results.size(),
                     checksum(finished, end)});
    parts.push_back({&heads.back(), sizeof(RecordHead)});
    parts.push_back({const_cast<std::byte*>(finished.results.data()), finished.results.size()});
    end += sizeof(RecordHead) + finished.results.size();
  }
  if (const int error = write(parts, end - end_, way)) {
    trim();
    return error;
  }
  end_ = end;
  return 0;
}

int ChunkLog::write(std::span<iovec> parts, Bytes bytes, Way way) {
  constexpr Bytes much = Bytes{1} << 20;
  if (way == Way::past_cache && bytes >= much) {
    // Opens the same file even if another file has its name by now.
    if (direct_.number() < 0)
      direct_ = Descriptor(
          ::open(fmt::format("/proc/self/fd/{}", file_.number()).c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
    if (direct_.number() >= 0 && write_past_cache(direct_.number(), parts, end_) == 0) return 0;
  }
  return write_parts(file_.number(), parts, end_);
}

int ChunkLog::sync() const {
  return ::fdatasync(file_.number()) == 0 ? 0 : errno;
}

std::string ChunkLog::damage() const {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) return error_text(errno);
  if (status.st_nlink == 0) return "its file was removed";
  return static_cast<std::uint64_t>(status.st_size) < end_ ? "its file was cut off" : "";
}

void ChunkLog::trim() const {
  [[maybe_unused]] const int ignored = ::ftruncate(file_.number(), static_cast<off_t>(end_));
}

}  // namespace loadshare
