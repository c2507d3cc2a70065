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
  std::vector<Account> workers;
};

/// This process: its host's name and the processors it may run on.
RankReport describe_process(int rank);

std::string encode(const RankReport& report);
RankReport decode_rank_report(const std::string& text);

}  // namespace loadshare
