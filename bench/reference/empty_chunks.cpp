// Measures how many empty chunks per second the farm gives out. The reference is mpi_loop.
#include <fmt/format.h>
#include <mpi.h>

#include <span>
#include <vector>

#include "base/names.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/empty_loop.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace {

using namespace loadshare;

/// Returns the sum over all ranks.
bench::Tally sum_everywhere(std::span<const bench::Tally> tallies) {
  bench::Tally all = bench::sum_of(tallies);
  if (is_mpi_running())
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
  return all;
}

double chunks_per_s(Farm& farm, Index iterations) {
  std::vector<bench::Tally> tallies(static_cast<std::size_t>(farm.workers()));
  bench::EmptyLoop loop(iterations, tallies);
  const RunRecord record = farm.run(loop);
  bench::require_each_once(sum_everywhere(tallies), iterations);
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
