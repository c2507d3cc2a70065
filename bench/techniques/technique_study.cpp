// Simulates every technique in many randomly drawn settings. Prints a line of CSV for each spec of a setting:
// the median makespan of the odd replicates, by which the best may be chosen, and of the even ones, by which
// it is judged. experiments/techniques/regret.py reads it.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "bench/reference/arguments.hpp"
#include "bench/techniques/settings.hpp"
#include "models/farm/auto_scheduler.hpp"
#include "models/farm/farm_simulation.hpp"
#include "models/farm/prediction.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;
using bench::Setting;

struct Study {
  SchedulerTable table = built_in_schedulers();
  std::uint64_t replicates = 6;
  std::vector<std::string> specs;  // empty: all candidates
  std::function<Setting(std::uint64_t)> setting = bench::draw_setting;
};

/// Returns what a program knows before its first run; techniques that need times get the true ones.
LoopFacts facts_for(const SchedulerTable& table, const std::string& spec,
                    const predictor::Scenario& scenario) {
  LoopFacts facts = predictor::facts_of(scenario);
  const SchedulerSpec parsed = table.parse(spec);
  const auto entry = std::ranges::find(table.entries(), parsed.name, &SchedulerEntry::name);
  if (entry->example.empty()) facts.times.reset();
  return facts;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> specs;
  std::istringstream words(text);
  for (std::string spec; std::getline(words, spec, ';');) specs.push_back(spec);
  return specs;
}

std::vector<std::string> specs_for(const Study& study, const LoopFacts& facts) {
  if (!study.specs.empty()) return study.specs;
  std::vector<std::string> specs = study.table.candidates(facts);
  for (const SchedulerEntry& entry : study.table.entries())
    if (std::ranges::find(specs, entry.name) == specs.end()) specs.push_back(entry.name);
  specs.push_back("auto");
  specs.push_back("auto:warm");
  return specs;
}

/// Returns the record of a run of `auto`. Its makespan includes the time for choosing, during which the
/// master does nothing else.
RunRecord run_of_auto(const Study& study, const Setting& setting, std::uint64_t replicate,
                      std::shared_ptr<const RunRecord> earlier) {
  const predictor::Scenario scenario = bench::scenario_of(setting, replicate);
  LoopFacts facts = predictor::facts_of(scenario);
  facts.times.reset();
  ChoiceRecord choice;
  RunRecord record;
  const predictor::Observations::Farm farm{.iterations = setting.iterations,
                                           .prefetch = setting.prefetch,
                                           .input_each = scenario.bytes.input_each,
                                           .result_each = scenario.bytes.result_each,
                                           .shared_bytes = bench::shared_bytes_of(setting)};
  predictor::FarmSimulation simulation(
      scenario,
      std::make_unique<predictor::AutoScheduler>(
          study.table, facts,
          predictor::AutoScheduler::Parameters{.farm = farm, .earlier = std::move(earlier)}, thread_cpu_s,
          choice),
      replicate);
  simulation.on_chunk([&](const ChunkRecord& chunk) { record.chunks.push_back(chunk); });
  record.makespan_s = simulation.run().makespan_s + choice.choosing_s;
  return record;
}

/// Returns the makespan of `auto` with a cache from an earlier, equally likely run.
double makespan_of_warm_auto(const Study& study, const Setting& setting, std::uint64_t replicate) {
  const std::uint64_t before = replicate + study.replicates;
  auto earlier = std::make_shared<const RunRecord>(run_of_auto(study, setting, before, {}));
  return run_of_auto(study, setting, replicate, std::move(earlier)).makespan_s;
}

double makespan_of(const Study& study, const Setting& setting, const predictor::Scenario& scenario,
                   const std::string& spec, std::uint64_t replicate) {
  if (spec == "auto") return run_of_auto(study, setting, replicate, {}).makespan_s;
  if (spec == "auto:warm") return makespan_of_warm_auto(study, setting, replicate);
  const LoopFacts facts = facts_for(study.table, spec, scenario);
  return predictor::FarmSimulation(scenario, study.table.make(spec, facts), replicate).run().makespan_s;
}

std::string described(const Setting& setting) {
  return fmt::format(
      "{},{},{},{},{},{},{:.4g},{:.4g},{:.3g},{},{:.3g},{:.3g},{},{},{}", setting.seed,
      name_among(bench::cost_kinds, setting.costs), name_among(bench::host_kinds, setting.hosts),
      name_among(bench::wire_kinds, setting.wire), setting.iterations, setting.workers, setting.work_s,
      setting.load_period_s, setting.load_share, setting.is_half_loaded, setting.wire_share,
      setting.shared_share, setting.prefetch, setting.master_works, setting.has_slow_narrow_chunks);
}

std::string lines_of(const Study& study, std::uint64_t seed) {
  const Setting setting = study.setting(seed);
  const std::vector<std::string> specs =
      specs_for(study, predictor::facts_of(bench::scenario_of(setting, 1)));
  std::vector<std::vector<double>> odd(specs.size()), even(specs.size());
  for (std::uint64_t replicate = 1; replicate <= study.replicates; ++replicate) {
    const predictor::Scenario scenario = bench::scenario_of(setting, replicate);
    for (std::size_t i = 0; i < specs.size(); ++i)
      (replicate % 2 == 1 ? odd : even)[i].push_back(
          makespan_of(study, setting, scenario, specs[i], replicate));
  }
  std::string lines;
  for (std::size_t i = 0; i < specs.size(); ++i)
    lines += fmt::format("{},\"{}\",{:.6g},{:.6g}\n", described(setting), specs[i], median_of(odd[i]),
                         median_of(even[i]));
  return lines;
}

void run(const bench::Arguments& arguments) {
  Study study;
  study.replicates = static_cast<std::uint64_t>(arguments.number("--replicates", 2));
  if (arguments.text("--schedulers") != "all") study.specs = listed(arguments.text("--schedulers"));
  const bool is_lab = arguments.text("--lab") == "yes";
  if (is_lab) study.setting = bench::lab_setting;
  if (arguments.text("--lab") == "like") study.setting = bench::lab_like_setting;
  const auto from = is_lab ? 0 : static_cast<std::uint64_t>(arguments.number("--from", 0));
  const std::uint64_t end =
      is_lab ? bench::lab_settings : from + static_cast<std::uint64_t>(arguments.number("--settings", 1));
  std::puts(
      "setting,costs,hosts,wire,iterations,workers,work_s,load_period_s,load_share,half_loaded,wire_share,"
      "shared_share,prefetch,master_works,narrow_dear,scheduler,odd_s,even_s");
  std::atomic<std::uint64_t> next = from;
  std::mutex printing;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::uint64_t seed = next++; seed < end; seed = next++) try {
        const std::string lines = lines_of(study, seed);
        const std::lock_guard lock(printing);
        std::fputs(lines.c_str(), stdout);
      } catch (...) {
        const std::lock_guard lock(printing);
        failure = std::current_exception();
        next = end;
      }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < arguments.small_number("--cores", 1); ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(bench::Arguments(argc, argv,
                         {{"--settings", "100"},
                          {"--from", "1"},
                          {"--replicates", "6"},
                          {"--lab", "no"},
                          {"--schedulers", "all"},
                          {"--cores", "1"}}));
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
