#pragma once

#include <memory>
#include <string>

#include "runtime/farm/workload.hpp"
#include "runtime/journal/journal.hpp"

namespace loadshare {

/// What the results of a loop follow from, beside its inputs' values.
struct LoopOrigin {
  std::string program;        ///< JournalOptions::program
  std::string job;            ///< its description
  std::string loop;           ///< its sizes
  std::uint64_t depends = 0;  ///< hash of Farm::depends_on
};

/// The next loop of a run's journal; on the master, once its inputs are there and before any of them is
/// prepared. What an earlier run finished is then at its place.
std::unique_ptr<LoopJournal> open_journal(Journal& journal, const LoopOrigin& origin, Workload& workload);

}  // namespace loadshare
