#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/records/records.hpp"

namespace loadshare {

/// Identifies a loop among the recorded runs.
struct LoopIdentity {
  std::string program;
  /// The job with its parameters, and how it is distributed. Empty: the loop is not a job, and its runs are
  /// not kept.
  std::string job;
  std::string transport;           ///< as named in records
  std::vector<std::string> hosts;  ///< by worker number; empty: unknown before the run
  Index iterations = 0;
  std::map<std::string, OptionValue> options = {};  ///< the program's own, as in its records
  std::map<std::string, std::string> parameters =
      {};  ///< of the job; options of the same name in records have the same meaning
};

/// Knowledge about a loop before it runs.
struct KnownBefore {
  /// An earlier run of the same loop, with its workers numbered as they are now.
  std::shared_ptr<const RunRecord> run = {};
  std::vector<double> speeds = {};  ///< by worker number, in any unit, if only the hosts are known
  std::string source = {};          ///< file; empty: nothing is known
};

/// Earlier runs from which `auto` starts: those in a file that the user names, or in the cache, in which each
/// run of `auto` stores its data for the next run of the same loop on the same hosts.
class EarlierRuns {
 public:
  /// `word`: the file of a record, "none", or empty for the cache.
  explicit EarlierRuns(std::string word) : word_(std::move(word)) {}

  /// Returns what is known about the loop. Throws UsageError if a named file contains no run on these hosts.
  /// A damaged cache counts as empty and adds a note. Returns nothing for a loop that this object has kept,
  /// because the farm itself knows more.
  KnownBefore known(const LoopIdentity& loop);
  /// Stores the first run of each loop in the cache, with at most some hundred chunks. Does nothing if there
  /// is no cache or it cannot be written.
  void keep(const LoopIdentity& loop, const RunRecord& record);
  /// Returns notes for the user.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  KnownBefore named(const LoopIdentity& loop);
  KnownBefore cached(const LoopIdentity& loop);

  std::string word_;
  std::vector<std::string> notes_;
  std::set<std::string> kept_;  // files written
};

/// Returns the cache folder: $XDG_CACHE_HOME/loadshare/auto or ~/.cache/loadshare/auto. Empty if there is no
/// home folder.
std::string auto_cache_folder();

}  // namespace loadshare
