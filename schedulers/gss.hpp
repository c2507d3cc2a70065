#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Guided self-scheduling: a chunk is a G-th of the remaining iterations, max(min, R / G).
///
/// Choose it if messages are expensive. The first chunks are large and the last ones small, so that workers
/// finish together with few messages. G = workers is the original rule. On unequal machines choose G two or
/// three times as large; otherwise the slowest worker's first chunk outlasts the rest of the loop.
///
/// Polychronopoulos and Kuck, IEEE Trans. Computers C-36(12), 1987: size = ceil(R / P), which is `round=up`.
/// Piotrowski and Dandamudi, TR-97-14, 1997, section 3.2.1: size = R / G, rounded down.
class Gss final : public ChunkScheduler {
 public:
  struct Parameters {
    Index divisor = 1;  ///< G; >= 1
    Index min = 1;      ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::down;
  };

  explicit Gss(Parameters parameters) : parameters_(parameters) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
};

/// Returns the table entry of `gss[:divisor,min,round]`.
SchedulerEntry gss_entry();

}  // namespace loadshare
