#pragma once

#include "runtime/records/records.hpp"

namespace loadshare::test {

/// Returns an artificial matmul run with a coordinating master and `workers` workers, each with 80 columns in
/// chunks of at most 20. The stamps are regular, so that expectations can be literal.
RunRecord sample_record(Index workers);

/// Returns the load of the workers of sample_record(2): on twice, for half a second in all. The second worker
/// has no share, because it had no chunk while the load was on.
LoadRecord sample_load();

}  // namespace loadshare::test
