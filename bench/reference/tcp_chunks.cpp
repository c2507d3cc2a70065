// Measures how many empty chunks per second the farm gives to processes of this host over TCP. The reference
// is epoll_loop.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/names.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/reference/empty_loop.hpp"
#include "bench/reference/tcp_members.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/program.hpp"

namespace {

using namespace loadshare;

/// The loops that all processes run.
struct Loops {
  Index iterations;
  Index repetitions;
  std::span<bench::Tally> tallies;
};

/// Runs one loop and returns its rate. Iterations of a lost or late worker are given out again, so an
/// iteration may be computed twice, but each must be computed.
double chunks_per_s(Farm& farm, Index iterations, std::span<bench::Tally> tallies) {
  bench::EmptyLoop loop(iterations, tallies);
  if (farm.is_master()) std::ranges::fill(tallies, bench::Tally{});
  const RunRecord record = farm.run(loop);
  if (!farm.is_master()) return 0;
  if (!record.reissue || record.reissue->again == 0)
    bench::require_each_once(bench::sum_of(tallies), iterations);
  if (record.chunks_total != iterations)
    throw Error(ExitCode::run_failed, "the run is wrong",
                fmt::format("{} chunks counted", record.chunks_total));
  return static_cast<double>(record.chunks_total) / record.makespan_s;
}

std::vector<double> rates(FarmOptions options, const Loops& loops) {
  Farm farm(std::move(options));
  chunks_per_s(farm, loops.iterations / 10 + 1, loops.tallies);  // opens the connections
  std::vector<double> found;
  for (Index i = 0; i < loops.repetitions; ++i)
    found.push_back(chunks_per_s(farm, loops.iterations, loops.tallies));
  return found;
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"--iterations", "200000"},
                                    {"--prefetch", "4"},
                                    {"--repetitions", "3"},
                                    {"--scheduler", "send:1"},
                                    {"--secret-file", ""},
                                    {"--wait", "auto"},
                                    {"--workers", "1"}});
  const Index workers = arguments.number("--workers", 1);
  const Loops loops{arguments.number("--iterations", 1), arguments.number("--repetitions", 1),
                    bench::shared_tallies(static_cast<std::size_t>(workers))};
  FarmOptions options;
  options.scheduler = arguments.text("--scheduler");
  options.master = MasterMode::coordinates;
  options.prefetch = arguments.number("--prefetch", 0);
  options.wait = choose("--wait", arguments.text("--wait"), wait_policies);
  options.network.secret_file = arguments.text("--secret-file");
  bench::Members members;
  for (Index i = 0; i < workers; ++i)
    members.start([&](const std::string& address) {
      FarmOptions joins = options;
      joins.network.join = address;
      joins.workers = 1;
      rates(std::move(joins), loops);
    });
  const std::string secret_file = options.network.secret_file;
  options.network = members.network();
  options.network.secret_file = secret_file;
  options.network.expect = workers;
  const std::vector<double> found = rates(std::move(options), loops);
  members.await_end();
  fmt::print(R"({{"program": "tcp_chunks", "iterations": {}, "workers": {}, "prefetch": {}, )"
             R"("chunks_per_s": {}, "verified": true}})"
             "\n",
             loops.iterations, workers, arguments.number("--prefetch", 0), bench::json_list(found));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
