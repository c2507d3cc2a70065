#pragma once

#include "runtime/timing/records.hpp"

namespace loadshare::test {

/// A made-up matmul run with a coordinating master and `workers` workers, 80 columns each in chunks of at
/// most 20; the stamps are regular, so that expectations can be literal.
RunRecord sample_record(Index workers);

}  // namespace loadshare::test
