#pragma once

#include "apps/loadshare/metrics/fields.hpp"
#include "apps/loadshare/metrics/run.hpp"

namespace loadshare::tool {

/// Fills the times of `run` with the ranks of a run record, and remarks on ranks that only coordinate.
///
/// The records tell processor time and, as stolen, the wall time beside it. On a host with a quota that would
/// call the whole slowness of a slow host stolen; so of the time a rank was busy, what it computed at the
/// speed that its host grants (processor time / capacity) is T_comp, and only the rest was stolen.
///
/// Throws UsageError where ranks are missing or a field is.
void read_record_ranks(const Fields& record, SourcedRun& run);

}  // namespace loadshare::tool
