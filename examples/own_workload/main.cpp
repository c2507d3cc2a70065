// A program outside loadshare that brings its own scheduler: usage: own_workload [SPEC [ITERATIONS
// [WORKERS]]]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "schedulers/error.hpp"
#include "schedulers/table.hpp"

using namespace loadshare;

namespace {

/// Chunks that double while there is plenty left and never exceed an equal share of the rest: small first
/// chunks, so that every worker is heard from early.
class Ramp final : public ChunkScheduler {
 public:
  Ramp(Index start, Index workers) : size_(start), workers_(workers) {}

  Index next_size(WorkerId, Index remaining) override {
    const Index share = std::max<Index>(1, remaining / workers_);
    const Index size = std::min(size_, share);
    size_ = std::min(2 * size_, share);
    return size;
  }

 private:
  Index size_;
  Index workers_;
};

SchedulerTable schedulers_with_ramp() {
  SchedulerTable table = built_in_schedulers();
  table.add({.name = "ramp",
             .description = "chunks that double, up to an equal share of what is left",
             .parameters = {{"start", "1", "size of the first chunk"}},
             .make = [](const SchedulerSpec& spec, const LoopShape& loop) {
               return std::make_unique<Ramp>(spec.whole("start").value_or(1), loop.workers);
             }});
  return table;
}

void print_chunks(ChunkScheduler& scheduler, const LoopShape& loop) {
  Index turn = 0;
  for (Index left = loop.iterations; left > 0; ++turn) {
    const auto worker = static_cast<WorkerId>(turn % loop.workers);
    const Index size = scheduler.next_size(worker, left);
    std::cout << size << (left > size ? " " : "\n");
    left -= size;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string spec = argc > 1 ? argv[1] : "ramp:start=1";
  const LoopShape loop{.iterations = argc > 2 ? std::atoll(argv[2]) : 100,
                       .workers = argc > 3 ? std::max(1LL, std::atoll(argv[3])) : 4};
  print_chunks(*schedulers_with_ramp().make(spec, loop), loop);
  return EXIT_SUCCESS;
} catch (const Error& error) {
  std::cerr << "own_workload: " << error.what() << "\n";
  return static_cast<int>(error.code());
}
