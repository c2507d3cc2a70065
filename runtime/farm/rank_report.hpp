#pragma once

#include <string>
#include <vector>

#include "runtime/farm/account.hpp"
#include "runtime/load/injector.hpp"

namespace loadshare {

/// What became of the background load of one rank.
struct LoadReport {
  int rank = 0;
  int cpu = 0;
  double capacity = 1;   ///< what the rank has of its processor when nobody disturbs it
  bool is_lost = false;  ///< its process was gone; nothing else is known
  LoadMeasure measure;
};

/// What one process tells the master at the end of a run.
struct RankReport {
  int rank = 0;
  std::string host;
  std::vector<int> cpus;
  double quota = 0;           ///< processors that its control group grants; 0: no limit
  double quota_period_s = 0;  ///< anew each; 0: ditto
  double tick_s = 0;          ///< of the kernel that watches it; 0: ditto
  std::string wait;
  double clock_offset_s = 0;
  bool has_thinned = false;
  bool is_absent = false;  ///< it had not answered when the run ended; nothing else is known
  std::vector<Account> workers;
  std::vector<LoadReport> loads;
};

/// This process: its host's name and the processors it may run on.
RankReport describe_process(int rank);

/// In place of the report of a rank, with one worker, that had not answered when the run ended.
RankReport absent_rank(int rank);

/// The row of a rank, with its place but without its times. `sharing`: how many of this run's ranks or
/// threads live by its host's quota.
RankRecord row_of(const RankReport& report, Role role, std::size_t sharing);

/// How the ranks are bound to processors, in words.
std::string binding_of(const std::vector<RankReport>& reports);

std::string encode(const RankReport& report);
RankReport decode_rank_report(const std::string& text);

}  // namespace loadshare
