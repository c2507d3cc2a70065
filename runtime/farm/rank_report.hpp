#pragma once

#include <string>
#include <vector>

#include "runtime/farm/account.hpp"

namespace loadshare {

/// What one process tells the master at the end of a run.
struct RankReport {
  int rank = 0;
  std::string host;
  std::vector<int> cpus;
  std::string wait;
  double clock_offset_s = 0;
  bool has_thinned = false;
  bool is_absent = false;  ///< it had not answered when the run ended; nothing else is known
  std::vector<Account> workers;
};

/// This process: its host's name and the processors it may run on.
RankReport describe_process(int rank);

/// In place of the report of a rank, with one worker, that had not answered when the run ended.
RankReport absent_rank(int rank);

std::string encode(const RankReport& report);
RankReport decode_rank_report(const std::string& text);

}  // namespace loadshare
