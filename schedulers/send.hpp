#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Send: every chunk has the same size t (Piotrowski and Dandamudi, TR-97-14, 1997, section 3.1).
///
/// Choose it if the machines' load changes during the loop and a message is cheap compared with an iteration.
/// A worker never holds more than t iterations, so none delays the end by more. The price is one message for
/// every t iterations.
class Send final : public ChunkScheduler {
 public:
  struct Parameters {
    Index size = 3;  ///< t, iterations in a chunk; >= 1
  };

  explicit Send(Parameters parameters) : size_(parameters.size) {}

  Cut next(const Request& request) override;

 private:
  Index size_;
};

/// Returns the table entry of `send[:size]`.
SchedulerEntry send_entry();
/// Returns the table entry of `ss`: self-scheduling, `send:1` (Tang and Yew, "Processor self-scheduling for
/// multiple-nested parallel loops", ICPP 1986).
SchedulerEntry ss_entry();

}  // namespace loadshare
