// A technique of your own. The loop finds the number below N that takes the most steps to reach 1, if an even
// number is halved, and an odd one is tripled and increased by one.
//   own_scheduler --numbers 1000000 --scheduler ramp:start=16        mpirun -q -np 4 own_scheduler
//   --scheduler gss:4
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <loadshare/loadshare.hpp>
#include <memory>
#include <vector>

using namespace loadshare;

namespace {

/// Chunks that grow while many iterations remain, up to an equal share of the rest. The first chunks are
/// small, so that every worker is measured early. Faster workers get larger chunks.
class Ramp final : public ChunkScheduler {
 public:
  Ramp(const SchedulerSpec& spec, const LoopFacts& loop)
      : size_(static_cast<double>(spec.integer("start").value_or(1))),
        growth_(spec.real("growth", 1, 16).value_or(2)),
        weights_(spec.list("weights", 0.01, 100).value_or(std::vector<double>{})),
        workers_(static_cast<double>(loop.workers)) {}

  Cut next(const Request& request) override {
    const double share = static_cast<double>(request.remaining) / workers_;
    const double size = std::min(size_ * weight(request.worker), share);
    size_ = std::min(growth_ * size_, share);
    return {std::max<Index>(1, static_cast<Index>(size))};
  }

 private:
  double weight(WorkerId worker) const {
    return to_number(worker) < weights_.size() ? weights_[to_number(worker)] : 1;
  }

  double size_;
  double growth_;
  std::vector<double> weights_;
  double workers_;
};

SchedulerTable schedulers_with_ramp() {
  SchedulerTable table = built_in_schedulers();
  table.add({.name = "ramp",
             .description = "chunks that grow, up to an equal share of what is left",
             .parameters = {{"start", "1", "size of the first chunk"},
                            {"growth", "2", "what each is larger than the last"},
                            {"weights", "1 each", "the workers' speeds, as 1:2:0.5"}},
             .make = [](const SchedulerSpec& spec, const LoopFacts& loop) {
               return std::make_unique<Ramp>(spec, loop);
             }});
  return table;
}

int steps_from(Index number) {
  int steps = 0;
  for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  Index numbers = 100'000;
  const auto body = [&](Farm& farm) {
    const auto steps = farm.map<int>(numbers, [](Index i) { return steps_from(i + 1); });
    const auto most = std::ranges::max_element(steps);
    if (farm.is_master() && numbers > 0)
      std::cout << most - steps.begin() + 1 << " takes " << *most << " steps\n";
  };
  return loadshare::run(
      argc, argv, body,
      {.options = [&](CLI::App& app) { app.add_option("--numbers", numbers, "up to which"); },
       .schedulers = schedulers_with_ramp()});
}
