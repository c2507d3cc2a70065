#pragma once

#include <filesystem>
#include <fstream>
#include <locale>

namespace loadshare {

/// Opens a file of the system for reading numbers as the kernel writes them, whatever locale the program has
/// chosen: where a blank separates thousands, as in French, two numbers side by side would be read as one.
inline std::ifstream system_file(const std::filesystem::path& path) {
  std::ifstream file;
  file.imbue(std::locale::classic());
  file.open(path);
  return file;
}

}  // namespace loadshare
