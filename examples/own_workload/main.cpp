// A program outside loadshare with its own loop and its own scheduler: which number below N has the longest
// Collatz sequence? Alone it uses threads, under mpirun all its ranks:
//   own_workload --numbers 1000000 --scheduler gss:4        mpirun -q -np 4 own_workload --scheduler
//   ramp:start=16
// With --json FILE it leaves a record of the run, so that `loadshare sweep` can compare schedulers with it.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <loadshare/runtime/farm/farm.hpp>
#include <loadshare/runtime/farm/program.hpp>
#include <loadshare/runtime/records/json.hpp>
#include <loadshare/runtime/records/summary.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace loadshare;

namespace {

/// Chunks that grow while there is plenty left and never exceed an equal share of the rest: small first
/// chunks, so that every worker is heard from early. Whoever is said to be faster gets more at a time.
class Ramp final : public ChunkScheduler {
 public:
  Ramp(const SchedulerSpec& spec, const LoopFacts& loop)
      : size_(static_cast<double>(spec.whole("start").value_or(1))),
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

/// Iteration i finds the number of steps from i + 1 to 1. Nothing has to reach the workers; the results lie
/// in the farm's memory, so that workers of the master's host write them in place.
class Collatz final : public Workload {
 public:
  Collatz(Farm& farm, Index count)
      : count_(count), steps_(farm.resident<int>(static_cast<std::size_t>(count))) {}

  Index iterations() const override { return count_; }
  std::size_t output_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * sizeof(int);
  }
  std::span<std::byte> output(Chunk chunk) override {
    return std::as_writable_bytes(
        steps_.subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.size)));
  }
  void compute(Work& work) override {
    auto* steps = reinterpret_cast<int*>(work.output().data());
    for (Index i = work.chunk().first; i < work.chunk().end(); ++i) *steps++ = steps_from(i + 1);
  }

  Index longest() const { return std::ranges::max_element(steps_) - steps_.begin() + 1; }
  int steps(Index start) const { return steps_[static_cast<std::size_t>(start - 1)]; }

 private:
  static int steps_from(Index number) {
    int steps = 0;
    for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
  }

  Index count_;
  std::span<int> steps_;
};

/// Words `--name value`, as a sweep gives them; names that mean nothing here (--progress) are passed over.
std::map<std::string, std::string> options_of(int argc, char** argv) {
  std::map<std::string, std::string> options{{"--scheduler", "ramp:start=16"}, {"--numbers", "100000"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    auto options = options_of(argc, argv);
    Farm farm({.scheduler = options["--scheduler"]}, schedulers_with_ramp());
    Collatz collatz(farm, std::max(1LL, std::atoll(options["--numbers"].c_str())));
    RunRecord record = farm.run(collatz);
    if (!farm.is_master()) return ExitCode::good;
    record.app = "own_workload";
    if (options.contains("--json")) JsonSink(options["--json"]).append(to_json_line(record));
    std::cout << collatz.longest() << " takes " << collatz.steps(collatz.longest()) << " steps\n"
              << summary(record);
    return ExitCode::good;
  });
}
