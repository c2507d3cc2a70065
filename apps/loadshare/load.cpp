#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "program/interruption.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/load/injector.hpp"
#include "runtime/load/load_plan.hpp"
#include "runtime/load/load_spec.hpp"

namespace loadshare::tool {
namespace {

/// A load that the tool is by itself, beside whatever runs on its processor.
struct LoadRequest {
  LoadPlan plan;
  std::string text;  ///< the plan in words, as it was asked for
  LoadPlace place;
  double length_s = 0;
  OutputForm form = OutputForm::text;
};

void await(double end_s, const std::atomic<bool>& is_interrupted) {
  constexpr double longest_s = 0.05;
  for (double left_s = end_s - monotonic_s(); left_s > 0 && !is_interrupted; left_s = end_s - monotonic_s())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, longest_s)));
}

/// Shares are of what there is to have of the processor.
double share(double part_s, const LoadMeasure& measure) {
  return measure.on_s > 0 ? part_s / measure.on_s : 0;
}

void print_text(const LoadRequest& request, const LoadMeasure& measure) {
  const std::string cpu = fmt::format("processor {}", request.place.cpu);
  if (measure.on_s <= 0) return print(fmt::format("{} on {}: it was never on\n", request.text, cpu));
  print(fmt::format("{} on {}: on {} for {} in all\n", request.text, cpu,
                    count_text(measure.cycles, "time", "times"), duration_text(measure.on_s)));
  print(fmt::format("took {} of {} while on ({} requested), {} of processor time\n",
                    percent_text(share(measure.cpu_s, measure) / request.place.capacity),
                    request.place.capacity < 1
                        ? fmt::format("the available {} of it", percent_text(request.place.capacity))
                        : "it",
                    percent_text(share(measure.asked_s, measure)), duration_text(measure.cpu_s)));
  print(fmt::format("started and stopped within {} of the plan (99th percentile), at worst {}\n",
                    duration_text(measure.late_p99_s), duration_text(measure.late_max_s)));
}

void print_json(const LoadRequest& request, const LoadMeasure& measure) {
  nlohmann::ordered_json json;
  json["load"] = request.text;
  json["cpu"] = request.place.cpu;
  json["capacity"] = request.place.capacity;
  json["share_asked"] = share(measure.asked_s, measure);
  json["share_taken"] = share(measure.cpu_s, measure) / request.place.capacity;
  json["cpu_s"] = measure.cpu_s;
  json["on_s"] = measure.on_s;
  json["late_p99_s"] = measure.late_p99_s;
  json["late_max_s"] = measure.late_max_s;
  json["cycles"] = measure.cycles;
  print_exactly(json.dump() + "\n");
}

/// Checks that this process may use the processor. Throws UsageError.
void require_cpu(int cpu) {
  const std::vector<int> cpus = allowed_cpus();
  if (std::ranges::find(cpus, cpu) == cpus.end())
    throw UsageError(fmt::format("--cpu is {}", cpu),
                     fmt::format("this process may use only processor {}", fmt::join(cpus, ", ")));
}

/// Is the load for its time, or until it is interrupted, and prints what it took. Returns `interrupted` then.
ExitCode be_load(const LoadRequest& request) {
  const std::atomic<bool>& is_interrupted = watch_interruptions();
  constexpr double early_s = 0.5e-3;  // a change due at the very end is not begun any more
  const double zero_s = monotonic_s();
  Injector injector(request.plan, request.place, zero_s);
  await(zero_s + request.length_s - early_s, is_interrupted);
  const LoadMeasure measure = injector.stop();
  if (request.form == OutputForm::json)
    print_json(request, measure);
  else
    print_text(request, measure);
  return is_interrupted ? ExitCode::interrupted : ExitCode::good;
}

class Load final : public Command {
 public:
  void describe(CLI::App& app) override {
    const auto add = [&](const char* name, auto& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--cpu", cpu_, "N", "the processor to be busy on")->required();
    add("--for", for_, "TIME", "how long in all: 30s; Ctrl-C ends it sooner")->required();
    add("--on", on_, "TIME", "time on at the start of each cycle, as 1s or 250ms");
    add("--off", off_, "TIME", "time off in the rest of each cycle");
    add("--phase", phase_, "TIME", "how far into a cycle the load starts (0)");
    app.add_flag("--constant", constant_, "keep it on all the time, instead of on and off");
    add("--trace", trace_, "FILE", "follow a file with a line `second share` for each step");
    add("--share", share_, "SHARE", "share of the processor while on (0.5); other programs get the rest");
    app.add_flag("--json", json_, "print one JSON object instead");
  }

  ExitCode run() override {
    constexpr Index most_cpus = 1 << 20;
    const LoadSpec spec = load_of_options(parts());
    const int cpu = static_cast<int>(whole_number("--cpu", cpu_, 0, most_cpus));
    const double length_s = duration_s("--for", for_);
    require_cpu(cpu);
    const double capacity = capacity_of_one(1);
    return be_load({spec.plan_for(0),
                    spec.text,
                    {cpu, capacity},
                    length_s,
                    json_ ? OutputForm::json : OutputForm::text});
  }

 private:
  /// The parts of what programs take by --load.
  std::map<std::string, std::string> parts() const {
    std::map<std::string, std::string> given;
    if (constant_) given.emplace("constant", "");
    for (const auto& [key, value] :
         {std::pair("on", on_), {"off", off_}, {"phase", phase_}, {"trace", trace_}, {"share", share_}})
      if (value) given.emplace(key, *value);
    return given;
  }

  std::string cpu_;
  std::string for_;
  std::optional<std::string> on_, off_, phase_, trace_, share_;
  bool constant_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_load_command() {
  return std::make_unique<Load>();
}

}  // namespace loadshare::tool
