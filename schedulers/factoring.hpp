#pragma once

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Factoring: groups of as many equal chunks as there are workers. Each group is half the size of the last.
///
/// Choose it if iterations or machines vary too much for GSS. Its first chunks are smaller than those of GSS,
/// and every worker can have one of each size, for a few more messages.
///
/// Hummel, Schonberg and Flynn, Comm. ACM 35(8), 1992, with the factor fixed at 2; Piotrowski and Dandamudi,
/// TR-97-14, 1997, section 3.2.2: size_0 = F, size_{j+1} = size_j / 2, never below min.
class Factoring final : public ChunkScheduler {
 public:
  struct Parameters {
    Index first = 1;  ///< F, the size of the first group's chunks; >= 1
    Index min = 1;    ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::down;
    Index workers = 1;  ///< S, the chunks in a group; >= 1
  };

  explicit Factoring(Parameters parameters)
      : parameters_(parameters), size_(parameters.first), left_in_group_(parameters.workers) {}

  Cut next(const Request& request) override;

 private:
  Parameters parameters_;
  Index size_;
  Index left_in_group_;
};

/// Returns the table entry of `factoring[:first,min,round]`.
SchedulerEntry factoring_entry();

}  // namespace loadshare
