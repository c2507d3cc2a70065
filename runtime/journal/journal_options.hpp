#pragma once

#include <cstdint>
#include <string>

namespace loadshare {

/// The options of a run's journal, which keeps finished results so that a later run can resume.
struct JournalOptions {
  std::string folder = {};  ///< empty: no journal
  bool resumes = false;     ///< continue with the results in the folder
  /// The limit for the results of all loops.
  std::uint64_t limit_bytes = std::uint64_t{16} << 30;
  /// The program's name and its own options, which its results depend on in addition to the loops.
  std::string program = {};

  bool is_used() const { return !folder.empty(); }
};

}  // namespace loadshare
