#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/records/records.hpp"

namespace loadshare {

/// What a loop's runs are told apart by.
struct LoopIdentity {
  std::string program;
  /// The job with its parameters, and how it is farmed out; empty: it is no job, and of its runs none is
  /// kept.
  std::string job;
  std::string transport;           ///< as a record names it
  std::vector<std::string> hosts;  ///< by worker number; none: who computes is not known before
  Index iterations = 0;
  std::map<std::string, OptionValue> options = {};  ///< the program's own, as its records have them
  std::map<std::string, std::string> parameters =
      {};  ///< of the job; those of its records' options mean the same
};

/// What is known of a loop before it runs.
struct KnownBefore {
  /// An earlier run of the same loop, its workers numbered as they are now.
  std::shared_ptr<const RunRecord> run = {};
  std::vector<double> speeds = {};  ///< by worker number, in any unit, where hosts alone are known
  std::string source = {};          ///< the file; empty: nothing is known
};

/// Earlier runs that `auto` begins with: in a file that somebody names, or in the cache, where each run of
/// `auto` leaves what the next one of the same loop on the same hosts wants to know.
class EarlierRuns {
 public:
  /// `word`: a record's file, "none", or empty: the cache.
  explicit EarlierRuns(std::string word) : word_(std::move(word)) {}

  /// Throws UsageError where a file that was named holds nothing of these hosts. What the cache holds, and is
  /// damaged, is nothing known, and a note. Of a loop that has been kept nothing: the farm knows more.
  KnownBefore known(const LoopIdentity& loop);
  /// In the cache, for the next run; where there is none, or it cannot be written, nowhere. Of many chunks
  /// some. The first run of each loop.
  void keep(const LoopIdentity& loop, const RunRecord& record);
  /// What a person should know of it.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  KnownBefore named(const LoopIdentity& loop);
  KnownBefore cached(const LoopIdentity& loop);

  std::string word_;
  std::vector<std::string> notes_;
  std::set<std::string> kept_;  // files
};

/// Where the cache lies: $XDG_CACHE_HOME/loadshare/auto or ~/.cache/loadshare/auto; empty: nowhere, for there
/// is no home.
std::string auto_cache_folder();

}  // namespace loadshare
