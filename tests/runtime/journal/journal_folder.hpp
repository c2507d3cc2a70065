#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/journal/journal.hpp"

namespace loadshare::test {

/// A folder for a journal, which is removed with its object.
class JournalFolder final {
 public:
  explicit JournalFolder(const std::filesystem::path& in = std::filesystem::temp_directory_path())
      : path_(in / "journal-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~JournalFolder() { std::filesystem::remove_all(path_); }
  JournalFolder(const JournalFolder&) = delete;
  JournalFolder& operator=(const JournalFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string log(int loop = 0) const { return path_ + "/loop-" + std::to_string(loop) + ".log"; }

 private:
  std::string path_;
};

/// A loop in which iteration i has the result 1000 + i, or 0 before it is computed.
class Numbers final {
 public:
  explicit Numbers(Index iterations, std::string about = "job: numbers\ninputs: 7")
      : values_(static_cast<std::size_t>(iterations)), about_(std::move(about)) {}

  JournalledLoop loop() {
    return {
        .about = about_, .iterations = static_cast<Index>(values_.size()), .results = [this](Chunk chunk) {
          return std::as_writable_bytes(std::span(values_).subspan(static_cast<std::size_t>(chunk.first),
                                                                   static_cast<std::size_t>(chunk.size)));
        }};
  }
  void compute(LoopJournal& journal, Chunk chunk) {
    for (Index i = chunk.first; i < chunk.end(); ++i) values_[static_cast<std::size_t>(i)] = 1000 + i;
    journal.finished(chunk);
  }
  /// Returns whether all iterations are computed except the open ones.
  bool are_all_but(const std::vector<Chunk>& open) const {
    std::vector<Index> expected(values_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 1000 + static_cast<Index>(i);
    for (const Chunk range : open)
      for (Index i = range.first; i < range.end(); ++i) expected[static_cast<std::size_t>(i)] = 0;
    return values_ == expected;
  }

 private:
  std::vector<Index> values_;
  std::string about_;
};

/// A limit on file sizes like `ulimit -f`, which imitates a full disk.
class FileLimit final {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &old_); }

 private:
  rlimit old_{};
};

inline std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace loadshare::test
