#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace loadshare::test {

/// A temporary directory, and short functions for files in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "loadshare-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  const std::string& path() const { return path_; }

  /// Returns the number of names, including hidden ones.
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the error that a user would read, without `directory/`, or "no error".
template <class Call>
std::string error_of(Call call, const std::string& directory = {}) {
  try {
    call();
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string prefix = directory + "/";
    for (std::size_t at; !directory.empty() && (at = text.find(prefix)) != text.npos;)
      text.erase(at, prefix.size());
    return text;
  }
  return "no error";
}

}  // namespace loadshare::test
