#pragma once

#include <filesystem>
#include <fstream>
#include <locale>

namespace loadshare {

/// Opens a system file so that numbers are read as the kernel writes them, in any locale. In a locale with
/// blanks between thousands, such as French, two adjacent numbers would be read as one.
inline std::ifstream system_file(const std::filesystem::path& path) {
  std::ifstream file;
  file.imbue(std::locale::classic());
  file.open(path);
  return file;
}

}  // namespace loadshare
