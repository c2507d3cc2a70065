#include "schedulers/adaptive.hpp"
#include "schedulers/factoring.hpp"
#include "schedulers/gss.hpp"
#include "schedulers/send.hpp"
#include "schedulers/table.hpp"
#include "schedulers/tss.hpp"

namespace loadshare {

SchedulerTable built_in_schedulers() {
  SchedulerTable table;
  table.add(send_entry());
  table.add(gss_entry());
  table.add(factoring_entry());
  table.add(tss_entry());
  table.add(adaptive_entry());
  return table;
}

}  // namespace loadshare
