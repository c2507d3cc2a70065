#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace loadshare::test {

/// A folder for a journal, gone with its object.
class JournalFolder final {
 public:
  JournalFolder() : path_(std::filesystem::temp_directory_path() / "journal-XXXXXX") {
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

inline std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace loadshare::test
