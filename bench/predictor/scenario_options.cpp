#include "bench/predictor/scenario_options.hpp"

#include <sstream>

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
  // SimGrid counts whole bytes.
  return static_cast<double>(arguments.number(name, 0));
}

constexpr Choices<Port, 2> ports{{{"in-turn", Port::in_turn}, {"shared", Port::shared}}};

/// `1,1,3`, over and over until every worker has one.
std::vector<double> read_speeds(const std::string& name, const std::string& text, std::size_t workers) {
  std::vector<double> listed;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) listed.push_back(positive_number(name, word));
  if (listed.empty()) throw UsageError(name + " is empty", "a worker has a speed", "write 1,1,3");
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

}  // namespace

std::optional<LoadPlan> ScenarioOptions::load_of(std::size_t rank) const {
  const auto number = static_cast<int>(rank);
  if (!load || !load->loads(number, rank > 0)) return std::nullopt;
  return load->plan_for(number);
}

std::unique_ptr<ChunkScheduler> ScenarioOptions::make_scheduler() const {
  return built_in_schedulers().make(scheduler, {iterations, static_cast<Index>(speeds.size())});
}

Arguments::Defaults scenario_defaults() {
  return {{"--scheduler", "send:1"}, {"--iterations", "1000"},  {"--iteration", "1ms"},
          {"--workers", "8"},        {"--speeds", "1"},         {"--load", "none"},
          {"--latency", "50us"},     {"--bandwidth", "12.5e6"}, {"--port", "in-turn"},
          {"--order-bytes", "64"},   {"--report-bytes", "64"},  {"--input-bytes", "0"},
          {"--result-bytes", "0"},   {"--master-order", "0"},   {"--master-report", "0"},
          {"--prefetch", "0"}};
}

ScenarioOptions read_scenario(const Arguments& arguments) {
  const auto workers = static_cast<std::size_t>(arguments.small_number("--workers", 1));
  return {.scheduler = arguments.text("--scheduler"),
          .iterations = arguments.number("--iterations", 1),
          .iteration_s = duration_s(arguments, "--iteration"),
          .speeds = read_speeds("--speeds", arguments.text("--speeds"), workers),
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

}  // namespace loadshare::bench
