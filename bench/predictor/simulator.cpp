#include "bench/predictor/simulator.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "schedulers/table.hpp"

namespace loadshare::bench {
namespace {

double duration_s(const Arguments& arguments, const std::string& name) {
  return loadshare::duration_s(name, arguments.text(name));
}

double bytes(const Arguments& arguments, const std::string& name) {
  // Integers only, because SimGrid counts whole bytes.
  return static_cast<double>(arguments.number(name, 0));
}

constexpr Choices<Port, 2> ports{{{"in-turn", Port::in_turn}, {"shared", Port::shared}}};

/// Parses `1,1,3` and repeats the list until every worker has a speed.
std::vector<double> read_speeds(const std::string& text, std::size_t workers) {
  const std::vector<double> listed = positive_numbers("--speeds", text);
  std::vector<double> speeds;
  for (std::size_t worker = 0; worker < workers; ++worker) speeds.push_back(listed[worker % listed.size()]);
  return speeds;
}

std::optional<LoadSpec> read_load(const std::string& text, std::size_t workers) {
  if (text == "none") return std::nullopt;
  LoadSpec load = parse_load_spec(text);
  require_ranks(load, static_cast<int>(workers) + 1);
  return load;
}

/// Returns all options with their defaults.
Arguments::Defaults defaults() {
  return {{"--scheduler", "send:1"}, {"--iterations", "1000"},  {"--iteration", "1ms"},
          {"--workers", "8"},        {"--speeds", "1"},         {"--load", "none"},
          {"--latency", "50us"},     {"--bandwidth", "12.5e6"}, {"--port", "in-turn"},
          {"--order-bytes", "64"},   {"--report-bytes", "64"},  {"--input-bytes", "0"},
          {"--result-bytes", "0"},   {"--master-order", "0"},   {"--master-report", "0"},
          {"--prefetch", "0"},       {"--repetitions", "1"}};
}

ScenarioOptions read_scenario(const Arguments& arguments) {
  const auto workers = static_cast<std::size_t>(arguments.small_number("--workers", 1));
  return {.scheduler = arguments.text("--scheduler"),
          .iterations = arguments.number("--iterations", 1),
          .iteration_s = duration_s(arguments, "--iteration"),
          .speeds = read_speeds(arguments.text("--speeds"), workers),
          .load = read_load(arguments.text("--load"), workers),
          .latency_s = duration_s(arguments, "--latency"),
          .bandwidth_bytes_per_s = positive_number("--bandwidth", arguments.text("--bandwidth")),
          .port = choose("port", arguments.text("--port"), ports),
          .order_bytes = bytes(arguments, "--order-bytes"),
          .report_bytes = bytes(arguments, "--report-bytes"),
          .input_bytes = bytes(arguments, "--input-bytes"),
          .result_bytes = bytes(arguments, "--result-bytes"),
          .master_order_s = duration_s(arguments, "--master-order"),
          .master_report_s = duration_s(arguments, "--master-report"),
          .prefetch = static_cast<std::size_t>(arguments.small_number("--prefetch", 0))};
}

/// Returns the lower bound of the makespan: no farm is faster than its processors together.
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
    throw Error(ExitCode::run_failed, "the simulation is wrong",
                fmt::format("its makespan is {} s, but all processors at full speed need {} s",
                            found.makespan_s, least_s));
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

std::optional<LoadPlan> ScenarioOptions::load_of(std::size_t rank) const {
  const auto number = static_cast<int>(rank);
  if (!load || !load->loads(number, rank > 0)) return std::nullopt;
  return load->plan_for(number);
}

std::unique_ptr<ChunkScheduler> ScenarioOptions::make_scheduler() const {
  return built_in_schedulers().make(scheduler, {iterations, static_cast<Index>(speeds.size())});
}

int run_simulator(const char* name, int argc, const char* const* argv,
                  const std::function<Simulated(const ScenarioOptions&)>& simulate) {
  try {
    return static_cast<int>(run(name, Arguments(argc, argv, defaults()), simulate));
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(ExitCode::run_failed);
  }
}

}  // namespace loadshare::bench
