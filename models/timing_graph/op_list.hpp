#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// How many ops a program may still get; shared by its processes.
class OpBudget final {
 public:
  explicit OpBudget(std::size_t most) : most_(most) {}
  /// Throws UsageError, naming `origin`, beyond the most.
  void spend(const Origin& origin, std::size_t count = 1) {
    spent_ += count;
    if (spent_ > most_) refuse(origin);
  }

 private:
  [[noreturn]] void refuse(const Origin& origin) const;

  std::size_t most_;
  std::size_t spent_ = 0;
};

/// The ops of one process while they are written.
class OpList final {
 public:
  OpList(OpBudget& budget, const std::vector<Origin>& origins) : budget_(&budget), origins_(&origins) {}

  void add(const Op& op) {
    budget_->spend((*origins_)[op.origin]);
    ops_.push_back(op);
  }
  /// The same, begun only; the number of its request.
  std::uint32_t begin(Op op) {
    op.request = requests_++;
    add(op);
    return op.request;
  }
  void wait(std::uint32_t request, std::uint32_t origin) {
    add({.request = request, .origin = origin, .kind = OpKind::wait});
  }

  const std::vector<Op>& ops() const { return ops_; }
  std::vector<Op> take_ops() { return std::exchange(ops_, {}); }
  std::uint32_t requests() const { return requests_; }

 private:
  OpBudget* budget_;
  const std::vector<Origin>* origins_;
  std::vector<Op> ops_;
  std::uint32_t requests_ = 0;
};

}  // namespace loadshare::timing_graph
