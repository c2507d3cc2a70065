// How many empty chunks a second the farm hands out; beside it stands mpi_loop.
#include <fmt/format.h>
#include <mpi.h>

#include <vector>

#include "base/error.hpp"
#include "base/names.hpp"
#include "bench/reference/arguments.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace {

using namespace loadshare;

/// What the iterations a worker was given come to, on a cache line of its own.
struct alignas(64) Tally {
  Index count = 0;
  Index sum = 0;
};

/// A loop with nothing in it. Its workers note what they were given.
class EmptyLoop final : public Workload {
 public:
  EmptyLoop(Index iterations, Index workers)
      : iterations_(iterations), tallies_(static_cast<std::size_t>(workers)) {}

  Index iterations() const override { return iterations_; }
  void compute(Work& work) override {
    const Chunk chunk = work.chunk();
    Tally& tally = tallies_[to_number(work.worker())];
    tally.count += chunk.size;
    tally.sum += chunk.size * chunk.first + chunk.size * (chunk.size - 1) / 2;
  }

  /// On every rank, after the run. Throws where an iteration was not computed exactly once.
  void require_once() const {
    Tally all;
    for (const Tally& tally : tallies_) {
      all.count += tally.count;
      all.sum += tally.sum;
    }
    if (is_mpi_running())
      mpi::check(MPI_Allreduce(MPI_IN_PLACE, &all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    if (all.count != iterations_ || all.sum != iterations_ * (iterations_ - 1) / 2)
      throw Error(ExitCode::run_failed, "the run is wrong",
                  fmt::format("{} of {} iterations were computed", all.count, iterations_));
  }

 private:
  Index iterations_;
  std::vector<Tally> tallies_;
};

double chunks_per_s(Farm& farm, Index iterations) {
  EmptyLoop loop(iterations, farm.workers());
  const RunRecord record = farm.run(loop);
  loop.require_once();
  return static_cast<double>(record.chunks_total) / record.makespan_s;
}

FarmOptions farm_options(const bench::Arguments& arguments) {
  FarmOptions options;
  options.scheduler = arguments.text("--scheduler");
  options.workers = arguments.number("--workers", 1);
  options.master = choose("--master", arguments.text("--master"), master_modes);
  options.prefetch = arguments.number("--prefetch", 0);
  options.ranks_per_host = arguments.small_number("--ranks-per-host", 0);
  options.wait = choose("--wait", arguments.text("--wait"), wait_policies);
  return options;
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"--iterations", "1000000"},
                                    {"--master", "coordinates"},
                                    {"--prefetch", "0"},
                                    {"--ranks-per-host", "0"},
                                    {"--repetitions", "3"},
                                    {"--scheduler", "send:1"},
                                    {"--wait", "auto"},
                                    {"--workers", "1"}});
  const Index iterations = arguments.number("--iterations", 1);
  Farm farm(farm_options(arguments));
  chunks_per_s(farm, iterations / 10 + 1);  // touches the memory
  std::vector<double> rates;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i)
    rates.push_back(chunks_per_s(farm, iterations));
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
