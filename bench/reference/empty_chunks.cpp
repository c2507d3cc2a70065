// How many empty chunks a second the farm hands out; beside it stands mpi_loop.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/names.hpp"
#include "bench/reference/arguments.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/program.hpp"

namespace {

using namespace loadshare;

/// What the iterations a worker was given come to, on a cache line of its own.
struct alignas(64) Tally {
  Index count = 0;
  Index sum = 0;
};

/// A loop with nothing in it. Its workers note what they were given in memory that the master sees.
class EmptyLoop final : public Workload {
 public:
  EmptyLoop(Index iterations, std::span<Tally> tallies) : iterations_(iterations), tallies_(tallies) {}

  Index iterations() const override { return iterations_; }
  void compute(Work& work) override {
    const Chunk chunk = work.chunk();
    Tally& tally = tallies_[to_number(work.worker())];
    tally.count += chunk.size;
    tally.sum += chunk.size * chunk.first + chunk.size * (chunk.size - 1) / 2;
  }

  /// On the master, after the run: whether every iteration was computed exactly once. Clears the notes.
  void require_once() {
    Tally all;
    for (Tally& tally : tallies_) {
      all.count += tally.count;
      all.sum += tally.sum;
      tally = {};
    }
    if (all.count != iterations_ || all.sum != iterations_ * (iterations_ - 1) / 2)
      throw Error(ExitCode::run_failed, "the run is wrong",
                  fmt::format("{} of {} iterations were computed", all.count, iterations_));
  }

 private:
  Index iterations_;
  std::span<Tally> tallies_;
};

double chunks_per_s(Farm& farm, std::span<Tally> tallies, Index iterations) {
  EmptyLoop loop(iterations, tallies);
  const RunRecord record = farm.run(loop);
  if (farm.is_master()) loop.require_once();
  return static_cast<double>(record.chunks_total) / record.makespan_s;
}

FarmOptions farm_options(const bench::Arguments& arguments) {
  FarmOptions options;
  options.scheduler = arguments.text("--scheduler");
  options.workers = arguments.number("--workers", 1);
  options.master = choose("--master", arguments.text("--master"), master_modes);
  options.prefetch = arguments.number("--prefetch", 0);
  options.wait = choose("--wait", arguments.text("--wait"), wait_policies);
  return options;
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"--iterations", "1000000"},
                                    {"--master", "coordinates"},
                                    {"--prefetch", "0"},
                                    {"--repetitions", "3"},
                                    {"--scheduler", "send:1"},
                                    {"--wait", "auto"},
                                    {"--workers", "1"}});
  const Index iterations = arguments.number("--iterations", 1);
  Farm farm(farm_options(arguments));
  const auto tallies = farm.resident<Tally>(static_cast<std::size_t>(farm.workers()));
  chunks_per_s(farm, tallies, iterations / 10 + 1);  // touches the memory
  std::vector<double> rates;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i)
    rates.push_back(chunks_per_s(farm, tallies, iterations));
  if (farm.is_master())
    fmt::print(R"({{"program": "empty_chunks", "iterations": {}, "workers": {}, "prefetch": {}, )"
               R"("chunks_per_s": {}, "verified": true}})"
               "\n",
               iterations, farm.workers(), farm.options().prefetch, bench::json_list(rates));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
