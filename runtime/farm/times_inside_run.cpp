#include "runtime/farm/times_inside_run.hpp"

#include <algorithm>

namespace loadshare {

// A worker stands ready before the run starts, hears of its end a little later, and a copy that nobody waits
// for may still be computed then: only what lies inside the run counts. On a busy host it may get a processor
// only when the others have done everything: then it was idle throughout.
void fill_times(RankRecord& row, const Account& account, double clock_offset_s, const RunSpan& run) {
  if (account.start_s - clock_offset_s >= run.finish_s) {
    row.idle_s = run.length_s();
    return;
  }
  const double begins_early_s = run.start_s - (account.start_s - clock_offset_s);
  const double last_end_s = account.last_end_s - clock_offset_s;
  const double computes_late_s = std::max(0.0, last_end_s - run.finish_s);
  const double idles_late_s = (account.end_s - clock_offset_s) - std::max(last_end_s, run.finish_s);
  const double busy_s = account.computing_s + account.stolen_s;
  const double share_inside = busy_s > 0 ? std::max(0.0, 1 - computes_late_s / busy_s) : 0;
  row.computing_s = account.computing_s * share_inside;
  row.stolen_s = account.stolen_s * share_inside;
  row.communicating_s = account.communicating_s;
  row.idle_s = std::max(0.0, account.idle_s - begins_early_s - idles_late_s);
  row.waiting_cpu_s = account.waiting_cpu_s;
  row.unaccounted_s = run.length_s() - row.computing_s - row.stolen_s - row.communicating_s - row.idle_s;
}

}  // namespace loadshare
