#pragma once

#include <memory>
#include <string_view>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {

/// A loop played step by step, to compare with a paper's equations: requests and returns at given times.
class Played {
 public:
  Played(std::string_view spec, const LoopFacts& loop)
      : scheduler_(built_in_schedulers().make(spec, loop)), loop_(loop), remaining_(loop.iterations) {}

  /// Returns the size that the worker gets.
  Index ask(std::uint32_t worker, double now_s = 0) {
    const Index first = loop_.iterations - remaining_;
    const Index size =
        scheduler_->next({WorkerId{worker}, first, remaining_, outstanding_, loop_.workers, now_s}).size;
    scheduler_->assigned(WorkerId{worker}, {first, size});
    remaining_ -= size;
    outstanding_ += size;
    return size;
  }
  /// Completes a chunk; `compute_s` of its time was computing.
  void give_back(std::uint32_t worker, Index size, double response_s, double compute_s) {
    outstanding_ -= size;
    scheduler_->completed(
        {.worker = WorkerId{worker}, .chunk = {0, size}, .response_s = response_s, .compute_s = compute_s});
  }
  void give_back(std::uint32_t worker, Index size, double seconds) {
    give_back(worker, size, seconds, seconds);
  }

  ChunkScheduler& scheduler() { return *scheduler_; }

 private:
  std::unique_ptr<ChunkScheduler> scheduler_;
  LoopFacts loop_;
  Index remaining_;
  Index outstanding_ = 0;
};

}  // namespace loadshare::test
