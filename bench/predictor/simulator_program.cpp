#include "bench/predictor/simulator_program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace loadshare::bench {

namespace {

/// No farm is faster than its processors together.
double least_makespan_s(const ScenarioOptions& options) {
  const double speed = std::accumulate(options.speeds.begin(), options.speeds.end(), 0.0);
  return options.work_s({0, options.iterations}) / speed;
}

void verify(const ScenarioOptions& options, const Simulated& found) {
  constexpr double rounding = 1e-9;
  if (found.iterations != options.iterations)
    throw Error(ExitCode::run_failed, "the simulation is wrong",
                fmt::format("{} of {} iterations were computed", found.iterations, options.iterations));
  const double least_s = least_makespan_s(options);
  if (!std::isfinite(found.makespan_s) || found.makespan_s < least_s * (1 - rounding))
    throw Error(
        ExitCode::run_failed, "the simulation is wrong",
        fmt::format("it took {} s, and all processors at full speed take {} s", found.makespan_s, least_s));
}

ExitCode run(const char* name, const Arguments& arguments,
             const std::function<Simulated(const ScenarioOptions&)>& simulate) {
  const ScenarioOptions options = read_scenario(arguments);
  std::vector<double> rates;
  Simulated found;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i) {
    found = simulate(options);
    verify(options, found);
    rates.push_back(static_cast<double>(found.chunks) / found.taken_s);
  }
  fmt::print(R"({{"program": "{}", "makespan_s": {}, "chunks": {}, "seconds": {}, )"
             R"("chunks_per_s": {}, "verified": true}})"
             "\n",
             name, found.makespan_s, found.chunks, found.taken_s, json_list(rates));
  return ExitCode::good;
}

}  // namespace

int run_simulator(const char* name, int argc, const char* const* argv,
                  const std::function<Simulated(const ScenarioOptions&)>& simulate) {
  try {
    Arguments::Defaults defaults = scenario_defaults();
    defaults["--repetitions"] = "1";
    return static_cast<int>(run(name, Arguments(argc, argv, std::move(defaults)), simulate));
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(ExitCode::run_failed);
  }
}

}  // namespace loadshare::bench
