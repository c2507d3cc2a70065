#pragma once

#include <cstdint>
#include <string>

namespace loadshare {

/// Where a run keeps what is finished, so that another can go on with it.
struct JournalOptions {
  std::string folder = {};  ///< empty: nowhere
  bool resumes = false;     ///< go on with what is there already
  /// That the results of all loops may take in it.
  std::uint64_t limit_bytes = std::uint64_t{16} << 30;
  /// What besides its loops makes the program's results what they are: its name and its own options.
  std::string program = {};

  bool is_used() const { return !folder.empty(); }
};

}  // namespace loadshare
