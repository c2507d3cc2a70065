#include "models/predictor/auto_entry.hpp"

#include <string>
#include <utility>

#include "schedulers/error.hpp"

namespace loadshare::predictor {

namespace {
constexpr Index usual_budget_percent = 1;
constexpr Index most_budget_percent = 50;
}  // namespace

SchedulerEntry auto_entry(MakeScheduler make) {
  return {"auto",
          "chooses technique and parameter itself: a short survey, then the predictor",
          {{"budget", std::to_string(usual_budget_percent),
            "percent of the predicted makespan that choosing may take"}},
          std::move(make)};
}

SchedulerTable farm_schedulers() {
  SchedulerTable table = built_in_schedulers();
  table.add(auto_entry([](const SchedulerSpec&, const LoopShape&) -> std::unique_ptr<ChunkScheduler> {
    throw UsageError("auto has nothing to choose by", "it surveys a run that goes on",
                     "name a technique, or give it to a farm application");
  }));
  return table;
}

double choosing_budget(const SchedulerSpec& spec) {
  const Index percent = spec.whole("budget").value_or(usual_budget_percent);
  if (percent > most_budget_percent)
    throw UsageError(spec.said("budget", std::to_string(percent)),
                     "percent of the predicted makespan that choosing may take",
                     "from 1 to " + std::to_string(most_budget_percent));
  return static_cast<double>(percent) / 100;
}

}  // namespace loadshare::predictor
