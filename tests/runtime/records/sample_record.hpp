#pragma once

#include "runtime/records/records.hpp"

namespace loadshare::test {

/// A made-up matmul run with a coordinating master and `workers` workers, 80 columns each in chunks of at
/// most 20; the stamps are regular, so that expectations can be literal.
RunRecord sample_record(Index workers);

/// Of the workers of sample_record(2): on twice for half a second in all; the second got nothing to do.
LoadRecord sample_load();

}  // namespace loadshare::test
