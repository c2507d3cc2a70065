#pragma once

#include <optional>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"
#include "schedulers/techniques.hpp"

namespace loadshare {

/// Factoring as published: groups of as many equal chunks as there are workers. A group takes the x-th part
/// of the remaining iterations.
///
/// Choose `fac2`, with x = 2, if nothing is known about the iterations: it is the safe choice of the
/// literature. Choose `fac` if mean and deviation of an iteration are known. The smaller the deviation, the
/// more of the loop the first group takes, and the fewer messages there are.
///
/// Hummel, Schonberg and Flynn, "Factoring: a method for scheduling parallel loops", Comm. ACM 35(8), 1992:
/// F_j = R_j / (x_j P), where b_j = P / (2 sqrt(R_j)) sigma / mu, x_0 = 1 + b_0^2 + b_0 sqrt(b_0^2 + 2) and
/// x_j = 2 + b_j^2 + b_j sqrt(b_j^2 + 4) for all later groups; x_j = 2 for FAC2. `round=up` gives the sizes
/// in publications. Without deviation x_0 = 1, so that the first group takes the whole loop. Unlike
/// `factoring`, it uses the number of iterations that remain when a group begins.
class Fac final : public ChunkScheduler {
 public:
  struct Parameters {
    Index workers = 1;                             ///< P, the chunks in a group; >= 1
    std::optional<double> scatter = std::nullopt;  ///< sigma / mu, >= 0; empty: x = 2, FAC2
    Index min = 1;                                 ///< smallest chunk, except the last; >= 1
    Rounding round = Rounding::up;
  };

  explicit Fac(Parameters parameters) : parameters_(parameters) {}

  Cut next(const Request& request) override;

 private:
  Index group_size(Index remaining);

  Parameters parameters_;
  Groups groups_;
  bool is_first_group_ = true;
  Index size_ = 1;
};

/// Return the table entries of `fac2[:min,round]` and `fac[:mu,sigma,min,round]`.
SchedulerEntry fac2_entry();
SchedulerEntry fac_entry();

}  // namespace loadshare
