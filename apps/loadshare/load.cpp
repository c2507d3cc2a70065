#include "apps/loadshare/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/common/interruption.hpp"
#include "runtime/load/injector.hpp"
#include "runtime/load/pinned_thread.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

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
  if (measure.on_s <= 0) return print(fmt::format("{} on {}: it never came on\n", request.text, cpu));
  print(fmt::format("{} on {}: on {} for {} in all\n", request.text, cpu,
                    count_text(measure.cycles, "time", "times"), duration_text(measure.on_s)));
  print(fmt::format("took {} of {} while on ({} was asked for), {} of processor time\n",
                    percent_text(share(measure.cpu_s, measure) / request.place.capacity),
                    request.place.capacity < 1
                        ? fmt::format("the {} of it that are to be had", percent_text(request.place.capacity))
                        : "it",
                    percent_text(share(measure.asked_s, measure)), duration_text(measure.cpu_s)));
  print(fmt::format("came and went within {} of the plan (99th percentile), {} at worst\n",
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
  print(json.dump() + "\n");
}

}  // namespace

void require_cpu(int cpu) {
  const std::vector<int> cpus = allowed_cpus();
  if (std::ranges::find(cpus, cpu) == cpus.end())
    throw UsageError(fmt::format("--cpu is {}", cpu),
                     fmt::format("this process may use processor {}", fmt::join(cpus, ", ")));
}

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

}  // namespace loadshare::tool
