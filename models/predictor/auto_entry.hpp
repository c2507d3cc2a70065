#pragma once

#include "schedulers/table.hpp"

namespace loadshare::predictor {

using MakeScheduler = decltype(SchedulerEntry::make);

/// `auto` as an entry of a table of techniques; `make` makes it (AutoScheduler).
SchedulerEntry auto_entry(MakeScheduler make);

/// What farm applications take for --scheduler, for who reads specs only: here `auto` cannot be made.
SchedulerTable farm_schedulers();

/// The share of the predicted makespan that choosing may take, as a spec of `auto` says; throws UsageError
/// where that is too much.
double choosing_budget(const SchedulerSpec& spec);

}  // namespace loadshare::predictor
